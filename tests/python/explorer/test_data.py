"""The numbers of the explorer are those that its SQL gives on the tables of the run."""

from __future__ import annotations

import math
import os
import re
import shutil
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pantala as pt
from explored_runs import HOSTILE, asked, explored, hostile
from pantala.analysis.link_load import link_loads
from pantala.errors import RunDirectoryError, UsageError
from pantala.explorer.answers import ARGUMENTS, TABLES_OF_PAGE, answer, side_by_side
from pantala.explorer.cube import cube_of
from pantala.explorer.latencies import BINS
from pantala.explorer.packed import packed, unpacked
from pantala.explorer.page import write_page
from pantala.explorer.presence import time_inside
from pantala.explorer.sql import QUERIES
from pantala.explorer.subject import Subject, subject_of
from pantala.files.run_directory import EXPLORER_FOLDER
from pantala.results.run import Run
from pantala.run_tables.skipped_time import skipped_between
from support import SMALL

pytestmark = pytest.mark.native


@pytest.fixture(scope="module")
def subject(tmp_path_factory: pytest.TempPathFactory) -> Subject:
    return subject_of(pt.load(explored(tmp_path_factory.mktemp("explorer") / "run")))


def test_every_query_runs_with_and_without_its_choices(subject: Subject) -> None:
    chosen = {"job": 1, "class": "local", "group": 0, "router": 0, "link": 0}
    for view in QUERIES:
        if view in ("group", "router", "link", "packets", "queue", "waiters"):
            rows = asked(subject, view, **{"group": 0, "router": 0, "link": 20})
        else:
            rows = asked(subject, view)
        assert rows.height > 0, view
        asked(subject, view, **chosen)


@pytest.mark.parametrize(
    ("first", "last", "job", "kind"),
    [(0, 1000, None, None), (2, 9, None, None), (3, 4, 1, None), (1, 12, 0, "local")],
)
def test_the_matrix_of_groups_is_that_of_the_query(
    subject: Subject, first: int, last: int, job: int | None, kind: str | None
) -> None:
    run, cube = subject.run(0), subject.cube(0)
    assert cube is not None
    start = first * cube.window_ns
    end = min(last * cube.window_ns, run.document["simulated_ns"])
    groups, facts = subject.answer(0, "groups")
    pairs, _ = subject.answer(0, "pairs")
    code = None if kind is None else facts["classes"].index(kind)
    chosen = groups.filter(
        pl.col("window").is_between(first, last - 1),
        *([] if job is None else [pl.col("job") == job]),
        *([] if code is None else [pl.col("class") == code]),
    )
    counted = pairs if code is None else pairs.filter(pl.col("class") == code)
    counted = counted.group_by("source", "target").agg(pl.col("links").sum())
    key = ["source_group", "target_group"]
    mine = (
        chosen.group_by("source", "target")
        .agg(pl.col("busy_ns", "stall_ns").cast(pl.Float64).sum())
        .rename({"source": "source_group", "target": "target_group"})
        .with_columns(pl.col(key).cast(pl.UInt32))
        .join(counted.rename({"source": "source_group", "target": "target_group"}), on=key)
        .sort(key)
    )
    theirs = asked(subject, "groups", **{"from": start, "to": end, "job": job, "class": kind})
    assert mine.select(key).rows() == theirs.select(key).rows()
    for column, name in (("busy_ns", "load"), ("stall_ns", "stall")):
        ratio = mine[column] / (mine["links"] * (end - start))
        np.testing.assert_allclose(ratio, theirs[name], rtol=1e-6, atol=1e-12)


def test_the_windows_of_a_group_are_those_of_its_links(subject: Subject) -> None:
    group, _ = subject.answer(0, "group", 3)
    links, facts = subject.answer(0, "links")
    length = subject.facts(0)["window_ns"]
    terminal = facts["classes"].index("injection")
    own = links.filter(
        (pl.col("source_group") == 3)
        | ((pl.col("class") == terminal) & (pl.col("target_group") == 3))
    )
    assert set(group["link"]) <= set(own["link"])
    for link in own["link"]:
        theirs = asked(subject, "link", link=link)
        mine = group.filter(pl.col("link") == link).sort("window", "job")
        assert (mine["window"] * length).to_list() == theirs["window_start_ns"].to_list()
        for column in ("bytes", "busy_ns", "stall_ns"):
            np.testing.assert_allclose(mine[column], theirs[column], rtol=1e-6)


