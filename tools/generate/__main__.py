"""Write the generated files: ``make generate``; with ``--check``, tell which are stale and exit with status 1."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from generate import core, plan_schema, scenario_keys, tables

ROOT = Path(__file__).resolve().parents[2]

#: Every generated file: path from the root of the project, and the function that makes its text from the catalogue.
OUTPUTS: dict[str, Callable[[core.Catalogue], str]] = {
    "schema/plan.schema.json": plan_schema.text,
    "python/pantala/scenario/keys.py": scenario_keys.text,
    "python/pantala/catalogue/tables.py": tables.text,
}


def stale(catalogue: core.Catalogue) -> dict[str, str]:
    """The files whose text is not what the catalogue gives: path to the text that should be there."""
    wanted = {path: make(catalogue) for path, make in OUTPUTS.items()}
    return {path: text for path, text in wanted.items() if _read(ROOT / path) != text}


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.is_file() else None


def main(arguments: list[str]) -> int:
    """Write what is stale; with ``--check`` only name it."""
    found = stale(core.catalogue())
    for path, text in found.items():
        if arguments == ["--check"]:
            print(f"{path}: differs from what the core declares; run 'make generate' and do not edit it by hand")
            continue
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(text, encoding="utf-8")
        print(f"{path}: written")
    return 1 if found and arguments == ["--check"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
