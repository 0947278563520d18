"""The catalogue, read from the compiled core.

The extension module is loaded by its path and not through the package ``pantala``. The package
imports generated modules, which can be stale or missing when this tool runs.
"""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

Catalogue = dict[str, Any]

_PACKAGE = Path(__file__).resolve().parents[2] / "python" / "pantala"


def catalogue() -> Catalogue:
    """Returns the catalogue: ``plan`` (JSON Schema), ``tables`` and ``routings``.

    Raises:
        SystemExit: the core is not built.
    """
    files = sorted(_PACKAGE.glob("_core*.so"))
    if not files:
        raise SystemExit(f"generate: no compiled core in {_PACKAGE}; run 'make build' first")
    spec = importlib.util.spec_from_file_location("pantala._core", files[0])
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Catalogue = json.loads(module.catalogue())
    return found
