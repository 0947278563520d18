"""The applications of Wang et al. (IPDPS 2020), and the tables of AlexNet's validation.

Source: Wang et al., "Union: An Automatic Workload Manager for Accelerating Network Simulation",
IPDPS 2020, IV.B, Tables IV and V: ranks, message sizes, calls and received bytes. These do not
depend on the network, so nothing is run. Table V is read as bytes received: 6.33e11 B in Allreduces
by every rank, and 2.47e8 B more in broadcasts by all ranks but the root.
"""

from __future__ import annotations

from typing import Any

from pantala.core import native
from pantala.papers.application_table import Column, PaperTable, Row
from pantala.scenario import AlexNet, Scenario

__all__ = ["TABLE"]

_MIB, _KIB = 2.0**20, 2.0**10


def _rows(seed: int) -> list[Row]:
    # The first mix with each application, and the paper's values.
    said: dict[str, tuple[str, str, dict[str, float]]] = {
        "CosmoFlow": ("cosmoflow", "workload1", {"ranks": 1_024, "largest_bytes": 28.15 * _MIB}),
        "AlexNet": (
            "alexnet",
            "workload1",
            {
                "ranks": 512,
                "init_calls": 512,
                "finalize_calls": 512,
                "bcast_calls": 1_969,
                "allreduce_calls": 1_958,
                "allreduce_bytes": 6.33e11,
                "bcast_bytes": 2.47e8,
            },
        ),
        "LAMMPS": (
            "lammps",
            "workload1",
            {"ranks": 2_048, "smallest_bytes": 4, "largest_bytes": 135 * _KIB},
        ),
        "NN": (
            "nn",
            "workload1",
            {"ranks": 512, "smallest_bytes": 128 * _KIB, "largest_bytes": 128 * _KIB},
        ),
        "UR": (
            "ur",
            "workload1",
            {"ranks": 4_096, "smallest_bytes": 10 * _KIB, "largest_bytes": 10 * _KIB},
        ),
        "MILC": ("milc", "workload2", {"ranks": 4_096, "largest_bytes": 486 * _KIB}),
        # The paper prints KiB; see the application.
        "Nekbone": (
            "nekbone",
            "workload3",
            {"ranks": 2_197, "smallest_bytes": 8, "largest_bytes": 165 * _KIB},
        ),
    }
    rows = []
    for application, (name, workload, paper) in said.items():
        alone = Scenario.from_dict(
            {
                "name": f"wang2020-{name}",
                "seed": seed,
                "machine": "wang2020_1d",
                "routing": "minimal",
                "jobs": f"wang2020.{workload}",
            }
        )
        (job,) = (job for job in alone.jobs if job.name == name)
        if name == "alexnet":  # the whole training
            job = job.model_copy(update={"workload": AlexNet()})
        rows.append(Row(application, alone.model_copy(update={"jobs": (job,)}), paper))
    return rows


def _of_plan(plan: dict[str, Any]) -> dict[str, float]:
    """Returns ranks, sizes, and the calls and received bytes in collectives.

    Calls of Init and Finalize are summed over ranks, the other calls are those of a rank, as in
    Table IV. Bytes are those of the ranks after the first.
    """
    ranks = native.communication(plan)[0]["ranks"]
    sizes = [size for rank in ranks for size in rank["sizes"].values()]
    known = {
        "ranks": len(ranks),
        # Each rank starts and ends its program once.
        "init_calls": len(ranks),
        "finalize_calls": len(ranks),
        "smallest_bytes": min(least for least, _ in sizes),
        "largest_bytes": max(most for _, most in sizes),
    }
    for kind in ("bcast", "allreduce"):
        calls = {rank["calls"].get(kind, 0) for rank in ranks}
        if calls == {0}:
            continue
        received = [rank["collective_bytes_received"].get(kind, 0) for rank in ranks[1:]]
        known |= {f"{kind}_calls": max(calls), f"{kind}_bytes": max(received)}
    return known


TABLE = PaperTable(
    name="wang2020",
    title="Applications",
    source="Wang et al. (IPDPS 2020), IV.B, Tables IV and V",
    rows=_rows,
    columns=(
        Column("ranks", "ranks"),
        Column("smallest_bytes", "smallest B"),
        Column("largest_bytes", "largest KiB", _KIB),
        Column("init_calls", "inits"),
        Column("finalize_calls", "finalizes"),
        Column("bcast_calls", "bcasts"),
        Column("allreduce_calls", "allreduces"),
        Column("bcast_bytes", "bcast MB", 1e6),
        Column("allreduce_bytes", "allreduce GB", 1e9),
    ),
    of_plan=_of_plan,
)
