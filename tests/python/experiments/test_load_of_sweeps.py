"""What opens and converts the results of a sweep: `pantala.load`, pandas, files that are read."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import ClassVar, cast
from xml.etree import ElementTree

import polars as pl
import pytest

import pantala as pt
from pantala.catalogue.tables import TABLES
from pantala.cli import main
from pantala.export import write_graphml
from pantala.store import index
from pantala.store.run_store import RunStore
from pantala.system.system_errors import number_in, remedy_of
from sweeps import scenario


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> pt.Experiment:
    """Returns a sweep of two seeds."""
    made: pt.Experiment = pt.sweep(
        scenario(), seeds=2, out=tmp_path_factory.mktemp("sweep"), workers=1
    )
    return made


def test_load_opens_a_sweep_by_either_path(swept: pt.Experiment) -> None:
    for place in (swept.path, swept.path / "experiments" / swept.name):
        opened = pt.load(place)
        assert isinstance(opened, pt.Experiment)
        assert opened.cases.equals(swept.cases)
    assert isinstance(pt.load(swept.run(swept.cases["run"][0]).path), pt.Run)


def test_a_table_of_a_sweep_converts_to_pandas(swept: pt.Experiment) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    table = swept.table("jobs")
    frame = table.to_pandas()  # type: ignore[attr-defined]
    assert list(frame.columns) == table.collect_schema().names()
    assert len(frame) == table.collect().height == 4


def test_a_figure_of_a_sweep_says_which_command_draws_it(
    swept: pt.Experiment, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["figure", "slowdown-bars", str(swept.path)])
    assert stopped.value.code == 2
    text = capsys.readouterr().err
    assert "is a sweep of 2 runs; draw " in text
    assert len(text.splitlines()) == 1


def test_graphml_has_routers_whose_links_have_all_failed(tmp_path: Path) -> None:
    class Bare:
        """A run whose routers have lost every link of the network."""

        links = pl.LazyFrame(schema=TABLES["links"].polars_schema)
        plan: ClassVar = {"derived": {"routers": 6, "groups": 3}}
        caveats: ClassVar = ()

    write_graphml(cast("pt.Run", Bare()), tmp_path / "bare.graphml")
    nodes = [
        (node.get("id"), node[0].text)
        for node in ElementTree.parse(tmp_path / "bare.graphml").iter(
            "{http://graphml.graphdrawing.org/xmlns}node"
        )
    ]
    assert nodes == [("r0", "0"), ("r1", "0"), ("r2", "1"), ("r3", "1"), ("r4", "2"), ("r5", "2")]


def test_the_remedy_of_a_full_disk_names_another_place_only_if_that_helps() -> None:
    number = number_in("No space left on device")
    assert remedy_of(number) == "make room, or choose another --out"
    assert remedy_of(number, elsewhere=False) == "make room"
    assert remedy_of(number_in("Permission denied")) is None


def test_a_pipe_in_the_place_of_a_description_is_refused(
    swept: pt.Experiment, tmp_path: Path
) -> None:
    folder = tmp_path / "experiments" / "tiny"
    folder.mkdir(parents=True)
    os.mkfifo(folder / "experiment.json")
    with pytest.raises(pt.RunDirectoryError, match="is a pipe, not a regular file"):
        pt.load(tmp_path)


def test_a_store_without_index_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = pt.sweep(scenario(), seeds=3, out=tmp_path / "sweep", workers=1)
    shutil.rmtree(made.path / "index")
    read: list[str] = []

    def counted(store: RunStore, run: str) -> index.Entry:
        read.append(run)
        return entry_of(store, run)

    entry_of = index.entry_of
    monkeypatch.setattr(index, "entry_of", counted)
    assert pt.sweep(scenario(), seeds=3, out=made.path, workers=1).cases.equals(made.cases)
    assert len(read) == len(set(read)) == 3


def test_the_index_reads_whole_lines_beside_half_written_ones(
    swept: pt.Experiment, tmp_path: Path
) -> None:
    root = tmp_path / "store"
    shutil.copytree(swept.path, root)
    whole = index.Index(RunStore(root)).refresh()
    (file,) = (root / "index").glob("*.jsonl")
    lines = file.read_text().splitlines()
    file.write_text("\n".join([lines[0][:20], *lines, "[1, 2]", lines[1][:-9]]))
    assert index.Index(RunStore(root)).read() == whole
    file.write_text("\n".join(lines))
    assert index.Index(RunStore(root)).read() == whole


def test_a_comparison_opens_one_run_of_each_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The metrics of 100,000 runs are read from tables of the experiment."""
    opened: list[str] = []
    run_of = pt.Experiment.run

    def counted(self: pt.Experiment, run: str) -> pt.Run:
        opened.append(run)
        return run_of(self, run)

    monkeypatch.setattr(pt.Experiment, "run", counted)
    workload = {"kind": "pattern", "pattern": "uniform", "load": 0.1}
    traffic = {"name": "traffic", "ranks": 16, "workload": workload}
    endless = scenario().replace({"jobs": [traffic], "stop.duration": "5 us"})
    places = [tmp_path / name for name in ("one", "two")]
    for place in places:
        pt.sweep(endless, seeds=3, out=place, workers=1)
    found = pt.compare({place.name: place for place in places})
    assert any(row.metric == "accepted_throughput" for row in found.rows)
    assert len(opened) == 2
