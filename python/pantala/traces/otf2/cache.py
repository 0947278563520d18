"""Converted traces, kept for the next run."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from pantala.errors import UsageError
from pantala.files.atomic_file import atomic_file
from pantala.files.json_file import write_json
from pantala.files.private_folder import cache_folder
from pantala.traces.otf2.isolated_process import convert_apart

__all__ = ["converted"]

#: Changes when a conversion gives other operations or another summary.
_VERSION = 4


def converted(
    trace: str | Path, *, compute: bool = True, compute_scale: float = 1.0
) -> tuple[Path, dict[str, Any]]:
    """Returns the operation file of a trace in OTF2 and its summary; converts it on first use.

    The file is in ``$XDG_CACHE_HOME/pantala/otf2``, or else in ``~/.cache/pantala/otf2``. A trace
    whose files change is converted again.

    Args:
        trace: the anchor file, ``traces.otf2``.
        compute: whether the time between calls is computing.
        compute_scale: a factor of that time.

    Raises:
        UsageError: the trace cannot be converted, or the cache cannot be written.
    """
    path = Path(trace)
    folder = cache_folder("otf2", "converted traces")
    key = _key(path, compute, compute_scale if compute else 0.0)
    file, facts = folder / f"{key}.operations", folder / f"{key}.json"
    if file.is_file() and (known := _summary(facts)) is not None:
        return file, known
    try:
        with atomic_file(file) as half:
            made = convert_apart(path, half, compute=compute, compute_scale=compute_scale)
            write_json(facts, made.summary)
    except OSError as error:
        message = f"{folder}: the converted trace cannot be written there: {error.strerror}"
        raise UsageError(f"{message}; set XDG_CACHE_HOME to a folder that can be written") from None
    return file, made.summary


def _summary(facts: Path) -> dict[str, Any] | None:
    """Returns the summary of a converted trace; None if it is missing or damaged."""
    try:
        summary = json.loads(facts.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return summary if isinstance(summary, dict) else None


def _key(path: Path, compute: bool, compute_scale: float) -> str:
    """Returns a name for a conversion: it follows from the trace's files and the options."""
    folder = path.with_suffix("")
    files = [path, *path.parent.glob(f"{folder.name}.*"), *folder.rglob("*")]
    digest = hashlib.sha256(f"{_VERSION} {compute} {compute_scale}".encode())
    for file in sorted(set(files)):
        if file.is_file():
            state = file.stat()
            digest.update(f"{file.absolute()} {state.st_size} {state.st_mtime_ns}\n".encode())
    return digest.hexdigest()[:32]