def test_peaks_are_the_highest_windows(subject: Subject) -> None:
    links, _ = subject.answer(0, "links")
    length, end = subject.facts(0)["window_ns"], subject.run(0).document["simulated_ns"]
    windows = asked(subject, "worst").with_columns(
        width=pl.min_horizontal(pl.lit(length), end - pl.col("window_start_ns"))
    )
    peaks = windows.group_by("link").agg(
        busy=(pl.col("busy_ns") / pl.col("width")).max().clip(0, 1),
        stall=(pl.col("stall_ns") / pl.col("width")).max().clip(0, 1),
    )
    both = links.join(peaks, on="link")
    assert both.height == peaks.height
    np.testing.assert_allclose(both["peak_busy"], both["busy"], rtol=1e-6)
    np.testing.assert_allclose(both["peak_stall"], both["stall"], rtol=1e-6)


def test_blame_is_that_of_the_query(subject: Subject) -> None:
    blame, _ = subject.answer(0, "blame")
    key = ["victim", "aggressor"]
    mine = blame.group_by(key).agg(pl.col("wait_ns").sum()).sort(key)
    theirs = asked(subject, "blame")
    assert mine.select(key).rows() == theirs.select(key).rows()
    np.testing.assert_allclose(mine["wait_ns"], theirs["wait_ns"], rtol=1e-9)


def test_packets_of_a_link_have_their_whole_path(subject: Subject) -> None:
    links, _ = subject.answer(0, "links")
    found = 0
    for link in links.filter(pl.col("source_router") >= 0)["link"]:
        rows, facts = subject.answer(0, "packets", link)
        theirs = asked(subject, "packets", link=link)
        assert facts["packets"] == theirs.height
        at = rows.filter(pl.col("at") == 1) if rows.height else rows
        assert at.height == theirs.height
        if rows.height:
            assert at["wait_ns"].to_list() == theirs["wait_ns"].to_list()
            assert set(at["next"]) == {link}
        found += at.height
    assert found > 100


def test_the_queue_of_a_link_is_that_of_the_query(subject: Subject) -> None:
    rows, _ = subject.answer(0, "queue", 20)
    theirs = asked(subject, "queue", link=20)
    assert rows.height > 1
    for column in ("window_start_ns", "occupancy_mean_flits", "occupancy_max_flits"):
        assert rows[column].to_list() == theirs[column].to_list()


@pytest.mark.parametrize(("first", "last", "job"), [(0, 1000, None), (2, 9, None), (3, 12, 1)])
def test_histograms_of_latency_are_those_of_the_query(
    subject: Subject, first: int, last: int, job: int | None
) -> None:
    run, length = subject.run(0), subject.facts(0)["window_ns"]
    rows, facts = subject.answer(0, "latencies")
    assert facts["sample"] == 20
    chosen = rows.filter(
        pl.col("window").is_between(first, last - 1),
        *([] if job is None else [pl.col("job") == job]),
    )
    mine = chosen.group_by("job", "bin").agg(pl.col("packets").sum()).sort("job", "bin")
    end = min(last * length, run.document["simulated_ns"] + 1)
    theirs = asked(subject, "latencies", **{"from": first * length, "to": end, "job": job})
    assert mine.rows() == theirs.rows()
    assert mine.height > 3


@given(st.floats(1, 1e9))
def test_a_latency_lies_in_its_bin(latency: float) -> None:
    bin_ = math.floor(math.log10(latency) * BINS)
    assert 10 ** (bin_ / BINS) <= latency * (1 + 1e-12)
    assert latency <= 10 ** ((bin_ + 1) / BINS) * (1 + 1e-12)


def test_phases_are_the_time_inside_each_call(subject: Subject) -> None:
    rows, _ = subject.answer(0, "phases")
    key = ["job", "call"]
    mine = rows.group_by(key).agg(pl.col("inside_ns").sum()).sort(key)
    theirs = asked(subject, "phases").filter(pl.col("inside_ns") > 1)
    assert mine.select(key).rows() == theirs.select(key).rows()
    np.testing.assert_allclose(mine["inside_ns"], theirs["inside_ns"], rtol=1e-6)
    # Together they are the time inside any call.
    windows = rows.group_by("window_start_ns", "job").agg(pl.col("inside_ns").sum())
    both = subject.answer(0, "presence")[0].join(windows, on=["window_start_ns", "job"])
    np.testing.assert_allclose(both["inside_ns"], both["inside_ns_right"], atol=1e-2)


def test_shares_of_paths_are_those_of_the_query(subject: Subject) -> None:
    rows, _ = subject.answer(0, "routing")
    ways = ["minimal", "nonminimal_at_source", "rerouted"]
    mine = rows.group_by("job").agg(pl.col(ways).sum()).sort("job")
    assert mine.rows() == [tuple(map(int, row)) for row in asked(subject, "shares").rows()]
    assert mine.select(pl.sum_horizontal(ways)).sum().item() == rows["packets"].sum()


def test_placement_on_routers_is_that_of_the_query(subject: Subject) -> None:
    rows, _ = subject.answer(0, "placement")
    mine = rows.group_by("job", "router").agg(pl.col("node").n_unique()).sort("job", "router")
    assert mine.rows() == asked(subject, "routers").rows()


