"""Tables of applications from papers, and their measurement: one run per row.

A row is an application alone on the paper's machine. A function of the table measures its run, by
default `of_first_job`. The paper's value, if there is one, stands beside each measured value.

The runs lie in a store of runs. A run that is there already is measured again without being
simulated again, so that an interrupted table continues.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from pantala.caveats import Facts, facts_of_run
from pantala.errors import UsageError, nearest
from pantala.files.atomic_file import temporary_folder
from pantala.metrics.traffic import injection_rate, peak_ingress_volume
from pantala.planning.run_cost import seconds_of, traffic
from pantala.results.run import Run
from pantala.scenario import Scenario
from pantala.store.identity import run_id
from pantala.store.run_store import RunStore
from pantala.system.parallel import in_processes

__all__ = ["Ahead", "Column", "PaperTable", "Record", "Row", "measure", "of_first_job"]

#: A measured row: its name, the measured values, and the paper's values with the prefix ``paper_``.
Record = dict[str, Any]

#: Tables that the run of a row does not write.
_RECORD_LITTLE = {
    "record.packets": "off",
    "record.messages": False,
    "record.link_windows": False,
}
#: A rank that sends and receives at least this share of the messages of the busiest rank has all
#: the neighbours that the application gives a rank.
_ALL_NEIGHBOURS = 0.9


def of_first_job(run: Run) -> Record:
    """Measures the first job of a run.

    Returns:
        ``payload_mb``, the payload of all messages in 10^6 B, with those of collectives and without
        those of a rank to itself; ``total_mb``, the same on the wire: with headers and with the
        control messages of the MPI layer; ``execution_ms``, from time zero to the end of the job's
        last rank; ``injection_gb_per_s``, the quotient of the last two, in 10^9 B/s;
        ``peak_ingress_bytes``, the largest run of sends of a rank with all its neighbours;
        ``compute_ms`` and ``communication_ms``, the mean times of a rank in its iterations.
    """
    job = run.jobs.filter(pl.col("job") == 0).collect().row(0, named=True)
    peak = peak_ingress_volume(run.ranks.filter(pl.col("job") == 0).collect(), _ALL_NEIGHBOURS)
    inside = pl.col("end_ns") - pl.col("start_ns")
    sums = run.iterations.filter(pl.col("job") == 0).select(
        pl.col("communication_time_ns").sum(), duration_ns=inside.sum()
    )
    row, ranks = sums.collect().row(0, named=True), job["ranks"] * 1e6
    total, time = job["injected_bytes"] / 1e6, job["end_ns"] / 1e6
    return {
        "payload_mb": job["mpi_bytes"] / 1e6,
        "total_mb": total,
        "execution_ms": time,
        "injection_gb_per_s": injection_rate(job["injected_bytes"], job["end_ns"]),
        "peak_ingress_bytes": peak,
        "compute_ms": round((row["duration_ns"] - row["communication_time_ns"]) / ranks, 9) + 0.0,
        "communication_ms": row["communication_time_ns"] / ranks,
    }


@dataclass(frozen=True)
class Row:
    """One application of a table.

    Attributes:
        application: its name in the paper.
        scenario: the application alone on the paper's machine; it must end by itself.
        paper: the paper's values, by the names of the measured values.
        elsewhere: values measured in another run, by name: the name of the value in that run, and
            the run's scenario. This is for phases that the paper separates and for values of
            another size. The row's own value of this name is kept with the prefix ``run_``.
    """

    application: str
    scenario: Scenario
    paper: Mapping[str, Any]
    elsewhere: Mapping[str, tuple[str, Scenario]] = field(default_factory=dict)


@dataclass(frozen=True)
class Column:
    """A printed column: the key of its values, its heading, and the size of one printed unit."""

    key: str
    heading: str
    unit: float = 1.0


@dataclass(frozen=True)
class PaperTable:
    """A paper's table of applications.

    Attributes:
        name: the name on the command line.
        title: the title, in one line.
        source: the paper, and the place in it.
        rows: returns the rows for a seed.
        columns: the printed columns, in order.
        of_run: measures a run.
        keep: the tables that `of_run` reads.
        of_plan: measures a plan without a run; if it is given, nothing is run.
    """

    name: str
    title: str
    source: str
    rows: Callable[[int], Sequence[Row]]
    columns: tuple[Column, ...]
    of_run: Callable[[Run], Record] = of_first_job
    keep: tuple[str, ...] = ("jobs", "ranks", "iterations")
    of_plan: Callable[[dict[str, Any]], Record] | None = None


@dataclass(frozen=True)
class Ahead:
    """A run that a table still has to simulate.

    Attributes:
        run: its identity.
        packets: the number of packets, from the traffic of its job.
        seconds: about how long one core simulates it.
    """

    run: str
    packets: float
    seconds: float


def measure(
    table: PaperTable,
    *,
    seed: int = 1,
    workers: int = 1,
    only: Sequence[str] = (),
    out: Path | None = None,
    on_start: Callable[[list[Ahead]], None] = lambda _ahead: None,
    on_row: Callable[[Record, int], None] = lambda _record, _count: None,
    facts: dict[str, Facts] | None = None,
) -> list[Record]:
    """Runs the applications of a table and measures them.

    Args:
        table: the table.
        seed: the seed of all scenarios.
        workers: the number of processes; results do not depend on it.
        only: the applications to measure, by the paper's names in any case; all if empty.
        out: a directory for the runs; rows whose run is there are not run again. It can be the
            directory of an experiment. Without it, the runs are temporary.
        on_start: called before the first run, with the runs that are not in `out`.
        on_row: called with each row when it is measured, and with the number of rows.
        facts: gets what the caveats of each run are made of, by application.

    Returns:
        One object per row, in the table's order: ``application``, the measured values, and the
        paper's values with the prefix ``paper_``.

    Raises:
        UsageError: there is no such application.
        ScenarioError: a row cannot be run.
        SimulationError: a network stalled.
        RunDirectoryError: a run cannot be written to `out`, or `out` holds something else.
    """
    rows = _chosen(table, seed, only)
    records: dict[str, Record] = {}
    if out is not None and table.of_plan is None:
        store = RunStore(out)
        store.check()
        store.begin()
    ahead = {row.application: _ahead(row, table, out) for row in rows}
    on_start(list({each.run: each for runs in ahead.values() for each in runs}.values()))
    # The applications that take longest start first.
    order = sorted(rows, key=lambda row: -sum(each.seconds for each in ahead[row.application]))
    measured = partial(
        _measured, of_run=table.of_run, of_plan=table.of_plan, keep=table.keep, out=out
    )
    for record, found in in_processes(measured, order, workers):
        if facts is not None:
            facts |= found
        records[record["application"]] = record
        on_row(record, len(rows))
    return [records[row.application] for row in rows]


def _chosen(table: PaperTable, seed: int, only: Sequence[str]) -> list[Row]:
    rows = list(table.rows(seed))
    names = {row.application.lower(): row.application for row in rows}
    wanted = set()
    for name in only:
        if name.lower() not in names:
            close = nearest(name.lower(), names)
            remedy = (
                f"did you mean '{names[close]}'?"
                if close
                else f"choose one of {', '.join(names.values())}"
            )
            raise UsageError(f"application = '{name}': is not in {table.name}; {remedy}")
        wanted.add(names[name.lower()])
    return [row for row in rows if not wanted or row.application in wanted]


def _ahead(row: Row, table: PaperTable, out: Path | None) -> list[Ahead]:
    """Returns the runs of a row that are not stored yet."""
    of_row = [] if table.of_plan else [row.scenario]
    found = {}
    for scenario in (*of_row, *(other for _, other in row.elsewhere.values())):
        plan = scenario.replace(_RECORD_LITTLE).resolved_plan()
        name = run_id(plan)
        if out is None or not RunStore(out).has(name, table.keep):
            packets = sum(job["bytes"] for job in traffic(plan).values()) / plan["packet_bytes"]
            found[name] = Ahead(name, packets, seconds_of(plan, packets))
    return list(found.values())


def _measured(
    row: Row,
    of_run: Callable[[Run], Record],
    of_plan: Callable[[dict[str, Any]], Record] | None,
    keep: tuple[str, ...],
    out: Path | None,
) -> tuple[Record, dict[str, Facts]]:
    """Returns a row, and the facts of its runs by application."""
    facts = {}
    if of_plan is None:
        known, facts[row.application] = _run(row.scenario, of_run, keep, out)
    else:
        known = of_plan(row.scenario.plan())
    record: Record = {"application": row.application, **known}
    for key, (name, scenario) in row.elsewhere.items():
        if key in record:
            record[f"run_{key}"] = record[key]
        other, facts[f"{row.application}, {key}"] = _run(scenario, of_run, keep, out)
        record[key] = other[name]
    return record | {f"paper_{key}": value for key, value in row.paper.items()}, facts


def _run(
    scenario: Scenario, of_run: Callable[[Run], Record], keep: tuple[str, ...], out: Path | None
) -> tuple[Record, Facts]:
    if out is None:
        with temporary_folder() as folder:
            RunStore(folder).begin()
            return _run(scenario, of_run, keep, folder)
    store = RunStore(out)
    plan = scenario.replace(_RECORD_LITTLE).resolved_plan()
    name = run_id(plan)
    store.obtain(name, keep, plan.run)
    run = Run(store.path(name))
    return of_run(run), facts_of_run(run)
