"""Records of ranks and of latencies over time, from the scenario to tables, profile and trace."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import pantala as pt
from pantala.analysis.profile import call_profile
from pantala.cli import app
from pantala.export import write_perfetto
from pantala.store.identity import run_id
from recorded import recorded_scenario
from trace_processor import open_trace

pytestmark = pytest.mark.native

RECORD = {
    "packets": "all",
    "latency_windows": "20 us",
    "unexpected": True,
    "rank_messages": True,
    "rank_calls": True,
    "call_events": {"jobs": ["ring"], "ranks": [0, 3]},
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> pt.Run:
    out = tmp_path_factory.mktemp("ranks") / "run"
    found = pt.run(recorded_scenario(RECORD), out=out, report=False)
    assert isinstance(found, pt.Run)
    return found


def test_a_plan_has_only_the_records_that_are_on() -> None:
    absent = recorded_scenario({}).resolve()
    off = {"unexpected": False, "rank_messages": False, "rank_calls": False}
    assert run_id(recorded_scenario(off).resolve()) == run_id(absent)
    assert not set(RECORD) & (set(absent["record"]) - {"packets"})
    record = recorded_scenario(RECORD).resolve()["record"]
    assert record["latency_windows_ps"] == 20_000_000
    assert record["call_events"] == {"jobs": ["ring"], "ranks": [0, 3]}


def test_a_job_alone_records_its_own_calls() -> None:
    resolved = recorded_scenario(RECORD).resolved_plan()
    assert resolved.subset(["ring"], "alone")["record"]["call_events"]["ranks"] == [0, 3]
    assert "call_events" not in resolved.subset(["other"], "alone")["record"]


def test_percentiles_are_those_of_the_packets(run: pt.Run) -> None:
    packets = run.packets.with_columns(
        window_start_ns=(pl.col("delivered_ns") // 20_000) * 20_000
    ).collect()
    windows = run.latency_windows.filter(pl.col("kind") == "packet").collect()
    assert windows["exact"].all()
    assert windows["count"].sum() == packets.height
    for (job, start), found in packets.group_by("job", "window_start_ns"):
        row = windows.row(
            by_predicate=(pl.col("job") == job) & (pl.col("window_start_ns") == start), named=True
        )
        ordered = found["latency_ns"].sort()
        for column, share in (("p5_ns", 500), ("p50_ns", 5_000), ("p99_9_ns", 9_990)):
            place = max(1, -(-found.height * share // 10_000)) - 1
            assert row[column] == ordered[place]


def test_ranks_sum_to_their_job(run: pt.Run) -> None:
    calls = run.rank_calls.group_by("job", "call").agg(pl.col("calls", "bytes").sum())
    assert (
        calls.sort("job", "call")
        .collect()
        .equals(run.calls.select("job", "call", "calls", "bytes").sort("job", "call").collect())
    )
    sums = run.rank_messages.group_by("direction").agg(pl.col("messages", "unexpected").sum())
    messages = run.messages.collect()
    row = (messages.height, messages["unexpected"].sum())
    assert sums.sort("direction").collect().rows() == [("received", *row), ("sent", *row)]


def test_a_profile_has_the_spread_over_ranks(run: pt.Run) -> None:
    calls = pl.DataFrame(
        {"call": ["send", "wait"], "calls": [4, 2], "bytes": [100, 0], "time_ns": [10.0, 40.0]}
    )
    ranks = pl.DataFrame({"rank": [0, 1], "start_ns": [0.0, 50.0], "end_ns": [60.0, 90.0]})
    by_rank = pl.DataFrame(
        {
            "rank": [0, 0, 1],
            "call": ["send", "wait", "wait"],
            "calls": [4, 1, 1],
            "time_ns": [10.0, 15.0, 25.0],
        }
    )
    assert call_profile(calls, ranks, by_rank).rows() == [
        ("wait", 2, 0.0, 20.0, 0.4, 2, 15.0, 25.0, 1),
        ("send", 4, 25.0, 5.0, 0.1, 1, 0.0, 10.0, 0),
    ]
    command = ["profile", str(run.path), "ring"]
    shown = CliRunner().invoke(app, command, catch_exceptions=False).stdout
    assert "of rank" in shown
    printed = CliRunner().invoke(app, [*command, "--json"], catch_exceptions=False).stdout
    for call in json.loads(printed)[0]["calls"]:
        assert call["time_min_ns"] <= call["time_mean_ns"] <= call["time_max_ns"]


def test_a_trace_has_the_recorded_calls_in_their_iterations(run: pt.Run, tmp_path: Path) -> None:
    path = tmp_path / "run.pftrace"
    write_perfetto(run, path)
    slices = (
        "select thread.name as rank, slice.name as name, ts, ts + dur as until"
        " from slice join thread_track on track_id = thread_track.id join thread using (utid)"
        " where slice.name not like '% B %'"  # the messages
    )
    with open_trace(path) as reader:
        found = [(each.rank, each.name, each.ts, each.until) for each in reader.query(slices)]
    calls = run.call_events.collect()
    assert set(calls["rank"]) == {0, 3}
    iterations = run.iterations.select("start_ns", "end_ns").collect()
    times = pl.concat([calls.select("start_ns", "end_ns"), iterations]).rows()
    drawn = sorted((begin, end) for _, _, begin, end in found)
    assert drawn == sorted((round(start), round(end)) for start, end in times)
    names = {name for rank, name, _, _ in found if rank == "rank 1"}
    assert all(name.startswith("iteration") for name in names)


@pytest.mark.parametrize(
    ("record", "text"),
    [
        ({"latency_windows": "0 ns"}, "must be more than zero"),
        ({"unexpected": True, "messages": False}, "so no message has a row"),
        ({"call_events": {"jobs": ["rin"]}}, "no job has this name"),
        ({"call_events": {"ranks": [8]}}, "at most 8 ranks"),
    ],
)
def test_records_of_ranks_that_cannot_be_are_refused(record: object, text: str) -> None:
    with pytest.raises(pt.ScenarioError, match=text) as found:
        recorded_scenario(record).resolve()
    assert "\n" not in str(found.value)
