"""The profiles of the jobs in the report: MPI calls, and counters of the jobs' own routers."""

from __future__ import annotations

import polars as pl

from pantala.analysis.profile import call_profile
from pantala.analysis.tiles import has_tiles
from pantala.figures.runs import Case, cases
from pantala.figures.tiles import counters_of
from pantala.metrics.routers import counters_of_serving_routers
from pantala.report.reported_run import ReportedRun
from pantala.report.tables import NONE, Cell, ReportTable
from pantala.run_tables.job_nodes import job_nodes
from pantala.run_tables.run_like import table
from pantala.run_tables.skipped_time import skipped_spans
from pantala.text.amounts import PAGE, count, fixed, significant, time_unit

__all__ = ["calls_table", "counters_table", "tiles_table"]

#: Calls of a job in a run.
_CALLS = 6
#: The share of a job's time in MPI calls that a call needs for a row.
_LEAST = 0.001


def calls_table(reported: ReportedRun) -> ReportTable:
    """Returns the MPI calls of each job: the calls with the longest time first.

    The table has no rows if no rank waited inside an MPI call.
    """
    profiles = [(case, _profile(case)) for case in cases(reported.run, reported.alone)]
    found = [(case, rows) for case, rows in profiles if rows is not None and rows.height]
    by_rank = bool(found) and all("slowest_rank" in rows.columns for _, rows in found)
    longest = max(
        (rows["time_max_ns" if by_rank else "time_mean_ns"].to_numpy().max() for _, rows in found),
        default=1.0,
    )
    divisor, unit = time_unit(float(longest))
    caption = (
        f"MPI calls of each job, {unit} per rank: time inside the call, mean over ranks, and its"
        " share of the time from a rank's start to its end, mean over ranks. A call below 0.1 % of"
        " a job's time in MPI calls has no row."
    )
    if any(rows.height > _CALLS for _, rows in found):
        caption += f" Each job has its {_CALLS} longest calls."
    if any(map(skipped_spans, reported.parts.values())):
        caption += " Skipped time counts at the rates of a sample: numbers of calls are estimates."
    if by_rank:
        caption += " Shortest and longest are over the ranks of the job."
    made = ReportTable(
        caption,
        [
            *("job", "MPI call", "time", "share of rank's time"),
            *(("shortest", "longest", "of rank") if by_rank else ()),
            *("calls", "mean size"),
        ],
    )
    for case, rows in found:
        shown = rows.head(_CALLS)
        for at, row in enumerate(shown.iter_rows(named=True), 1):
            share, volume = row["share"], row["bytes_mean"]
            cells = [
                _header(case, at == shown.height),
                Cell(row["call"]),
                _number(row["time_mean_ns"], longest, divisor),
                NONE if share is None else Cell(PAGE.percent(share), share),
            ]
            if by_rank:
                cells += [
                    _number(row[key], longest, divisor) for key in ("time_min_ns", "time_max_ns")
                ]
                cells.append(Cell(count(row["slowest_rank"]), row["slowest_rank"]))
            cells.append(Cell(count(row["calls"]), row["calls"]))
            cells.append(NONE if not volume else Cell(PAGE.size(volume), volume))
            made.rows.append(cells)
    return made


def _profile(case: Case) -> pl.DataFrame | None:
    """Returns the calls of a job that take more than `_LEAST` of its time; None without calls."""
    frame = table(case.run, "calls")
    if frame is None:
        return None
    own, by_rank = pl.col("job") == case.job, table(case.run, "rank_calls")
    return call_profile(
        frame.filter(own).collect(),
        case.run.ranks.filter(own).collect(),
        None if by_rank is None else by_rank.filter(own).collect(),
    ).filter(pl.col("time_mean_ns") > _LEAST * pl.col("time_mean_ns").sum())


def counters_table(reported: ReportedRun) -> ReportTable:
    """Returns the counters of the routers that serve each job, as AutoPerf reports them.

    Columns of stalls are left out if no link of any run stalled.
    """
    found = [
        (
            case,
            counters_of_serving_routers(
                counters_of(case.run),
                job_nodes(case.run.ranks, case.run.document["plan"], case.job),
            ),
        )
        for case in cases(reported.run, reported.alone)
    ]
    stalled = any(rows["stalled_flits_mean"].sum() > 0 for _, rows in found)
    unit = "tile" if has_tiles(reported.plan["topology"]) else "link"
    means = "connected tiles" if unit == "tile" else "links"
    made = ReportTable(
        f"Counters of the routers that serve each job, by class of {unit}s, means over the"
        f" {means}, over the whole run. All traffic of these routers counts, also of other"
        f" jobs.{_STALLED if stalled else ' No link stalled.'}",
        [
            *("job", "class", "flits"),
            *(("stalls to flits", "stalled flits") if stalled else ()),
            f"{unit}s",
        ],
    )
    for case, rows in found:
        for at, row in enumerate(rows.iter_rows(named=True), 1):
            cells = [
                _header(case, at == rows.height),
                Cell(row["class"]),
                Cell(count(round(row["flits_mean"])), row["flits_mean"]),
            ]
            if stalled:
                cells += _stalls(row["stalled_flits_mean"], row["stalls_to_flits"])
            made.rows.append([*cells, Cell(count(row["tiles"]), row["tiles"])])
    return made


def tiles_table(reported: ReportedRun) -> ReportTable | None:
    """Returns the counters of all Aries tiles by class; None if the routers have no tiles."""
    if not has_tiles(reported.plan["topology"]):
        return None
    made = ReportTable(
        f"Tiles of the routers by class, over the whole run: connected tiles, sums of their"
        f" counters, and the highest ratio of a tile.{_STALLED}",
        ["run", "class", "flits", "stalls to flits", "highest of a tile", "stalled flits", "tiles"],
    )
    for title, run in reported.parts.items():
        rows = (
            counters_of(run)
            .filter(pl.col("flits").is_not_null())
            .group_by("class")
            .agg(
                pl.len(),
                pl.col("flits", "stalled_flits").sum(),
                most=pl.col("stalls_to_flits").max(),
            )
            .filter(pl.col("flits") > 0)
            .sort("class")
        )
        for at, row in enumerate(rows.iter_rows(named=True), 1):
            share, stalled = _stalls(row["stalled_flits"], row["stalled_flits"] / row["flits"])
            made.rows.append(
                [
                    Cell(title, condition="" if at == rows.height else "same"),
                    Cell(row["class"]),
                    Cell(count(row["flits"]), row["flits"]),
                    share,
                    NONE if row["most"] is None else Cell(significant(row["most"], 2), row["most"]),
                    stalled,
                    Cell(count(row["len"]), row["len"]),
                ]
            )
    return made


_STALLED = (
    " Stalled flits are the time in which a packet was ready and no packet had credit, over the"
    " time of a flit. Stalls to flits is their ratio to the flits sent."
)


def _header(case: Case, last: bool) -> Cell:
    """Returns the header of a row; a rule follows the last row of a job."""
    condition = "alone" if case.alone else "" if last else "same"
    return Cell(case.label, job=case.name, condition=condition)


def _stalls(stalled: float, ratio: float | None) -> list[Cell]:
    """Returns the ratio of stalls to flits, and the stalled flits."""
    return [
        NONE if ratio is None else Cell(significant(ratio, 2), ratio),
        Cell(count(round(stalled)) if stalled >= 100 else significant(stalled, 2), stalled),
    ]


def _number(value: float, largest: float, divisor: float) -> Cell:
    return Cell(fixed(value / divisor, largest / divisor), value)
