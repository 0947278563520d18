"""Tables as TOML, a line for each key at the top."""

from __future__ import annotations

import json
from collections.abc import Mapping

__all__ = ["toml_text"]


def toml_text(tables: Mapping[str, object]) -> str:
    """Returns tables in TOML: each key on a line, what is below it inside braces."""
    return "".join(f"{key} = {_value(value)}\n" for key, value in tables.items())


def _value(value: object) -> str:
    if isinstance(value, dict):
        pairs = (f"{json.dumps(key)} = {_value(each)}" for key, each in value.items())
        return f"{{ {', '.join(pairs)} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value)
