"""The reference pages of the documentation are complete."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import pytest

import pantala as pt
from generate import python_pages, reference, scenario_pages
from pantala import machine_presets, mix_presets, router_presets, scenario_json_schema
from pantala.catalogue.tables import TABLES
from pantala.core.routings import ROUTINGS, RoutingInfo
from pantala.importers.ember.parameters import KEYS
from pantala.metrics import all_functions, all_metrics
from pantala.scenario.presets import mpi_presets, preset_entries
from pantala.workloads import APPLICATIONS
from support import ROOT

DOCS = ROOT / "docs"
GENERATED = {"made-validation.md", "made-validation-ember.md", "made-coarsening.md"}


def rows(page: str) -> set[str]:
    """Returns the first cells of the rows of a page's tables."""
    return set(re.findall(r"^\| `([^`]+)`", page, re.MULTILINE))


def test_every_column_is_described() -> None:
    page = reference.tables_page()
    assert rows(page) == {column.name for table in TABLES.values() for column in table.columns}
    assert all(column.text.endswith(".") for table in TABLES.values() for column in table.columns)


def test_every_metric_is_described() -> None:
    assert rows(reference.metrics_page()) == {
        *(metric.name for metric in all_metrics()),
        *(function.name for function in all_functions()),
    }


def test_every_scenario_key_is_described() -> None:
    schema = scenario_json_schema()
    tables = [schema, *(scenario_pages.object_(item) for item in schema["$defs"].values())]
    files = [scenario_pages.path_of(name) for name in ("index", *scenario_pages.PAGES)]
    # test_generated.py: the files are what the generator writes.
    page = "".join(
        (DOCS / "reference" / name).read_text() for name in [*files, "applications.md", "ember.md"]
    )
    listed = {name for name in KEYS if f"`{name}`" in page}
    assert listed == set(KEYS)
    assert rows(page) - listed == {key for table in tables for key in table.get("properties", {})}
    headings = {heading.lower() for heading in re.findall(r"^##? (.+)$", page, re.MULTILINE)}
    kinds = {application.__name__: kind for kind, application in APPLICATIONS.items()}
    names = {kinds.get(name, name.removeprefix("Ember")).lower() for name in schema["$defs"]}
    assert names <= headings


def test_every_value_of_a_preset_is_described() -> None:
    page = reference.presets_page()
    folders = {
        "machines": machine_presets,
        "mixes": mix_presets,
        "mpi": mpi_presets,
        "routers": router_presets,
    }
    for folder, names in folders.items():
        for name in names():
            assert re.search(rf"^##+ (\w+: )?{re.escape(name)}", page, re.MULTILINE)
            assert set(preset_entries(folder, name)) <= rows(page)


def test_every_public_name_of_python_is_described() -> None:
    page = python_pages.python_page()
    headed = set(re.findall(r"^### ([\w.]+)$", page, re.MULTILINE))
    assert set(vars(pt)["__all__"]) - {"__version__", "ROUTINGS"} <= headed


def test_signatures_of_python_are_those_of_the_code() -> None:
    """A call that the page shows is possible: parameters have their kinds and defaults."""
    page = python_pages.python_page()
    blocks = re.findall(r"^### (\w+)\n\n```py\n(.*?)\n```", page, re.MULTILINE | re.DOTALL)
    assert {"run", "saturation", "compare", "Program", "Run"} <= {name for name, _ in blocks}
    for name, text in blocks:
        (made,) = ast.parse(f"def {text}: ...").body
        assert isinstance(made, ast.FunctionDef)
        shown, real = made.args, inspect.signature(getattr(pt, name)).parameters.values()
        given = {
            inspect.Parameter.POSITIONAL_ONLY: shown.posonlyargs,
            inspect.Parameter.POSITIONAL_OR_KEYWORD: shown.args,
            inspect.Parameter.KEYWORD_ONLY: shown.kwonlyargs,
            inspect.Parameter.VAR_POSITIONAL: [shown.vararg] if shown.vararg else [],
            inspect.Parameter.VAR_KEYWORD: [shown.kwarg] if shown.kwarg else [],
        }
        for kind, arguments in given.items():
            expected = [each.name for each in real if each.kind is kind and each.name != "self"]
            assert [each.arg for each in arguments] == expected, (name, kind)


