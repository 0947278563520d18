"""Table I of Chunduri et al. (IPDPS 2021): six applications, each alone on 256 nodes of Theta.

Source: Chunduri et al., "Performance Evaluation of Adaptive Routing on Dragonfly-based Production
Systems", IPDPS 2021, Table I: sizes of messages and collectives, the share of MPI in the run time,
and the three calls with the largest shares of MPI time.

The paper profiles production runs and does not state their routing. Here each application has the
machine for itself, random placement and the preset's routing (AD0, AD1 for all-to-alls). The
iterations are alike, so few are run. An iteration of Rayleigh sends 11 GB; its packets are 4 KiB
long, because there would be 172 million packets of 64 B.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from pantala.metrics.times import OUTSIDE
from pantala.papers.application_table import Column, PaperTable, Record, Row
from pantala.results.run import Run
from pantala.scenario import Scenario

__all__ = ["TABLE", "of_calls"]

_RANKS = 256
_PLACES = ("first", "second", "third")


def of_calls(run: Run) -> Record:
    """Measures the values of an MPI profile for the first job of a run.

    Returns:
        ``mpi_percent``, the share of MPI in a rank's time; ``first_call`` to ``third_call``, the
        calls with the largest shares of MPI time, and ``first_percent`` to ``third_percent``, these
        shares; ``message_bytes``, the mean over all sends; ``collective_bytes``, the mean bytes per
        call that a rank gives to the collective with the most bytes.
    """
    ranks = run.ranks.filter(pl.col("job") == 0)
    times = (
        ranks.select(pl.col("compute_time_ns", "communication_time_ns").sum())
        .collect()
        .row(0, named=True)
    )
    calls = (
        run.calls.filter(pl.col("job") == 0, ~pl.col("call").is_in(OUTSIDE))
        .sort("time_ns", "call", descending=[True, False])
        .collect()
    )
    rows = calls.to_dicts()
    spent = times["communication_time_ns"]
    found: Record = {"mpi_percent": 100 * spent / (spent + times["compute_time_ns"])}
    for place, row in zip(_PLACES, rows, strict=False):
        if row["time_ns"] > 0:
            found |= {
                f"{place}_call": row["call"],
                f"{place}_percent": 100 * row["time_ns"] / spent,
            }
    sends = [row for row in rows if row["call"] in {"send", "isend"}]
    collectives = [row for row in rows if row["call"] in {"allreduce", "alltoallv"}]
    found["message_bytes"] = _mean(sends)
    found["collective_bytes"] = _mean(sorted(collectives, key=lambda row: -row["bytes"])[:1])
    return found


def _mean(rows: list[dict[str, Any]]) -> float | None:
    calls: int = sum(row["calls"] for row in rows)
    return sum(row["bytes"] for row in rows) / calls if calls else None


def _row(
    application: str,
    iterations: int,
    seed: int,
    paper: tuple[float, str, str, str, str, str],
    packet: str | None = None,
) -> Row:
    """Returns a row of the table.

    Args:
        application: the paper's name.
        iterations: the number of iterations.
        seed: the scenario's seed.
        paper: percentage of MPI, its three calls, point-to-point messages, collectives.
        packet: the size of a packet, if it differs from the machine's.
    """
    kind = application.lower()
    job = {"name": kind, "ranks": _RANKS, "workload": {"kind": kind, "iterations": iterations}}
    machine = {"preset": "theta"} | ({} if packet is None else {"packet": packet})
    scenario = Scenario.from_dict(
        {"name": f"chunduri2021-{kind}", "seed": seed, "machine": machine, "jobs": [job]}
    )
    keys = (
        "mpi_percent",
        *(f"{place}_call" for place in _PLACES),
        "message_bytes",
        "collective_bytes",
    )
    return Row(application, scenario, dict(zip(keys, paper, strict=True)))


def _rows(seed: int) -> list[Row]:
    return [
        _row("MILC", 2, seed, (52, "allreduce", "wait", "isend", "heavy (KB)", "8 B")),
        _row("MILCREORDER", 2, seed, (50, "wait", "allreduce", "isend", "heavy (KB)", "8 B")),
        _row(
            "Nek5000", 4, seed, (48, "allreduce", "waitall", "recv", "medium (KB)", "light (16 B)")
        ),
        _row(
            "HACC", 1, seed, (22, "wait", "waitall", "allreduce", "light (> 1 MB)", "light (1 KB)")
        ),
        _row(
            "Qbox", 2, seed, (66, "alltoallv", "recv", "wait", "medium (50 KB)", "medium (128 KB)")
        ),
        _row(
            "Rayleigh",
            1,
            seed,
            (28, "alltoallv", "send", "barrier", "none", "heavy (23 MB)"),
            packet="4 KiB",
        ),
    ]


TABLE = PaperTable(
    name="chunduri2021",
    title="Communication",
    source="Chunduri et al. (IPDPS 2021), Table I",
    rows=_rows,
    columns=(
        Column("mpi_percent", "MPI %"),
        Column("first_call", "call 1"),
        Column("second_call", "call 2"),
        Column("third_call", "call 3"),
        Column("message_bytes", "message B"),
        Column("collective_bytes", "collective B"),
    ),
    of_run=of_calls,
    keep=("jobs", "ranks", "calls"),
)
