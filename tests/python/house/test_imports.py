"""Imports of the Python package: its rooms, no cycle while it runs, only small ones of types."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

import pantala
from support import ROOT

PACKAGE = Path(pantala.__file__).parent
LARGEST = 3
#: The most lines of a file that people write, and the files that are longer.
LINES = 400
LONGER = {
    "catalogue/routings.py",  # generated
    "catalogue/tables.py",  # generated
    "models/keys.py",  # generated
}


def modules() -> dict[str, Path]:
    """Returns the file of each module by its name; `pantala` itself imports its names lazily."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        found[name.removesuffix(".__init__")] = path
    del found["pantala"]
    return found


MODULES = modules()


def imported(node: ast.AST, *, types: bool) -> Iterator[str]:
    """Yields the modules that a module imports, imports inside functions included.

    Args:
        node: the tree of the module.
        types: whether imports for type checkers count.
    """
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING" and not types:
            for other in child.orelse:
                yield from imported(other, types=types)
            continue
        if isinstance(child, ast.ImportFrom) and child.module:
            for alias in child.names:
                submodule = f"{child.module}.{alias.name}"
                yield submodule if submodule in MODULES else child.module
        elif isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names)
        yield from imported(child, types=types)


def import_graph(*, types: bool) -> dict[str, set[str]]:
    """Returns the modules of the package that each module imports."""
    return {
        name: set(imported(ast.parse(path.read_text(encoding="utf-8")), types=types))
        & MODULES.keys() - {name}
        for name, path in MODULES.items()
    }


def cycles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Returns the groups of modules that reach each other."""

    def reached(start: str) -> set[str]:
        found: set[str] = set()
        waiting = [start]
        while waiting:
            for other in graph[waiting.pop()] - found:
                found.add(other)
                waiting.append(other)
        return found

    reach = {name: reached(name) for name in graph}
    groups = {
        tuple(sorted(other for other in reach[name] if name in reach[other]))
        for name in graph
        if name in reach[name]
    }
    return [list(group) for group in sorted(groups)]


def test_no_cycle_of_imports_while_it_runs() -> None:
    assert cycles(import_graph(types=False)) == []


def test_types_make_small_cycles_only() -> None:
    assert [group for group in cycles(import_graph(types=True)) if len(group) > LARGEST] == []


def test_cycles_are_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}, "e": set()}
    assert cycles({name: set(others) for name, others in graph.items()}) == [["a", "b", "c"]]


def test_the_architecture_lists_the_rooms_as_the_lint_holds_them() -> None:
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    layers = tool["importlinter"]["contracts"][0]["layers"]
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    listed = re.search(r"compares this list with it\.\n\n((?:    .*\n)+)", page)
    assert listed is not None
    assert [line.strip() for line in listed[1].splitlines()] == layers
    rooms = {room for layer in layers for room in layer.split(" | ")}
    described = set(re.findall(r"^\| `([a-z_]+)(?:/(?:NAME/)?|\.py)` \|", page, re.MULTILINE))
    assert rooms <= described


def test_rooms_import_only_rooms_below() -> None:
    lint = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache", "--no-logo"]
    done = subprocess.run(lint, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_files_have_at_most_400_lines() -> None:
    lines = {
        str(path.relative_to(PACKAGE)): len(path.read_text(encoding="utf-8").splitlines())
        for path in PACKAGE.rglob("*.py")
    }
    assert {name for name, count in lines.items() if count > LINES} == LONGER
