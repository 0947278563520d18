"""Write the generated files: ``make generate``.

With ``--check``, name the stale ones and exit with status 1.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from generate import (
    applications,
    core,
    ember,
    models,
    plan_schema,
    program_calls,
    python_pages,
    reference,
    routing_table,
    routings,
    scenario_keys,
    scenario_pages,
    stub,
    tables,
    traces,
    workload_kinds,
)

ROOT = Path(__file__).resolve().parents[2]

#: Files made from the catalogue: path from the project's root, and the function that makes the
#: text.
FROM_CATALOGUE: dict[str, Callable[[core.Catalogue], str]] = {
    "schema/plan.schema.json": plan_schema.text,
    "python/pantala/catalogue/tables.py": tables.text,
    "python/pantala/models/keys.py": scenario_keys.text,
    "python/pantala/catalogue/routings.py": routings.text,
    "docs/explanation/routing/index.md": routing_table.text,
}
#: The file made from the modules of workloads. The package reads it when it is imported, so another
#: process makes it.
KINDS = "python/pantala/workloads/kinds.py"
#: Files made from the Python package, which reads the files above when it is imported.
FROM_PACKAGE: dict[str, Callable[[], str]] = {
    "schema/scenario.schema.json": models.scenario_schema,
    "python/pantala/__init__.pyi": stub.text,
    "docs/reference/applications.md": applications.applications_page,
    "docs/reference/commands.md": reference.commands_page,
    "docs/reference/ember.md": ember.ember_page,
    "docs/reference/figures.md": python_pages.figures_page,
    "docs/reference/metrics.md": reference.metrics_page,
    "docs/reference/presets.md": reference.presets_page,
    "docs/reference/program-calls.md": program_calls.program_calls_page,
    "docs/reference/python.md": python_pages.python_page,
    f"docs/reference/{scenario_pages.path_of('index')}": scenario_pages.index_page,
    **{
        f"docs/reference/{scenario_pages.path_of(name)}": partial(
            scenario_pages.scenario_page, name
        )
        for name in scenario_pages.PAGES
    },
    "docs/reference/tables.md": reference.tables_page,
    "docs/reference/traces.md": traces.traces_page,
}
#: The figures of docs/reference/applications.md. Only missing ones are drawn.
MATRICES = ROOT / "docs" / "reference" / applications.FIGURES


def wanted(catalogue: core.Catalogue) -> Iterator[tuple[str, str]]:
    """Yields every generated file with its text, each after the files that it depends on."""
    for path, from_catalogue in FROM_CATALOGUE.items():
        yield path, from_catalogue(catalogue)
    yield KINDS, workload_kinds.text_of_now()
    for path, from_package in FROM_PACKAGE.items():
        yield path, from_package()


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.is_file() else None


def main(arguments: list[str]) -> int:
    """Writes the stale files; with ``--check``, only prints their paths."""
    check, found = arguments == ["--check"], 0
    for path, text in wanted(core.catalogue()):
        if _read(ROOT / path) == text:
            continue
        found += 1
        if check:
            print(
                f"{path}: differs from its source; run 'make generate' and do not edit it by hand"
            )
            continue
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(text, encoding="utf-8")
        print(f"{path}: written")
    if not check:
        for figure in applications.draw_missing(MATRICES):
            print(f"{figure.relative_to(ROOT)}: drawn")
    return 1 if found and check else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