def test_bands_are_those_of_the_query(subject: Subject) -> None:
    rows, _ = subject.answer(0, "bands")
    key = ["job", "motif", "iteration"]
    names = [*key, "start_ns", "end_ns"]
    assert rows.select(names).sort(key).rows() == asked(subject, "bands").select(names).rows()


def test_runs_side_by_side_have_the_same_links(subject: Subject) -> None:
    first, second = (subject.answer(*pair)[0] for pair in ((0, "beside", 1), (1, "beside", 0)))
    worst = set(subject.answer(0, "worst")[0]["link"]), set(subject.answer(1, "worst")[0]["link"])
    assert worst[0] < set(first["link"])
    assert worst[1] <= set(second["link"]) <= worst[0] | worst[1]
    # A link of the other run's worst has all of its windows.
    link = min(worst[1] - worst[0])
    theirs = asked(subject, "link", link=link)
    mine = first.filter(pl.col("link") == link).sort("window", "job")
    np.testing.assert_allclose(mine["busy_ns"], theirs["busy_ns"], rtol=1e-6)


def test_runs_on_other_machines_are_not_compared(subject: Subject) -> None:
    run, cube = subject.run(0), subject.cube(0)
    plan = run.plan | {"topology": run.plan["topology"] | {"g": 5}}
    other = cast("Run", SimpleNamespace(plan=plan))
    rows, facts = side_by_side(run, cube, other, cube)
    assert rows.is_empty()
    assert "machines of the two runs differ" in facts["remedy"]


def test_presence_is_the_time_inside_calls(subject: Subject) -> None:
    rows, _ = subject.answer(0, "presence")
    mine = rows.group_by("job").agg(pl.col("inside_ns").sum()).sort("job")
    theirs = asked(subject, "presence").sort("job")
    np.testing.assert_allclose(mine["inside_ns"], theirs["inside_ns"], rtol=1e-9)
    assert (rows["inside_ns"] <= rows["ranks"] * 1000.0 + 1e-6).all()


@given(st.lists(st.tuples(st.floats(0, 90), st.floats(0, 30))), st.integers(1, 9))
def test_time_inside_windows_is_the_sum_of_overlaps(
    calls: list[tuple[float, float]], number: int
) -> None:
    starts = np.array([start for start, _ in calls])
    ends = np.array([start + length for start, length in calls])
    edges = np.linspace(0, 120, number + 1)
    expected = [
        sum(
            max(0.0, min(end, high) - max(start, low))
            for start, end in zip(starts, ends, strict=True)
        )
        for low, high in pairwise(edges)
    ]
    np.testing.assert_allclose(time_inside(starts, ends, edges), expected, atol=1e-9)


def argument_of(name: str) -> int | None:
    return {"beside": 1, "group": 3}.get(name, 20) if name in ARGUMENTS else None


def test_a_packed_table_is_unpacked_whole(subject: Subject) -> None:
    for name in TABLES_OF_PAGE:
        frame, facts = subject.answer(0, name, argument_of(name))
        back, again = unpacked(packed(frame, **facts))
        assert back.height == frame.height
        assert again.keys() == facts.keys()
        for column in frame.columns:
            if frame[column].dtype.is_numeric() and not frame[column].null_count():
                assert back[column].to_list() == frame[column].to_list(), (name, column)


def test_the_cube_is_kept_and_made_again_when_the_run_changes(tmp_path: Path) -> None:
    run = pt.load(explored(tmp_path / "run")).together  # type: ignore[union-attr]
    cube_of(run)
    stamp = run.path / EXPLORER_FOLDER / "cube.json"
    first = stamp.stat().st_mtime_ns
    cube_of(run)
    assert stamp.stat().st_mtime_ns == first
    os.utime(run.path / "link_windows.parquet", ns=(1, 1))
    cube_of(run)
    assert stamp.stat().st_mtime_ns != first
    (run.path / EXPLORER_FOLDER / "groups.parquet").write_bytes(b"no table")
    cube = cube_of(run)
    assert cube is not None
    assert cube.groups.collect().height > 0