def test_every_command_and_option_is_described() -> None:
    page = reference.commands_page()
    for command in ("run", "check", "curve", "bench", "topology", "report", "presets", "study run"):
        assert f"## pantala {command}\n" in page
    assert {"FILE", "--out", "--overwrite", "--loads", "--plot"} <= rows(page)
    assert "[b]" not in page


@pytest.mark.parametrize("routing", ROUTINGS, ids=lambda routing: routing.name)
def test_every_routing_has_a_page_with_its_channels(routing: RoutingInfo) -> None:
    text = (DOCS / "explanation" / "routing" / f"{routing.page}.md").read_text(encoding="utf-8")
    assert re.search(rf"\| virtual channels \| {routing.virtual_channels}\b", text)
    in_2d = re.search(r"\| in two dimensions \| (.*?) \|", text)
    assert in_2d is not None
    sentence = in_2d[1].partition(" ")[0].rstrip(":;.,")
    assert sentence == (
        "no" if routing.virtual_channels_2d is None else str(routing.virtual_channels_2d)
    )
    index = (DOCS / "explanation" / "routing" / "index.md").read_text(encoding="utf-8")
    assert f"[{routing.name}]({routing.page}.md)" in index or f"`{routing.name}`" in index


def test_the_list_of_machine_presets_is_complete() -> None:
    text = (DOCS / "how-to" / "scenario.md").read_text(encoding="utf-8")
    paragraph = text[text.index("`pantala presets`") :].split("\n\n")[0]
    names = {name.partition("(")[0] for name in re.findall(r"`([^`]+)`", paragraph)}
    assert names - {"pantala presets", "pantala check --assumptions"} == set(machine_presets())


def test_pages_name_only_files_that_exist() -> None:
    for page in [*DOCS.parent.glob("*.md"), *DOCS.rglob("*.md")]:
        text = page.read_text(encoding="utf-8")
        paths = re.findall(r"`((?:crates|python|tools|tests|docs|schema)/[\w./-]+)`", text)
        paths += re.findall(r"(?<![\w/-])examples/[\w.]+", text)
        for path in paths:
            known = "NAME" in path or path.startswith("docs/_build")
            assert known or (DOCS.parent / path).exists(), f"{page}: {path}"


def test_guides_name_only_commands_that_exist() -> None:
    known = set(re.findall(r"^## pantala (\w+)", reference.commands_page(), re.MULTILINE))
    for page in [DOCS / "tutorial.md", DOCS / "own-program.md", *(DOCS / "how-to").glob("*.md")]:
        used = set(
            re.findall(
                r"^\$ pantala (\w+)|`pantala (\w+)", page.read_text(encoding="utf-8"), re.MULTILINE
            )
        )
        assert {first or second for first, second in used} <= known


def test_links_between_pages_have_targets() -> None:
    for page in [DOCS.parent / "README.md", *DOCS.rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page}: {target}"


PAGES = [
    page
    for page in [*DOCS.parent.glob("*.md"), *DOCS.rglob("*.md")]
    if page.name not in GENERATED
    and "studies" not in page.parts
    and DOCS / "reference" not in page.parents
]


@pytest.mark.parametrize(
    "page", [*DOCS.rglob("*.md")], ids=lambda page: str(page.relative_to(DOCS))
)
def test_a_page_is_plain_markdown(page: Path) -> None:
    """A code host shows directives of Sphinx and definition lists as they are written."""
    text = page.read_text(encoding="utf-8")
    assert not re.findall(r"^(?:```|:::)\{.*|^: .*", text, re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS.parent)))
def test_lines_end_at_100_columns(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    lines = [line for line in text.splitlines() if not re.match(r" {4}|\s*(\||!\[)", line)]
    assert [line for line in lines if len(line) > 100] == []
