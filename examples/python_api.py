"""A scenario in Python: a halo exchange under three routings.

python examples/python_api.py [DIRECTORY]
"""

import sys
from pathlib import Path

import polars as pl

import pantala as pt


def main(directory: Path) -> pl.DataFrame:
    """Runs the scenario under three routings and returns one row per routing."""
    scenario = pt.Scenario(
        name="sweep",
        machine={"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}},
        routing="minimal",
        jobs=[
            pt.Job(
                name="halo3d",
                ranks=64,
                workload=pt.Halo3d(
                    grid=(4, 4, 4),
                    message="16 KiB",
                    iterations=2,
                    compute="5 us",
                    start_delay="0 ns",
                ),
            ),
        ],
    )
    rows = []
    for routing in ("minimal", "valiant_node", "ugal_g"):
        run = pt.run(
            scenario.replace({"routing.algorithm": routing}), out=directory / routing, report=False
        )
        rows.append(
            {
                "routing": routing,
                "communication_time_mean_ns": run.metric(
                    "communication_time_mean_ns", job="halo3d"
                ),
                "packet_latency_p99_ns": run.metric("packet_latency_p99_ns", job="halo3d"),
                "link_hops_mean": run.metric("link_hops_mean", job="halo3d"),
            }
        )
    return pl.DataFrame(rows)


if __name__ == "__main__":
    print(main(Path(sys.argv[1] if len(sys.argv) > 1 else "runs/sweep")))
