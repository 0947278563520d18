"""How runs and interference experiments show themselves in a notebook: as HTML."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import polars as pl

from pantala.text.amounts import PAGE, count
from pantala.text.core_times import in_units
from pantala.text.notebook_page import page, table

if TYPE_CHECKING:
    from pantala.run_tables.run_like import InterferenceLike, RunLike

__all__ = ["experiment_html", "run_html"]


def run_html(run: RunLike) -> str:
    """Returns a run: its state, its machine, and a row per job."""
    return page(f"Run {run.document['plan']['name']}", _facts(run), _jobs(run, {}))


def experiment_html(experiment: InterferenceLike) -> str:
    """Returns an interference experiment: its state, and a row with the slowdown per job."""
    together = experiment.together
    slowdowns: dict[str, Any] = {}
    complete = bool(getattr(experiment, "complete", True))
    if complete:
        frame = experiment.slowdown.select("name", "slowdown").collect()
        slowdowns = dict(frame.iter_rows())
    facts = {**_facts(together), "state": "" if complete else "incomplete"}
    title = f"Interference experiment {experiment.name}: all jobs together"
    return page(title, facts, _jobs(together, slowdowns))


def _facts(run: RunLike) -> dict[str, str]:
    topology = run.document["plan"]["topology"]
    nodes = topology["p"] * topology["a"] * topology["g"]
    reason = in_units(run.document.get("diagnosis") or run.document.get("reason", ""))
    return {
        "state": "" if run.document["complete"] else f"incomplete ({reason.partition(chr(10))[0]})",
        "machine": f"{count(nodes)} nodes in {topology['g']} group{'s' * (topology['g'] != 1)}",
        "routing": str(run.document["plan"]["routing"]["algorithm"]),
        "seed": str(run.document["plan"]["seed"]),
        "simulated": PAGE.duration(run.document["simulated_ns"]),
        "directory": str(getattr(run, "path", "")),
    }


def _jobs(run: RunLike, slowdowns: Mapping[str, float | None]) -> str:
    jobs = run.jobs.select(
        "name",
        "ranks",
        "communication_time_mean_ns",
        "packet_latency_p50_ns",
        "packet_latency_p99_ns",
        pl.col("end_ns") - pl.col("start_ns"),
    ).collect()
    headings = ["job", "ranks", "communication", "latency p50", "p99", "run time"]

    def time(value: float | None) -> str:
        return "-" if value is None else PAGE.duration(value)

    rows = []
    for name, ranks, *times in jobs.iter_rows():
        slowdown = slowdowns.get(name)
        last = [] if not slowdowns else ["-" if slowdown is None else f"{slowdown:.2f}"]
        rows.append([name, count(ranks), *(time(value) for value in times), *last])
    return table([*headings, *(["slowdown"] if slowdowns else [])], rows)
