"""What the tables of a report should show: each cell recomputed, by the caption of its table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from campaign.recomputed import Job, Runs
from campaign.shown import PageTable, numbers
from campaign.tables_of import Tables

__all__ = ["FREE", "check_table"]

DASH = "\N{EN DASH}"
#: The cells of these columns are no numbers of the tables, with the reason.
FREE = {
    "wall, s": "a clock of the machine",
    "packet-hops per CPU-second": "a clock of the machine",
    "result hash": "a text",
    "iterations compared": "of slowdown.parquet",
    "highest of a tile": "needs the map of Aries tiles",
    "tiles": "needs the map of Aries tiles",
}
FREE_CELL = "not recomputed"
#: Percentiles of many packets come from a histogram of three digits (docs/reference/tables.md).
_HISTOGRAM = 0.0021

#: A value that a cell shows; a text that it is; or None for a dash.
Expected = float | str | None


def check_table(runs: Runs, table: PageTable) -> Iterator[tuple[str, str]]:
    """Yields the outcome of each cell: `right`, `free` or `wrong`, and where it stands."""
    maker = next((m for start, m in _TABLES.items() if table.caption.startswith(start)), None)
    if maker is None:
        yield "wrong", f"a table that no query explains: {table.caption[:60]}"
        return
    expected = maker(runs, table)
    for at, row in enumerate(table.rows):
        key = tuple(row[: _KEYS.get(maker, 1)])
        cells = expected(at, key)
        if cells is None:
            yield "wrong", f"{table.caption[:30]}: a row that no query explains: {key}"
            continue
        for place, (column, text) in enumerate(zip(table.columns[1:], row[1:], strict=True), 1):
            if column in FREE or cells.get(column) == FREE_CELL:
                yield "free", column
            elif column not in cells:
                yield "wrong", f"{table.caption[:30]}: a column that no query explains: {column}"
            else:
                value = cells[column]
                good = _shows(text, value, _unit(table, place))
                where = f"{table.caption[:30]}, row {row[0]}, {column}"
                yield "right" if good else "wrong", f"{where}: shows {text!r}, computed {value!r}"


def _shows(text: str, value: Expected, unit: str) -> bool:
    if value is None:
        return text in (DASH, "")
    if isinstance(value, str):
        return text == value
    found = numbers(text, unit)
    return len(found) == 1 and found[0].shows(value, _HISTOGRAM)


def _unit(table: PageTable, place: int) -> str:
    """Returns the unit of numbers without one in a column, from headings or the caption."""
    column = table.columns[place]
    if column.endswith("\N{MULTIPLICATION SIGN}") or column in ("calls", "slowdown", "run time"):
        return ""
    # A heading with a unit is that of the columns to its right, too.
    for text in (*reversed(table.columns[: place + 1]), table.caption.split(":")[0]):
        for unit in ("ns", "µs", "ms"):
            if text.endswith(f", {unit}") or f", {unit} " in text:
                return unit
    return ""


Cells = dict[str, Expected]
Maker = Callable[[Runs, PageTable], Callable[[int, tuple[str, ...]], Cells | None]]


def _traffic(runs: Runs, table: PageTable) -> Callable[[int, tuple[str, ...]], Cells | None]:
    cases = runs.cases()

    def cells(_: int, key: tuple[str, ...]) -> Cells | None:
        if (job := cases.get(key[0])) is None:
            return None
        length, sent, injected = job.run_time, job.mpi_bytes, job.injected
        return {
            "ranks": job.row["ranks"],
            "run time": length,
            "MPI payload": sent,
            "message rate, GB/s": None if sent is None or not length else sent / length,
            "injected": injected,
            "link rate, GB/s": None if injected is None or not length else injected / length,
            "links per packet": job.packets("avg(link_hops)"),
            "non-minimal": job.packets("avg(nonminimal::int)"),
        }

    return cells


def _communication(runs: Runs, table: PageTable) -> Callable[[int, tuple[str, ...]], Cells | None]:
    jobs = runs.jobs()

    def cells(_: int, key: tuple[str, ...]) -> Cells | None:
        if (job := jobs.get(key[0])) is None:
            return None
        if not runs.alone:
            return {how: job.communication(how) for how in ("mean", "std", "max")}
        alone = runs.jobs(runs.alone[job.name])[job.name]
        sides = {"alone": alone, "together": job}
        found: Cells = {
            f"{how} {side}": each.communication(how)
            for side, each in sides.items()
            for how in ("mean", "std", "max")
        }
        before, after = alone.communication("mean"), job.communication("mean")
        times = alone.run_time, job.run_time
        ended = all(each.row["end_ns"] is not None for each in sides.values())
        if not ended:
            # Then only the iterations that all ranks finished in both runs count.
            common = min(alone.iterations, job.iterations)
            if not common:
                return dict.fromkeys(table.columns, FREE_CELL)
            for side, each in sides.items():
                for how in ("mean", "std", "max"):
                    found[f"{how} {side}"] = each.over(common, how)
            before, after = alone.over(common, "mean"), job.over(common, "mean")
            times = alone.over(common, "run time") or 0.0, job.over(common, "run time") or 0.0
        found["slowdown"] = after / before if before and after is not None else None
        found["run time"] = times[1] / times[0] if times[0] else None
        share = _beside(job, [other for other in jobs.values() if other.name != job.name])
        found["with others"] = "all of its run" if share >= 0.9 else share
        return found

    return cells


def _beside(job: Job, others: list[Job]) -> float:
    """Returns the share of a job's run in which another job ran; 1 without other jobs."""
    if not job.run_time or not others:
        return 1.0
    spans = [(float(each.row["start_ns"]), each.end) for each in others]
    start = float(job.row["start_ns"])
    times = {start, job.end, *(time for span in spans for time in span)}
    cuts = sorted(time for time in times if start <= time <= job.end)
    common = sum(
        end - begin
        for begin, end in pairwise(cuts)
        if any(first <= begin and end <= last for first, last in spans)
    )
    return common / job.run_time


