"""Table 2 of Yang et al. (SC 2016): the bytes that the applications of both workloads send.

Source: Yang et al., "Watch Out for the Bully! Job Interference Study on Dragonfly Network", SC
2016, Table 2. Its MB are 10^6 bytes. The bytes that a rank sends do not depend on the network, so
nothing is run.
"""

from __future__ import annotations

from typing import Any

from pantala.core import native
from pantala.papers.application_table import Column, PaperTable, Row
from pantala.scenario import Amg, CrystalRouter, Job, MultiGrid, Scenario
from pantala.workloads import Workload

__all__ = ["TABLE"]


def _rows(seed: int) -> list[Row]:
    applications: list[tuple[str, Workload, int, float, float]] = [
        ("AMG", Amg(), 216, 0.6, 130),
        ("MultiGrid", MultiGrid(), 125, 5, 625),
        ("CrystalRouter", CrystalRouter(), 100, 35, 3_500),
        ("sAMG", Amg(amplification=100), 216, 60, 13_000),
    ]
    rows = []
    for name, workload, ranks, of_rank, total in applications:
        job = Job(name=name.lower(), ranks=ranks, workload=workload)
        scenario = Scenario(
            name=f"yang2016-{name.lower()}",
            seed=seed,
            machine="yang2016",
            routing="minimal",
            jobs=(job,),
        )
        rows.append(
            Row(name, scenario, {"ranks": ranks, "mb_per_rank": of_rank, "total_mb": total})
        )
    return rows


def _of_plan(plan: dict[str, Any]) -> dict[str, float]:
    """Returns the ranks and the bytes that they send: mean per rank and total, in 10^6 B."""
    ranks = native.communication(plan)[0]["ranks"]
    total = sum(rank["bytes_sent"] for rank in ranks) / 1e6
    return {"ranks": len(ranks), "mb_per_rank": total / len(ranks), "total_mb": total}


TABLE = PaperTable(
    name="yang2016",
    title="Applications",
    source="Yang et al. (SC 2016), Table 2",
    rows=_rows,
    columns=(
        Column("ranks", "ranks"),
        Column("mb_per_rank", "MB a rank"),
        Column("total_mb", "total MB"),
    ),
    of_plan=_of_plan,
)
