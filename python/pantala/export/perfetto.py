"""A run as a trace for the Perfetto UI."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from pantala.analysis.link_busy import busy_windows
from pantala.errors import PantalaError, UsageError
from pantala.files.atomic_file import atomic_file
from pantala.run_tables.link_classes import NETWORK
from pantala.run_tables.run_like import link_window_ns, table
from pantala.run_tables.skipped_time import skipped_spans

if TYPE_CHECKING:
    from pantala.results.run import Run

__all__ = ["write_perfetto"]

#: Of each job; a process has ranks as threads.
_RANK_BITS = 32
_LINKS = 1 << 60
_SKIPPED = 1 << 61


class _Trace:
    """A trace that is written event by event."""

    def __init__(self, builder: Any) -> None:
        from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import TrackEvent

        self._builder = builder
        self._kinds = TrackEvent

    def process(self, job: int, name: str) -> None:
        """Adds the track of a job."""
        packet = self._builder.create_packet()
        packet.track_descriptor.uuid = _job(job)
        packet.track_descriptor.process.pid = job + 1
        packet.track_descriptor.process.process_name = name
        self._builder.write_packet(packet)

    def thread(self, job: int, rank: int) -> None:
        """Adds the track of a rank."""
        packet = self._builder.create_packet()
        packet.track_descriptor.uuid = _rank(job, rank)
        packet.track_descriptor.parent_uuid = _job(job)
        packet.track_descriptor.thread.pid = job + 1
        packet.track_descriptor.thread.tid = (job << 24) + rank + 2
        packet.track_descriptor.thread.thread_name = f"rank {rank}"
        self._builder.write_packet(packet)

    def counter(self, link: int, name: str) -> None:
        """Adds the track of a link."""
        packet = self._builder.create_packet()
        packet.track_descriptor.uuid = _LINKS + link
        packet.track_descriptor.name = name
        packet.track_descriptor.counter.unit_name = "share of time"
        self._builder.write_packet(packet)

    def skipped(self) -> None:
        """Adds the track of skipped time."""
        packet = self._builder.create_packet()
        packet.track_descriptor.uuid = _SKIPPED
        packet.track_descriptor.name = "skipped time"
        self._builder.write_packet(packet)

    def slices(self, track: int, slices: list[tuple[float, float, str]]) -> None:
        """Adds times on a track: start, end and name, sorted by start, the outer before the inner.

        Events of one time stay in the order of the file, so a slice ends before the next begins.
        """
        open_ends: list[float] = []
        for start, end, name in slices:
            while open_ends and open_ends[-1] <= start:
                self._event(track, self._kinds.TYPE_SLICE_END, open_ends.pop(), "")
            self._event(track, self._kinds.TYPE_SLICE_BEGIN, start, name)
            open_ends.append(end)
        while open_ends:
            self._event(track, self._kinds.TYPE_SLICE_END, open_ends.pop(), "")

    def instant(self, track: int, name: str, at_ns: float, flow: int, *, ends: bool) -> None:
        """Adds the begin or the end of a flow on a track."""
        self._event(track, self._kinds.TYPE_INSTANT, at_ns, name, flow=flow, ends=ends)

    def value(self, track: int, at_ns: float, value: float) -> None:
        """Adds a value of a counter."""
        self._event(track, self._kinds.TYPE_COUNTER, at_ns, "", value=value)

    def _event(
        self,
        track: int,
        kind: int,
        at_ns: float,
        name: str,
        *,
        flow: int | None = None,
        ends: bool = False,
        value: float | None = None,
    ) -> None:
        packet = self._builder.create_packet()
        packet.timestamp = round(at_ns)
        packet.trusted_packet_sequence_id = 1
        event = packet.track_event
        event.type, event.track_uuid = kind, track
        if name:
            event.name = name
        if flow is not None:
            (event.terminating_flow_ids if ends else event.flow_ids).append(flow)
        if value is not None:
            event.double_counter_value = value
        self._builder.write_packet(packet)


def write_perfetto(run: Run, path: Path, *, messages: int = 100_000, links: int = 20) -> int:
    """Writes a run as a trace of TrackEvents, for https://ui.perfetto.dev.

    A job is a process and a rank a thread. Iterations are slices, and in them the MPI calls that
    `record.call_events` recorded. Messages are flows from rank to rank, and the busiest links
    between routers are counters. Skipped time, without events of ranks and links, has a track.
    Times are rounded to whole nanoseconds.

    Args:
        run: the run.
        path: the file to write.
        messages: the most messages; of more, the largest are written.
        links: the number of links.

    Returns:
        The number of messages that the trace leaves out.

    Raises:
        UsageError: the package is not installed, or the file cannot be written.
        RunDirectoryError: a table cannot be read.
    """
    try:
        from perfetto.trace_builder.proto_builder import StreamingTraceProtoBuilder
    except ImportError:
        raise UsageError(
            "the package perfetto is not installed; run pip install 'pantala[perfetto]'"
        ) from None
    try:
        with atomic_file(path) as half, half.open("wb") as file:
            left_out = _write(run, _Trace(StreamingTraceProtoBuilder(file)), messages, links)
    except PantalaError:
        raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(f"{path}: cannot be written: {reason}; choose another --out") from None
    return left_out


def _write(run: Run, trace: _Trace, messages: int, links: int) -> int:
    for job, name in run.jobs.select("job", "name").collect().iter_rows():
        trace.process(job, name)
    for job, rank in run.ranks.select("job", "rank").collect().iter_rows():
        trace.thread(job, rank)
    for (job, rank), slices in _slices(run).group_by("job", "rank", maintain_order=True):
        trace.slices(_rank(job, rank), slices.select("start_ns", "end_ns", "name").rows())
    if spans := skipped_spans(run):
        trace.skipped()
        trace.slices(_SKIPPED, [(start, end, "skipped time") for start, end in spans])
    left_out = _messages(run, trace, messages)
    _busiest(run, trace, links)
    return left_out


def _slices(run: Run) -> pl.DataFrame:
    """Returns iterations and MPI calls by rank and start, a call after the iteration it is in."""
    phase = pl.concat_str(pl.lit(", phase "), "phase")
    iteration = pl.concat_str(
        pl.lit("iteration "),
        "iteration",
        pl.when(pl.col("phase").is_null()).then(pl.lit("")).otherwise(phase),
    )
    found = [
        run.iterations.select(
            "job", "rank", "start_ns", "end_ns", name=iteration, inner=0, number=0
        ),
        run.call_events.select(
            "job", "rank", "start_ns", "end_ns", name="call", inner=1, number="number"
        ),
    ]
    order = ("job", "rank", "start_ns", "inner", "number")
    return pl.concat(found, how="vertical_relaxed").sort(order).collect()


def _messages(run: Run, trace: _Trace, most: int) -> int:
    columns = ("job", "source_rank", "destination_rank", "bytes", "posted_ns", "delivered_ns")
    found = run.messages.select(columns).collect()
    chosen = found.top_k(most, by="bytes") if found.height > most else found
    rows = chosen.sort("posted_ns", "source_rank", "destination_rank").iter_rows()
    for flow, (job, source, destination, size, posted, delivered) in enumerate(rows, start=1):
        name = f"{size:,} B from rank {source} to rank {destination}"
        trace.instant(_rank(job, source), f"send {name}", posted, flow, ends=False)
        trace.instant(_rank(job, destination), f"receive {name}", delivered, flow, ends=True)
    return found.height - chosen.height


def _busiest(run: Run, trace: _Trace, count: int) -> None:
    """Adds the share of time in which the busiest links were busy, by window."""
    links = (
        run.links.filter(pl.col("class").is_in(NETWORK), pl.col("bytes") > 0)
        .sort(["busy_ns", "link"], descending=[True, False])
        .head(count)
        .collect()
    )
    length, end = link_window_ns(run), float(run.document["simulated_ns"])
    found = busy_windows(run)
    busy = [
        part.filter(pl.col("link").is_in(links["link"].implode()))
        .group_by("link", "window_start_ns")
        .agg(found.busy_ns.alias("busy_ns"))
        .collect(engine="streaming")
        for part in (found.parts if table(run, "link_windows") is not None else [])
    ]
    columns = {"link": pl.UInt32, "window_start_ns": pl.Float64, "busy_ns": pl.Float64}
    windows = pl.concat([pl.DataFrame(schema=columns), *busy]).sort("window_start_ns")
    for row in links.iter_rows(named=True):
        name = f"{row['class']} link {row['link']}: router {row['source_router']}"
        trace.counter(row["link"], f"{name} to {row['target_router']}")
        last, own = 0.0, windows.filter(pl.col("link") == row["link"])
        for _, start, busy_ns in own.iter_rows():
            if start > last:
                trace.value(_LINKS + row["link"], last, 0.0)
            width = min(length, end - start)
            trace.value(_LINKS + row["link"], start, min(1.0, busy_ns / width))
            last = start + width
        trace.value(_LINKS + row["link"], last, 0.0)


def _job(job: int) -> int:
    return (job + 1) << _RANK_BITS


def _rank(job: int, rank: int) -> int:
    return _job(job) + rank + 1
