"""JSON files that appear complete or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ["write_json"]


def write_json(path: Path, value: Any) -> None:
    """Writes JSON to a temporary file, then renames it."""
    half = path.with_name(f".{path.name}.partial")
    half.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")
    half.replace(path)
