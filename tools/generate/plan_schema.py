"""schema/plan.schema.json: the JSON Schema of a plan."""

from __future__ import annotations

import json

from generate.core import Catalogue


def text(catalogue: Catalogue) -> str:
    """The schema as the text of a file."""
    return json.dumps(catalogue["plan"], indent=2, ensure_ascii=False) + "\n"
