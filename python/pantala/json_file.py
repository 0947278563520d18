"""JSON files that appear complete or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pantala.whole_file import whole_file

__all__ = ["write_json"]


def write_json(path: Path, value: Any) -> None:
    """Writes JSON to a temporary file, then renames it."""
    with whole_file(path) as half:
        half.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")