def test_windows_beyond_the_most_are_joined(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = pt.load(explored(tmp_path / "run")).together  # type: ignore[union-attr]
    whole = cube_of(run)
    assert whole is not None
    total = whole.groups.select(pl.col("busy_ns", "stall_ns").sum()).collect().row(0)
    (run.path / EXPLORER_FOLDER / "cube.json").unlink()
    monkeypatch.setattr("pantala.explorer.cube.MOST_WINDOWS", 5)
    monkeypatch.setattr("pantala.run_tables.time_slices.PART_ROWS", 100)
    joined = cube_of(run)
    assert joined is not None
    assert joined.windows <= 5
    assert joined.window_ns == whole.window_ns * joined.joined
    again = joined.groups.select(pl.col("busy_ns", "stall_ns").sum()).collect().row(0)
    assert again == pytest.approx(total)
    keys = joined.links.select("link", "window", "job").collect()
    assert keys.is_unique().all()


def test_windows_of_skipped_time_join_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that simulated a part of its time has windows as short as that part allows."""
    (tmp_path / "long.toml").write_text(re.sub(r"iterations = \d+", "iterations = 400", SMALL))
    scenario = pt.Scenario.from_toml(tmp_path / "long.toml").replace(
        {"skip": "20 %", "interference": False, "record": {"window": "1 us"}}
    )
    run = pt.run(scenario, tmp_path / "run", report=False, progress=False)
    assert isinstance(run, Run)
    end = float(run.document["simulated_ns"])
    simulated = math.ceil((end - skipped_between(run, 0, end)) / 1000)
    assert simulated < 0.5 * end / 1000
    monkeypatch.setattr("pantala.explorer.cube.MOST_WINDOWS", simulated)
    cube = cube_of(run)
    assert (cube.joined, cube.windows) == (1, math.ceil(end / 1000))
    loads = link_loads(run).links.filter(pl.col("peak_utilization") > 0)
    peaks = cube.peaks.collect().join(loads, on="link")
    assert peaks["peak_busy"].to_list() == pytest.approx(peaks["peak_utilization"].to_list())


def test_a_damaged_table_is_a_sentence_and_other_views_work(tmp_path: Path) -> None:
    path = explored(tmp_path / "run")
    together = (path / "together").resolve()
    (together / "link_windows.parquet").write_bytes(b"PAR1 no more")
    subject = subject_of(pt.load(path))
    assert any("link_windows.parquet is damaged" in fault for fault in subject.facts(0)["faults"])
    assert "link_windows" in subject.facts(0)["missing"]
    assert subject.answer(0, "blame")[0].height > 0
    with pytest.raises(RunDirectoryError):
        subject.answer(0, "groups")


def test_an_interrupted_experiment_opens_with_its_finished_runs(tmp_path: Path) -> None:
    path = explored(tmp_path / "run")
    shutil.rmtree((path / "together").resolve())
    subject = subject_of(pt.load(path))
    assert subject.titles == ["alone-cube", "alone-halo"]
    assert "was interrupted before the jobs ran together" in subject.facts(0)["faults"][0]
    assert subject.answer(1, "groups")[0].height > 0
    assert subject.words(0)["faults"] == []


def test_tables_that_are_not_there_are_refused(subject: Subject) -> None:
    wrong: tuple[tuple[str, Any], ...] = (("passwords", None), ("groups", 1), ("group", None))
    for name, argument in wrong:
        with pytest.raises(UsageError, match="has no table"):
            answer(subject.run(0), subject.cube(0), name, argument)
    with pytest.raises(UsageError, match="there is no run 9"):
        subject.run(9)


def test_names_from_files_are_text(tmp_path: Path) -> None:
    subject = subject_of(pt.load(hostile(tmp_path / "run")))
    assert HOSTILE in subject.facts(0)["jobs"]
    out = tmp_path / "page.html"
    write_page(subject, out)
    text = out.read_text(encoding="utf-8")
    assert HOSTILE not in text
    assert "<img src=x" not in text


def test_words_are_those_of_the_report(subject: Subject) -> None:
    from pantala.report.finding import finding_of

    assert subject.experiment is not None
    words = subject.words(0)
    assert " ".join(each["text"] for each in words["finding"]) == finding_of(subject.experiment)
    assert len(words["causes"]) == 2
    assert subject.words(0) == words


def test_a_run_that_cannot_be_written_has_its_cube_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    run = pt.load(explored(tmp_path / "run")).together  # type: ignore[union-attr]
    monkeypatch.setattr("pantala.explorer.cube.write_table", refused)
    cube = cube_of(run)
    assert cube.groups.collect().height > 0
    assert not (run.path / EXPLORER_FOLDER).exists()


def test_without_link_windows_the_cube_has_one_window(tmp_path: Path) -> None:
    run = pt.load(explored(tmp_path / "run")).together  # type: ignore[union-attr]
    whole = cube_of(run).groups.select(pl.col("busy_ns", "stall_ns").sum()).collect().row(0)
    windows = pl.read_parquet(run.path / "link_windows.parquet")
    windows.clear().write_parquet(run.path / "link_windows.parquet")
    again = Run(run.path)
    cube = cube_of(again)
    assert (cube.windows, cube.window_ns) == (1, run.document["simulated_ns"])
    sums = cube.groups.select(pl.col("busy_ns", "stall_ns").sum()).collect().row(0)
    assert sums == pytest.approx(whole)
