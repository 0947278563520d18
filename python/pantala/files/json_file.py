"""JSON files that appear complete or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pantala.files.atomic_file import write_text

__all__ = ["write_json"]


def write_json(path: Path, value: Any) -> None:
    """Writes JSON to a file that appears complete or not at all."""
    write_text(path, json.dumps(value, indent=2) + "\n")
