"""Table I of Kang et al. (SC 2022): nine applications, each alone under Q-adaptive routing.

Source: Kang et al., "Study of Workload Interference with Intelligent Routing on Dragonfly", SC
2022, Table I; communication times from section V, where the text gives them. The paper does not say
which run produced Table I. This module assumes a run under Q-adaptive routing from a cold start,
with random placement, on the host stack of the authors' platform file. The table's MB are 10^6
bytes on the wire; its execution times begin at time zero.
"""

from __future__ import annotations

from dataclasses import replace

from pantala.papers.application_table import Column, PaperTable, Row
from pantala.scenario import (
    CosmoFlow,
    Dl,
    Fft3d,
    Halo3d,
    Job,
    Lqcd,
    Lu,
    Lulesh,
    Scenario,
    Stencil5d,
    UniformRandom,
)
from pantala.text.units import Size
from pantala.workloads import Workload

__all__ = ["TABLE"]

_RANKS, _CUBE = 528, 512
_MACHINE = "kang2022"


def _alone(application: str, workload: Workload, seed: int, ranks: int | None = None) -> Scenario:
    """Returns an application alone on the paper's machine, on the paper's number of ranks.

    LULESH needs a cube and gets 512 ranks instead of 528.
    """
    ranks = ranks or (_CUBE if isinstance(workload, Lulesh) else _RANKS)
    name = application.lower()
    job = Job(name=name, ranks=ranks, workload=workload)
    return Scenario(
        name=f"kang2022-{name}",
        seed=seed,
        machine=_MACHINE,
        mpi="sst_sc22",
        routing="q_adaptive",
        jobs=(job,),
    )


def _rows(seed: int) -> list[Row]:
    # Total MB, execution ms, injection rate GB/s, peak ingress B, and communication ms if the text
    # gives it.
    applications: list[tuple[str, Workload, tuple[float, ...]]] = [
        ("UR", UniformRandom(), (11_829.48, 13.31, 888.48, 3_070)),
        ("LU", Lu(), (13_713.22, 13.71, 999.88, 30_000, 13.24)),
        ("FFT3D", Fft3d(), (15_781.09, 12.53, 1_259.35, 51_680, 5.35)),
        ("Halo3D", Halo3d(), (47_769.10, 10.85, 4_403.81, 1_150_000)),
        ("LQCD", Lqcd(), (11_924.31, 13.79, 864.70, 4_600_000, 13.43)),
        ("Stencil5D", Stencil5d(), (9_833.95, 13.70, 717.87, 14_000_000)),
        ("CosmoFlow", CosmoFlow(), (2_373.84, 13.65, 173.86, 2_250_000, 2.77)),
        ("DL", Dl(), (9_714.44, 11.86, 819.12, 2_300_000)),
        ("LULESH", Lulesh(), (17_900.12, 12.34, 1_450.78, 1_950_000)),
    ]
    keys = (
        "total_mb",
        "execution_ms",
        "injection_gb_per_s",
        "peak_ingress_bytes",
        "communication_ms",
    )
    rows = {
        name: Row(name, _alone(name, workload, seed), dict(zip(keys, paper, strict=False)))
        for name, workload, paper in applications
    }
    # The paper gives the peaks of LULESH's phases separately.
    sweep = _alone("LULESH-sweep", Lulesh(message=Size(0), iterations=1), seed)
    rows["LULESH"] = replace(
        rows["LULESH"],
        paper={**rows["LULESH"].paper, "sweep_peak_ingress_bytes": 14_910},
        elsewhere={"sweep_peak_ingress_bytes": ("peak_ingress_bytes", sweep)},
    )
    return list(rows.values())


TABLE = PaperTable(
    name="kang2022",
    title="Applications",
    source="Kang et al. (SC 2022), Table I",
    rows=_rows,
    columns=(
        Column("payload_mb", "payload MB"),
        Column("total_mb", "wire MB"),
        Column("execution_ms", "execution ms"),
        Column("injection_gb_per_s", "rate GB/s"),
        Column("peak_ingress_bytes", "peak ingress KB", 1e3),
        Column("communication_ms", "communication ms"),
    ),
)
