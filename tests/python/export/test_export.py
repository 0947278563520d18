"""Exports are read back: GraphML, Perfetto, xarray."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest
from perfetto.common.exceptions import PerfettoException
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent
from typer.testing import CliRunner

import pantala as pt
from pantala.cli import app
from pantala.errors import UsageError
from pantala.export import to_xarray, write_perfetto
from pantala.run_tables.skipped_time import skipped_spans
from sweeps import scenario
from trace_processor import open_trace

pytestmark = pytest.mark.native


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> pt.Run:
    changes = {"record.window": "2 us", "record.system": {"windows": ["5 us"], "by_job": True}}
    out = tmp_path_factory.mktemp("export") / "run"
    found = pt.run(scenario().replace(changes), out=out, report=False)
    assert isinstance(found, pt.Run)
    return found


def export(run: pt.Run, *words: str) -> str:
    done = CliRunner().invoke(app, ["export", str(run.path), *words], catch_exceptions=False)
    assert done.exit_code == 0
    return done.output


def test_exports_of_a_run_that_skips_time_say_so(tmp_path: Path) -> None:
    skipping = scenario().replace({"skip": "20 %"})
    found = pt.run(skipping, out=tmp_path / "run", report=False)
    assert isinstance(found, pt.Run)
    said = export(found, "--format", "graphml", "--out", str(tmp_path / "net.graphml"))
    text = found.document["skipped"]["text"][1:]
    assert text in said
    assert text in (tmp_path / "net.graphml").read_text()


def test_graphml_has_the_links_between_routers(run: pt.Run, tmp_path: Path) -> None:
    export(run, "--format", "graphml", "--out", str(tmp_path / "net.graphml"))
    root = ElementTree.parse(tmp_path / "net.graphml").getroot()
    space = {"g": "http://graphml.graphdrawing.org/xmlns"}
    edges = root.findall(".//g:edge", space)
    links = run.links.filter(pl.col("source_router").is_not_null(), pl.col("node").is_null())
    expected = links.collect()
    assert len(edges) == expected.height
    assert len(root.findall(".//g:node", space)) == expected["source_router"].n_unique()
    sent = sum(int(edge.findtext("g:data[@key='bytes']", "0", space)) for edge in edges)
    assert sent == expected["bytes"].sum()


def test_a_perfetto_trace_has_ranks_iterations_messages_and_links(
    run: pt.Run, tmp_path: Path
) -> None:
    export(run, "--format", "perfetto", "--out", str(tmp_path / "run.pftrace"))
    trace = Trace()
    trace.ParseFromString((tmp_path / "run.pftrace").read_bytes())
    tracks = [
        packet.track_descriptor for packet in trace.packet if packet.HasField("track_descriptor")
    ]
    assert len({track.uuid for track in tracks}) == len(tracks)
    assert sum(track.HasField("thread") for track in tracks) == run.ranks.collect().height
    assert sum(track.HasField("counter") for track in tracks) == 20
    known = {track.uuid for track in tracks}
    events = [packet for packet in trace.packet if packet.HasField("track_event")]
    assert {packet.track_event.track_uuid for packet in events} <= known
    kinds = Counter(packet.track_event.type for packet in events)
    assert kinds[TrackEvent.TYPE_SLICE_BEGIN] == run.iterations.collect().height
    assert kinds[TrackEvent.TYPE_SLICE_END] == run.iterations.collect().height
    messages = run.messages.collect()
    assert kinds[TrackEvent.TYPE_INSTANT] == 2 * messages.height
    begins = {f: p.timestamp for p in events for f in p.track_event.flow_ids}
    ends = {f: p.timestamp for p in events for f in p.track_event.terminating_flow_ids}
    assert begins.keys() == ends.keys()
    took = sum(ends[flow] - begins[flow] for flow in begins)
    assert took == pytest.approx(messages["latency_ns"].sum(), abs=messages.height)
    shares = [
        p.track_event.double_counter_value
        for p in events
        if p.track_event.type == TrackEvent.TYPE_COUNTER
    ]
    assert 0 < max(shares) <= 1


def test_the_trace_processor_reads_a_trace(run: pt.Run, tmp_path: Path) -> None:
    """The program behind Perfetto's UI answers with what the tables hold."""
    path = tmp_path / "run.pftrace"
    write_perfetto(run, path)
    messages, ranks = run.messages.collect(), run.ranks.collect()
    iterations = run.iterations.collect()
    with open_trace(path) as reader:

        def rows(query: str) -> list[dict[str, Any]]:
            return [dict(vars(row)) for row in reader.query(query)]

        def value(expression: str, source: str) -> float:
            return float(rows(f"select {expression} as value from {source}")[0]["value"])

        assert rows("select * from stats where severity != 'info' and value > 0") == []
        assert value("count(*)", "slice") == iterations.height + 2 * messages.height
        assert value("count(distinct track_id)", "counter") == 20
        assert value("count(*)", "thread where name like 'rank %'") == ranks.height
        computed = (iterations["end_ns"] - iterations["start_ns"]).sum()
        assert value("sum(dur)", "slice where name like 'iteration %'") == pytest.approx(
            computed, abs=iterations.height
        )
        ends = "flow join slice a on slice_out = a.id join slice b on slice_in = b.id"
        assert value("count(*)", ends) == messages.height
        assert value("sum(b.ts - a.ts)", ends) == pytest.approx(
            messages["latency_ns"].sum(), abs=messages.height
        )
        with pytest.raises(PerfettoException, match="no such column: nonsense"):
            rows("select nonsense")


