"""Busy time of links in windows: measured, or estimated from bytes within bounds."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pantala as pt
from pantala.analysis.binding import bindings_of
from pantala.analysis.link_busy import busy_windows
from pantala.analysis.link_load import link_loads
from pantala.explorer.sql import filled, queries_of
from pantala.explorer.subject import subject_of
from pantala.figures.link_time import links_over_time_table
from pantala.report.finding import hottest_sentence
from pantala.report.reported_run import ReportedRun

#: Of the runs made by hand: bytes of a flit, which take as many ns; ns of a window.
FLIT, WINDOW = 10, 100


def flits(size: int) -> int:
    return -(-size // FLIT)


def made(
    windows: list[list[int]],
    *,
    cut: float = 0.0,
    ports: bool = False,
    start: float = 0.0,
) -> Any:
    """Returns a run of one link: the sizes of its packets by window, each sent inside it.

    Args:
        windows: the sizes of packets.
        cut: the time in ns that the last window lacks.
        ports: whether the run recorded port_windows, two for each window.
        start: the start of the job.
    """
    end = len(windows) * WINDOW - cut
    busy = [float(FLIT * sum(map(flits, sizes))) for sizes in windows]
    used = [at for at, sizes in enumerate(windows) if sizes]
    record: dict[str, Any] = {"window_ps": WINDOW * 1000}
    tables: dict[str, Any] = {
        "jobs": {"job": [0], "name": ["a"], "start_ns": [start], "end_ns": [end]},
        "links": {
            "link": [0],
            "class": ["local"],
            "bytes": [sum(map(sum, windows))],
            "busy_ns": [sum(busy)],
            "stall_ns": [0.0],
            "utilization": [sum(busy) / end],
            "source_group": [0],
            "source_router": [0],
            "target_router": [1],
        },
        "link_windows": {
            "link": [0] * len(used),
            "window_start_ns": [float(WINDOW * at) for at in used],
            "job": [0] * len(used),
            "bytes": [sum(windows[at]) for at in used],
            "stall_ns": [0.0] * len(used),
        },
    }
    if ports:
        record["ports"] = {"windows_ps": [WINDOW * 500]}
        half = WINDOW / 2
        tables["port_windows"] = {
            "window_ns": [half] * (2 * len(busy)),
            "window_start_ns": [at * half for at in range(2 * len(busy))],
            "link": [0] * (2 * len(busy)),
            "busy_ns": [part for each in busy for part in (min(each, half), max(0, each - half))],
        }
    plan = {
        "name": "made",
        "packet_bytes": 4 * FLIT,
        "flit_bytes": FLIT,
        "derived": {"flit_time_ps": {"local": 1000 * FLIT}},
        "record": record,
        "jobs": [{"name": "a", "workload": {"kind": "pattern"}}],
    }
    frames = {
        name: pl.LazyFrame(columns, schema_overrides={"job": pl.UInt16, "bytes": pl.UInt64})
        if "job" in columns
        else pl.LazyFrame(columns)
        for name, columns in tables.items()
    }
    return SimpleNamespace(document={"plan": plan, "simulated_ns": end}, **frames)


def sentence(run: Any) -> str:
    found = hottest_sentence(ReportedRun("made", run, {}, None))
    return found.replace("\N{NO-BREAK SPACE}", " ")


#: Sizes of the packets of a window: at most 10 flits, so the window is never overfull.
SIZES = st.lists(st.integers(1, 4 * FLIT), max_size=10).filter(
    lambda sizes: sum(map(flits, sizes)) <= WINDOW / FLIT
)


@given(st.lists(SIZES, min_size=1, max_size=6).filter(any))
def test_measured_windows_are_exact_and_estimates_within_their_bounds(
    windows: list[list[int]],
) -> None:
    truth = max(FLIT * sum(map(flits, sizes)) / WINDOW for sizes in windows)
    total = FLIT * sum(flits(size) for sizes in windows for size in sizes)
    measured = link_loads(made(windows, ports=True)).links.row(0, named=True)
    for column in ("peak_utilization", "peak_at_least", "peak_at_most"):
        assert measured[column] == pytest.approx(truth)
    assert measured["padding_share"] == 0
    estimate = link_loads(made(windows)).links.row(0, named=True)
    assert estimate["peak_at_least"] <= truth + 1e-9
    assert estimate["peak_at_most"] >= truth - 1e-9
    for ports in (False, True):
        found = busy_windows(made(windows, ports=ports))
        (part,) = found.parts
        assert part.select(found.busy_ns).collect().item() == pytest.approx(total)


def test_packets_without_payload_bound_no_window() -> None:
    run = made([[0] * 10, []])
    run.links = run.links.with_columns(busy_ns=100.0, utilization=0.5)
    loads = link_loads(run)
    assert loads.links["peak_at_most"].to_list() == [1.0]
    assert not loads.none_saturated


def test_small_packets_are_seen_where_they_are_measured_and_said_where_not() -> None:
    # Ten packets of one byte fill a window; one packet of 40 bytes fills two fifths.
    windows = [[1] * 10, [4 * FLIT], []]
    assert ", and 100 % of its peak window, which starts at 0 ns" in sentence(
        made(windows, ports=True)
    )
    assert "1 link exceeds 95 % in at least one window (1 local)." in sentence(
        made(windows, ports=True)
    )
    # 140 ns for 50 bytes: the estimate takes the window of 40 bytes for the fuller one.
    assert "100 % of its peak window (estimated from bytes), which starts at 100 ns" in sentence(
        made(windows)
    )
    assert "By an estimate from bytes, 1 link exceeds 95 %" in sentence(made(windows))
    assert "By an estimate from bytes, no link exceeds 95 % in any window." in sentence(
        made([[1] * 10, [4 * FLIT], [4 * FLIT]])
    )
    assert "estimated" not in sentence(made([[4 * FLIT] * 2] * 3))


def test_a_last_window_counts_with_its_own_length() -> None:
    # The run ends at 180 ns, and the link is busy for the last 80 ns.
    run = made([[FLIT], [4 * FLIT] * 2], cut=20)
    assert "50 % of the time, and 100 % of its peak window" in sentence(run)
    assert "which starts at 100 ns and lasts 80 ns. 1 link exceeds 95 %" in sentence(run)


def test_a_last_window_shorter_than_a_tenth_is_no_peak() -> None:
    run = made([[4 * FLIT] * 2, [1]], cut=91, ports=True)
    assert ", and 80 % of its peak window, which starts at 0 ns and lasts 100 ns" in sentence(run)
    assert link_loads(run).links["saturated_windows"].to_list() == [0]
    (link,), cells, _ = links_over_time_table(run, "load", ("local",))
    assert (link["peak"], cells[0, 0]) == (pytest.approx(0.8), pytest.approx(0.8))


def test_a_job_that_starts_late_has_the_time_in_which_it_ran() -> None:
    run = made([[], [], [4 * FLIT], [4 * FLIT]], start=200.0)
    assert sentence(run).startswith("In the 200 ns in which a ran, the hottest link is")
    assert "It is busy 40 % of the time" in sentence(run)
    assert sentence(made([[FLIT]] * 2)).startswith("Over the whole run, the hottest link is")


PROGRAM = """
def program(mpi):
    for _ in range(400):
        mpi.send(1, 1) if mpi.rank == 0 else mpi.recv(0, 1)
    mpi.compute("4 us")
    for _ in range(10):
        mpi.send(1, 12000) if mpi.rank == 0 else mpi.recv(0, 12000)
        mpi.compute("2 us")
