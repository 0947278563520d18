"""Pipes and devices in place of the files of runs, stores and packs are refused at once."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import pantala as pt
from pantala.errors import RunDirectoryError
from pantala.experiments.cases_file import CASES_FILE
from pantala.files.run_directory import TABLES_FILE
from pantala.files.run_files import table_in_archive
from pantala.store.consolidate import Segments
from pantala.store.run_store import RunStore
from pantala.studies import Campaign, read_study
from pantala.studies.packs import unpack
from small_runs import small_run
from support import ROOT, Ended, one_line
from sweeps import scenario

Cli = Callable[..., Ended]
WORDS = {"pipe": "is a pipe, not a regular file", "zero": "is a device, not a regular file"}

pytestmark = pytest.mark.native


@pytest.fixture(params=list(WORDS))
def kind(request: pytest.FixtureRequest) -> str:
    """Returns a kind of file that does not end."""
    return str(request.param)


def replaced(path: Path, kind: str) -> Path:
    """Puts a pipe, or a link to a device, in place of a file."""
    path.unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(f"/dev/{kind}")
    return path


@pytest.mark.parametrize("table", ["jobs", "link_windows"])
def test_a_table_that_does_not_end_is_refused(
    cli: Cli, tmp_path: Path, kind: str, table: str
) -> None:
    run = tmp_path / "run"
    other = small_run(tmp_path / "other").path
    small_run(run)
    replaced(run / f"{table}.parquet", kind)
    told = f"{run}: {table}.parquet {WORDS[kind]}; give the command that wrote it again"
    commands: list[list[str | Path]] = [["report", run]]
    if table == "jobs":
        commands += [["metrics", "--run", run], ["compare", other, run]]
    for words in commands:
        assert one_line(cli(*words)).strip() == told
    ended = cli("explore", run, "--out", tmp_path / "page.html")
    assert ended.status in (0, 2)
    assert "Traceback" not in ended.err


def test_an_archive_that_does_not_end_is_refused(tmp_path: Path, kind: str) -> None:
    archive = replaced(tmp_path / TABLES_FILE, kind)
    with pytest.raises(RunDirectoryError, match=WORDS[kind]):
        table_in_archive(archive, "jobs.parquet")


def test_a_link_to_a_table_is_followed(tmp_path: Path) -> None:
    run = small_run(tmp_path / "run")
    moved = shutil.move(run.path / "jobs.parquet", tmp_path / "jobs.parquet")
    (run.path / "jobs.parquet").symlink_to(moved)
    assert pt.Run(run.path).jobs.collect().height == 2


def test_files_of_a_sweep_that_do_not_end_are_refused(cli: Cli, tmp_path: Path, kind: str) -> None:
    swept = pt.sweep(scenario(), seeds=2, out=tmp_path, workers=1)
    assert isinstance(swept, pt.Experiment)
    store = RunStore(tmp_path)
    (consolidated,) = (tmp_path / "tables" / "jobs").glob("*.parquet")
    replaced(consolidated, kind)
    assert Segments(store).scan("jobs") == (None, set())
    again = pt.load(tmp_path)
    assert isinstance(again, pt.Experiment)
    assert again.table("jobs").collect().height == 4  # of the runs themselves
    run = swept.cases["run"][0]
    whole = (store.path(run) / TABLES_FILE).read_bytes()
    replaced(store.path(run) / TABLES_FILE, kind)
    with pytest.raises(RunDirectoryError, match=WORDS[kind]):
        store.kept(run)
    (store.path(run) / TABLES_FILE).unlink()
    (store.path(run) / TABLES_FILE).write_bytes(whole)
    replaced(tmp_path / "experiments" / swept.name / CASES_FILE, kind)
    assert WORDS[kind] in one_line(cli("report", tmp_path))


def test_a_pack_that_does_not_end_is_refused(tmp_path: Path, kind: str) -> None:
    packs = tmp_path / "packs"
    packs.mkdir()
    replaced(packs / "0123456789ab.zip", kind)
    study = Campaign(read_study("study", ROOT / "examples/study"), tmp_path / "st", quick=False)
    with pytest.raises(RunDirectoryError, match=rf"\.zip: {WORDS[kind]}; remove it, or"):
        unpack(study, packs)