def test_a_trace_shows_skipped_time(tmp_path: Path) -> None:
    """Ranks and links without events are not idle in skipped time: a track of its own says so."""
    long = {"iterations": 200, "kind": "allreduce_loop", "message": "4 KiB", "compute": "5 us"}
    jobs = [{"name": "long", "ranks": 8, "workload": long}]
    made = pt.run(scenario().replace({"jobs": jobs, "skip": "5 %"}), tmp_path / "run", report=False)
    assert isinstance(made, pt.Run)
    write_perfetto(made, tmp_path / "run.pftrace")
    trace = Trace()
    trace.ParseFromString((tmp_path / "run.pftrace").read_bytes())
    (track,) = [
        packet.track_descriptor.uuid
        for packet in trace.packet
        if packet.track_descriptor.name == "skipped time"
    ]
    times = [packet.timestamp for packet in trace.packet if packet.track_event.track_uuid == track]
    spans = skipped_spans(made)
    assert spans
    assert times == [round(time) for span in spans for time in span]


def test_a_perfetto_trace_keeps_the_largest_messages(run: pt.Run, tmp_path: Path) -> None:
    count = run.messages.collect().height
    assert write_perfetto(run, tmp_path / "few.pftrace", messages=3) == count - 3


def test_arrays_have_the_sums_of_the_table(run: pt.Run) -> None:
    arrays = to_xarray(run)
    table = run.link_windows.collect()
    assert arrays["bytes"].dims == ("window_start_ns", "link", "job")
    assert float(arrays["bytes"].sum()) == table["bytes"].sum()
    assert arrays["stall_ns"].attrs["units"] == "ns"
    one = table.row(table.height // 2, named=True)
    at = {axis: one[axis] for axis in arrays["bytes"].dims}
    assert float(arrays["bytes"].sel(at)) == one["bytes"]
    system = to_xarray(run, "system_windows", "bytes")
    assert list(system.data_vars) == ["bytes"]
    assert float(system["bytes"].sum()) == run.system_windows.collect()["bytes"].sum()
    latency = to_xarray(run, "job_windows")["latency_mean_ns"]
    assert np.isnan(latency).sum() == run.job_windows.collect()["latency_mean_ns"].null_count() + (
        latency.size - run.job_windows.collect().height
    )


def test_what_cannot_be_exported_is_told(run: pt.Run, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="did you mean 'perfetto'"):
        export(run, "--format", "perfeto")
    with pytest.raises(UsageError, match="cannot be written"):
        export(run, "--format", "graphml", "--out", str(tmp_path / "no" / "net.graphml"))
    with pytest.raises(UsageError, match="cannot be written"):
        export(run, "--format", "perfetto", "--out", str(tmp_path / "no" / "a"))
    with pytest.raises(UsageError, match="did you mean 'link_windows'"):
        to_xarray(run, "links_windows")
    with pytest.raises(UsageError, match="has no value byte"):
        to_xarray(run, "link_windows", "byte")