def _patterns(runs: Runs, table: PageTable) -> Callable[[int, tuple[str, ...]], Cells | None]:
    jobs = runs.jobs()

    def cells(_: int, key: tuple[str, ...]) -> Cells | None:
        if (job := jobs.get(key[0])) is None:
            return None
        alone = runs.jobs(runs.alone[job.name])[job.name]
        before, after = (each.packets("avg(latency_ns)") for each in (alone, job))
        return {
            "slowdown": after / before if before and after else None,
            "slowdown of load": alone.accepted / job.accepted if job.accepted else None,
            "latency alone": before,
            "latency together": after,
            "load alone": alone.accepted,
            "load together": job.accepted,
        }

    return cells


def _latency(runs: Runs, table: PageTable) -> Callable[[int, tuple[str, ...]], Cells | None]:
    cases = runs.cases()
    messages = next((at for at, each in enumerate(table.columns) if "messages" in each), None)

    def cells(_: int, key: tuple[str, ...]) -> Cells | None:
        if (job := cases.get(key[0])) is None:
            return None
        mean = job.packets("avg(latency_ns)")
        network = job.packets("avg(delivered_ns - injected_ns)")
        none = mean is None or network is None
        values: list[Expected] = [
            mean,
            None if none else max(0.0, mean - network),  # type: ignore[operator]
            network,
            *(None if none else job.percentile("packet", share) for share in (0.5, 0.95, 0.99)),
        ]
        if messages is not None:
            values += [job.message_mean, job.percentile("message", 0.99)]
        if len(table.columns) - 1 - len(values) == 2:
            ratios: list[Expected] = [None, None]
            alone = cases.get(f"{job.name} alone")
            equal = alone is not None and (
                job.is_pattern or (alone.row["complete"] and job.row["complete"])
            )
            if key[0].endswith(" together") and alone is not None and equal:
                old = alone.packets("avg(latency_ns)"), alone.percentile("packet", 0.99)
                new = mean, job.percentile("packet", 0.99)
                ratios = [a / b if a and b else None for a, b in zip(new, old, strict=True)]
            values = ratios + values
        return _Places(zip(table.columns[1:], values, strict=True))

    return cells


class _Places(dict[str, Expected]):
    """Cells in order: two columns of the latency table have one heading, and one unit each."""

    def __init__(self, pairs: Any) -> None:
        self._pairs = list(pairs)
        super().__init__(self._pairs)

    def __getitem__(self, column: str) -> Expected:
        at = next(at for at, (name, _) in enumerate(self._pairs) if name == column)
        return self._pairs.pop(at)[1]  # type: ignore[no-any-return]


def _calls(runs: Runs, table: PageTable) -> Callable[[int, tuple[str, ...]], Cells | None]:
    rows = {
        (label, each["call"]): each for label, job in runs.cases().items() for each in job.calls()
    }

    def cells(at: int, key: tuple[str, ...]) -> Cells | None:
        row = rows.get((key[0], key[1]))
        if row is None or row["part"] is None or row["part"] <= 0.001:
            return None
        rank = table.rows[at][table.columns.index("of rank")] if "of rank" in table.columns else ""
        slowest = rank if rank and int(rank.replace(",", "")) in (row["ranks"] or ()) else "?"
        return {
            "MPI call": row["call"],
            "time": row["time_mean"],
            "share of rank's time": row["share"],
            "shortest": row["least"],
            "longest": row["most"],
            "of rank": slowest,
            "calls": row["calls"],
            "mean size": row["size"] or None,
        }

    return cells


