"""A page from a template of this folder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

__all__ = ["render"]


def render(template: str, content: Mapping[str, Any]) -> str:
    """Returns a page as HTML text. Equal content gives equal text."""
    environment = Environment(
        loader=PackageLoader("pantala.report", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(template).render(content)
