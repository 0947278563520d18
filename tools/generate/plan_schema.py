"""schema/plan.schema.json: the JSON Schema of a plan."""

from __future__ import annotations

import json

from generate.core import Catalogue


def text(catalogue: Catalogue) -> str:
    """Returns the text of the file."""
    return json.dumps(catalogue["plan"], indent=2, ensure_ascii=False) + "\n"