def _counters(runs: Runs, table: PageTable) -> Callable[[int, tuple[str, ...]], Cells | None]:
    rows = {label: job.counters() for label, job in runs.cases().items()}
    # The counters of Aries tiles need the map of tiles, which is not in the tables.
    tiles = "tiles" in table.columns

    def cells(at: int, key: tuple[str, ...]) -> Cells | None:
        row = rows.get(key[0], {}).get(key[1])
        if tiles:
            return dict.fromkeys(table.columns, FREE_CELL)
        if row is None:
            return None
        return {
            "class": key[1],
            "flits": row["flits"],
            "stalls to flits": row["ratio"],
            "stalled flits": row["stalled"],
            "links": row["n"],
        }

    return cells


def _classes(runs: Runs, table: PageTable) -> Callable[[int, tuple[str, ...]], Cells | None]:
    def cells(_: int, key: tuple[str, ...]) -> Cells | None:
        links = [each for each in runs.loads if each["class"] == key[0]]
        if not links:
            return None
        uses = [each["u"] or 0.0 for each in links]
        peaks = [each["peak"] for each in links if each["peak"] is not None]
        full = sum(each["full_"] > 0 for each in links)
        return {
            "links": len(links),
            "mean utilization": sum(uses) / len(uses),
            "highest utilization": max(uses),
            "highest in a window": min(1.0, max(peaks)) if peaks else None,
            "links above 95 % in a window": full,
            "mean stall, whole run": sum(each["stalled"] for each in links) / len(links),
        }

    return cells


def _hottest(runs: Runs, table: PageTable) -> Callable[[int, tuple[str, ...]], Cells | None]:
    order = sorted(
        (each for each in runs.loads if each["b"]), key=lambda each: (-each["u"], each["link"])
    )[:12]
    shares = {
        (link, name): share
        for link, name, share in runs.main.rows(
            "select link, name, b.bytes / sum(b.bytes) over (partition by link) from link_jobs b"
            " join jobs using (job)"
        )
    }

    def cells(at: int, key: tuple[str, ...]) -> Cells | None:
        if at >= len(order):
            return None
        each = next((link for link in order if str(link["link"]) == key[0]), None)
        # Links of equal utilization may be in either order of the last bit.
        if each is None or abs(each["u"] - order[at]["u"]) > 1e-9:
            return None
        starts = [
            start
            for start, util in zip(each["at_"] or (), each["utils"] or (), strict=True)
            if util >= each["peak"] - 1e-9
        ]
        shown = table.rows[at][table.columns.index("from")] if "from" in table.columns else ""
        hit = next(
            (s for s in starts if shown and numbers(shown)[0].shows(s)), next(iter(starts), None)
        )
        return {
            "utilization": each["u"],
            "class and ends": table.rows[at][table.columns.index("class and ends")],
            "peak window": None if each["peak"] is None else min(1.0, each["peak"]),
            "from": hit,
            "stalled": each["stalled"],
            "sent": each["b"],
            **{f"{name}'s share": shares.get((each["link"], name), 0.0) for name in runs.names},
        }

    return cells


def _skipped(run: Tables) -> bool:
    """Returns whether a run skipped time: its counters are of the rest, its tables of all."""
    return bool(run.one("select count(*) from epochs where skipped"))


def _simulations(runs: Runs, table: PageTable) -> Callable[[int, tuple[str, ...]], Cells | None]:
    parts = {f"{name} alone": run for name, run in runs.alone.items()}
    parts["together" if parts else runs.main.plan["name"]] = runs.main

    def cells(_: int, key: tuple[str, ...]) -> Cells | None:
        if (run := parts.get(key[0])) is None:
            return None
        packets = run.one("select sum(packets + responses) from jobs")
        hops = run.one("select coalesce(sum(packets), 0) from links where class <> 'injection'")
        flying = run.one("select sum(injected_bytes) - sum(delivered_bytes) from jobs")
        counted = run.document["counters"]["packet_hops"]
        return {
            "ended": run.document["reason"],
            "simulated": float(run.document["simulated_ns"]),
            "packets": FREE_CELL if _skipped(run) else packets,
            # A packet-hop counts when it ends, a link's packet when it starts.
            "packet-hops": FREE_CELL
            if _skipped(run)
            else counted
            if flying and counted <= hops
            else hops,
        }

    return cells


def _tiles(runs: Runs, table: PageTable) -> Callable[[int, tuple[str, ...]], Cells | None]:
    return lambda at, key: dict.fromkeys(table.columns, FREE_CELL)


_TABLES: dict[str, Maker] = {
    "Traffic of each job": _traffic,
    "Communication time of a rank": _communication,
    "Synthetic traffic, alone": _patterns,
    "Packet latency is the time": _latency,
    "MPI calls of each job": _calls,
    "Counters of the routers": _counters,
    "Tiles of the routers": _tiles,
    "Utilization of the links by class": _classes,
    "Hottest links": _hottest,
    "Each simulation": _simulations,
}
_KEYS: dict[Maker, int] = {_calls: 2, _counters: 2}
