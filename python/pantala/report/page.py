"""Pages from templates of this folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from pantala.errors import RunDirectoryError
from pantala.files.atomic_file import write_text
from pantala.system.system_errors import number_in, remedy_of
from pantala.text.plain_text import plain

__all__ = ["render", "write"]


def render(template: str, content: Mapping[str, Any]) -> str:
    """Returns a page as HTML text. Equal content gives equal text, all of it `plain`."""
    environment = Environment(
        loader=PackageLoader("pantala.report", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return plain(environment.get_template(template).render(content))


def write(text: str, path: str | os.PathLike[str], remedy: str = "") -> Path:
    """Writes a page; returns its path.

    Args:
        text: the page.
        path: the file.
        remedy: what helps if the file cannot be written; by the fault if not given.

    Raises:
        RunDirectoryError: the file cannot be written.
    """
    target = Path(path)
    try:
        write_text(target, text)
    except OSError as error:
        message = f"cannot be written: {error.strerror or error}"
        usual = "make the directory writable"
        if isinstance(error, FileNotFoundError):
            usual = "make its directory, or name another file"
        found = remedy_of(number_in(message)) or usual
        raise RunDirectoryError(target, message, remedy or found) from None
    return target
