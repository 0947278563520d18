"""Exports are read back: GraphML, Perfetto, xarray."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent
from typer.testing import CliRunner

import pantala as pt
from pantala.cli.application import app
from pantala.errors import UsageError
from pantala.export import to_xarray, write_perfetto
from sweeps import scenario

pytestmark = pytest.mark.native

#: No package registry has this program: the package perfetto would download it from elsewhere, and
#: tests use no network. The other tests read traces with the package's own format.
_TRACE_PROCESSOR = shutil.which("trace_processor_shell")


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


@pytest.mark.full
@pytest.mark.skipif(_TRACE_PROCESSOR is None, reason="trace_processor_shell is not installed")
def test_the_trace_processor_reads_a_trace(run: pt.Run, tmp_path: Path) -> None:
    """The program behind the Perfetto UI; the package perfetto would download it."""
    from perfetto.trace_processor import TraceProcessor, TraceProcessorConfig

    path = tmp_path / "run.pftrace"
    write_perfetto(run, path)
    config = TraceProcessorConfig(bin_path=_TRACE_PROCESSOR)
    with TraceProcessor(trace=str(path), config=config) as reader:

        def count(query: str) -> int:
            return int(next(iter(reader.query(f"select count(*) as n from ({query})"))).n)

        messages, iterations = (table.collect().height for table in (run.messages, run.iterations))
        assert count("select id from flow") == messages
        assert count("select id from slice") == iterations + 2 * messages
        assert count("select distinct track_id from counter") == 20


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