"""


@pytest.mark.native
def test_report_explorer_queries_and_figures_take_measured_times(tmp_path: Path) -> None:
    (tmp_path / "small.py").write_text(PROGRAM)
    (tmp_path / "small.toml").write_text(
        """
        name = "small"
        routing = "minimal"
        machine = { preset = "kang2022", topology = { p = 2, a = 4, h = 2, g = 9 } }
        record = { window = "1 us", ports = { windows = ["500 ns"] } }
        [[jobs]]
        name = "a"
        ranks = 2
        placement = { kind = "nodes", nodes = [0, 2] }
        workload = { kind = "python", file = "small.py" }
        """
    )
    run = pt.run(pt.Scenario.from_toml(tmp_path / "small.toml"), out=tmp_path / "run", report=False)
    assert isinstance(run, pt.Run)
    end = float(run.document["simulated_ns"])
    start = (pl.col("window_start_ns") / 1000 + 1e-6).floor()
    windows = (
        run.port_windows.group_by("link", window=start)
        .agg(pl.col("busy_ns").sum())
        .filter(end - pl.col("window") * 1000 >= 100)
        .with_columns(
            share=pl.col("busy_ns") / pl.min_horizontal(1000.0, end - pl.col("window") * 1000)
        )
        .collect()
    )
    truth = windows.group_by("link").agg(pl.col("share").max().clip(0, 1)).sort("link")
    assert truth["share"].max() == pytest.approx(1.0, abs=0.01)
    used = link_loads(run).links.filter(pl.col("bytes") > 0).sort("link")
    assert used["peak_utilization"].to_list() == pytest.approx(truth["share"].to_list())
    sent = run.link_windows.select("link", "bytes", window=start.cast(pl.Float64)).collect()
    local = sent.join(windows, on=["link", "window"]).join(used.select("link", "class"), on="link")
    local = local.filter(pl.col("class") == "local")
    weighed = pl.col("bytes") * pl.col("share").clip(0, 1)
    along = local.select(weighed.sum() / pl.col("bytes").sum()).item()
    assert bindings_of(run)["a"].shares["local"] == pytest.approx(along, rel=1e-3)
    subject = subject_of(run)
    links, _ = subject.answer(0, "links")
    peaks = links.filter(pl.col("link").is_in(truth["link"].to_list()))["peak_busy"]
    assert peaks.to_list() == pytest.approx(truth["share"].to_list(), rel=1e-6)
    values = {"dir": run.path, "from": 0, "to": end, "time": end, "window": 1000, "end": end}
    found = duckdb.execute(filled("hottest", values | {"most": 99}, queries_of(run))).fetchall()
    assert {row[0]: pytest.approx(row[2]) for row in found} == dict(truth.iter_rows())
    rows, _, _ = links_over_time_table(run, "load")
    known = dict(truth.iter_rows())
    assert all(row["peak"] == pytest.approx(known[row["link"]]) for row in rows)
