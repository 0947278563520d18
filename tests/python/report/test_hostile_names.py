"""A forged run directory, whose job is named in markup, makes no page, figure or graph unsafe."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from explored_runs import HOSTILE, hostile
from support import Ended

Cli = Callable[..., Ended]
pytestmark = [pytest.mark.native, pytest.mark.slow]


@pytest.fixture(scope="module")
def forged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns an interference experiment with a hostile job."""
    return hostile(tmp_path_factory.mktemp("forged") / "run")


def test_pages_show_the_name_as_text(cli: Cli, forged: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    shutil.copytree(forged, again, symlinks=True)
    made = {
        "report.html": ("report", forged),
        "run.html": ("report", forged / "together"),
        "compare.html": ("compare", forged, again),
        "explore.html": ("explore", forged),
    }
    for name, words in made.items():
        ended = cli(*words, "--out", tmp_path / name)
        assert ended.status == 0, (name, ended.err)
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert "<img src=x" not in text, name
        assert HOSTILE not in text, name
        # The name is there, as text: in HTML or as JSON of a script.
        assert re.search(r"img src=x onerror", text), name


def test_figures_and_graphs_show_the_name_as_text(cli: Cli, forged: Path, tmp_path: Path) -> None:
    figure = cli(
        "figure", "placement-map", forged / "together", "--out", tmp_path / "placement.svg"
    )
    assert figure.status == 0, figure.err
    graph = cli(
        "export", forged / "together", "--format", "graphml", "--out", tmp_path / "run.graphml"
    )
    assert graph.status == 0, graph.err
    for path in (*tmp_path.glob("*.svg"), tmp_path / "run.graphml"):
        text = path.read_text(encoding="utf-8")
        assert "<img" not in text
        tree = ElementTree.fromstring(text)
        assert not [each for each in tree.iter() if each.tag.endswith(("}script", "}img"))]


@pytest.mark.parametrize("part", ["../../outside", "/outside", "..", "a/../../outside"])
def test_a_forged_list_of_parts_writes_nothing_elsewhere(
    cli: Cli, forged: Path, tmp_path: Path, part: str
) -> None:
    copy = tmp_path / "deep/copy"
    shutil.copytree(forged, copy, symlinks=True)
    document = json.loads((copy / "interference.json").read_text())
    for each in document["parts"]:
        each["directory"] = part
        each.pop("run", None)
    (copy / "interference.json").write_text(json.dumps(document))
    before = {path for path in tmp_path.rglob("*") if copy not in path.parents}
    ended = cli("report", copy)
    assert ended.status in (0, 2)
    assert {path for path in tmp_path.rglob("*") if copy not in path.parents} == before


def test_members_of_a_forged_archive_stay_inside(tmp_path: Path) -> None:
    """Archives are read by the names of tables, never unpacked by the names that they hold."""
    import zipfile

    from pantala.store.run_store import RunStore

    store = RunStore(tmp_path / "store")
    run = "ab" + 18 * "0"
    path = store.path(run)
    path.mkdir(parents=True)
    (path / "run.json").write_text("{}")
    with zipfile.ZipFile(path / "tables.zip", "w") as archive:
        archive.writestr("../../../../jobs.parquet", b"x")
        archive.writestr("/tmp/evil.parquet", b"x")
    before = set(tmp_path.rglob("*"))
    assert not store.has(run, ["jobs"])
    assert set(tmp_path.rglob("*")) == before
