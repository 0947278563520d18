"""Measures the machine of Prisacari et al. with faster crossbars: `python docs/speedup.py DIR`.

Writes docs/studies/prisacari2015/speedup.md. The directory keeps the runs, so that an interrupted
run continues.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path

from study import table

from pantala.papers.prisacari2015.claims import inside
from pantala.papers.prisacari2015.model import estimate
from pantala.papers.prisacari2015.runs import CONFIGURATIONS, PATTERNS, SIZES, Size, Spec
from pantala.scenario import Scenario
from pantala.studies.simulate import Point, Record, simulate
from pantala.text.units import Duration

_TARGET = Path(__file__).parent / "studies" / "prisacari2015" / "speedup.md"
#: Speed-ups of the crossbar by name, and the sizes at which each is measured.
_SPEEDUPS = {"x1": 1.0, "x1.25": 1.25, "x2": 2.0}
_MEASURED = {"x1": SIZES[:4], "x1.25": SIZES[:3], "x2": SIZES[:4]}
_LINK = 5_000_000_000
#: The time of the first look at a throughput, in us.
_FIRST = {"minimal": 50, "valiant_group": 100, "valiant_node": 50, "random_groups": 100}
_FIRST_UNIFORM = {"minimal": 20, "valiant_group": 50, "valiant_node": 50}
_LONGEST = Duration(800 * 10**6)
_MAX_PACKETS = 2_000_000
#: The values of the paper, by pattern and configuration.
_PAPER = {
    ("uniform", "minimal"): "close to ideal (II, earlier work)",
    ("uniform", "valiant_group"): "50, the line of Fig. 3",
    ("uniform", "valiant_node"): "50, the line of Fig. 3",
} | {
    key: value
    for pattern in PATTERNS
    for key, value in {
        (pattern, "minimal"): "",
        (pattern, "valiant_group"): "about 3/(4p)",
        (pattern, "valiant_node"): "33 to 43",
        (pattern, "random_groups"): "valiant_group + about 10",
    }.items()
}

Records = Mapping[str, Record]


_HEAD = """# Prisacari et al., 2015: the speed-up of the crossbar

Throughput in % of the injection bandwidth, without a speed-up / with a speed-up of 2. A tilde marks
a point whose confidence interval is wider than ±1 %, or that has not settled.
"""


def main(directory: str) -> None:
    """Runs the missing measurements, and writes the page."""
    records = simulate(
        list(_points()),
        Path(directory),
        1,
        lambda record, kept: None if kept else print(record["key"], flush=True),
    )
    text = f"{_HEAD}\n{_throughputs(records)}\n{_agreement(records)}"
    _TARGET.write_text(text, encoding="utf-8")


def _points() -> Iterator[Point]:
    for name, speedup in _SPEEDUPS.items():
        for size in _MEASURED[name]:
            scenarios = {
                Spec(size, *each).key: Spec(size, *each).scenario(1)
                for each in product(PATTERNS, CONFIGURATIONS)
            }
            scenarios |= {
                f"{_label(size)}.uniform.{routing}": _uniform(size, routing)
                for routing in _FIRST_UNIFORM
            }
            for key, scenario in scenarios.items():
                _, pattern, configuration = key.split(".")
                first = (_FIRST_UNIFORM if pattern == "uniform" else _FIRST)[configuration]
                changes = {"machine.router.crossbar_bandwidth": f"{int(speedup * _LINK)} B/s"}
                point = scenario.replace(changes)
                yield Point(
                    f"{key}.{name}",
                    point,
                    Duration(first * 10**6),
                    _LONGEST,
                    _MAX_PACKETS,
                    size.nodes,
                )


def _label(size: Size) -> str:
    return f"{size.p}-{size.a}-{size.h}"


def _uniform(size: Size, routing: str) -> Scenario:
    """Returns the points of uniform traffic at the rate of the links."""
    workload = {
        "kind": "pattern",
        "pattern": "uniform",
        "load": 1.0,
        "injection": "periodic",
        "phase": "random",
    }
    return Scenario.from_dict(
        {
            "name": "uniform",
            "seed": 1,
            "machine": {"preset": f"prisacari2015({size.p},{size.a},{size.h})"},
            "routing": {"algorithm": routing},
            "jobs": [
                {
                    "name": "traffic",
                    "ranks": size.nodes,
                    "placement": "contiguous",
                    "workload": workload,
                }
            ],
            "stop": {"duration": "1 us"},
        }
    )


def _throughputs(records: Records) -> str:
    """Returns throughput without a speed-up and with one of 2, in % of the injection bandwidth."""
    sizes = _MEASURED["x2"]
    rows = []
    for (pattern, configuration), paper in _PAPER.items():
        cells = []
        for size in sizes:
            pair = [
                records[f"{_label(size)}.{pattern}.{configuration}.{name}"] for name in ("x1", "x2")
            ]
            cells.append(" / ".join(_cell(record) for record in pair))
        rows.append((pattern, configuration, paper, *cells))
    return table(
        ("pattern", "routing", "paper", *(f"{size.nodes:,} nodes" for size in sizes)), rows
    )


def _cell(record: Record) -> str:
    return f"{100 * record['accepted']:.1f}" + (
        "" if record["precise"] and record["steady"] else "~"
    )


def _agreement(records: Records) -> str:
    """Returns the agreement with the paper's values for each speed-up.

    It is given for up to 342 nodes and for all measured sizes.
    """
    rows = []
    for sizes in (SIZES[:3], SIZES[:4]):
        for name, speedup in _SPEEDUPS.items():
            if sizes[-1] not in _MEASURED[name]:
                continue

            def accepted(size: Size, pattern: str, configuration: str, name: str = name) -> float:
                return float(
                    records[f"{_label(size)}.{pattern}.{configuration}.{name}"]["accepted"]
                )

            runs = list(product(sizes, PATTERNS))
            any_ = [accepted(*run, "valiant_node") for run in runs]
            off = [abs(accepted(*run, "valiant_group") / estimate(run[0]) - 1) for run in runs]
            gains = [
                accepted(*run, "random_groups") - accepted(*run, "valiant_group") for run in runs
            ]
            uniform = [accepted(size, "uniform", "minimal") for size in sizes]
            within = sum(inside(value, 0.33, 0.43, 0.01) for value in any_)
            rows.append(
                (
                    f"{sizes[0].nodes} to {sizes[-1].nodes:,}",
                    f"{speedup:g}",
                    f"{within} of {len(any_)}, {100 * min(any_):.0f} to {100 * max(any_):.0f} %",
                    f"{100 * sum(off) / len(off):.0f} %",
                    f"{100 * sum(gains) / len(gains):.0f} points",
                    f"{100 * min(uniform):.0f} to {100 * max(uniform):.0f} %",
                )
            )
    headings = (
        "nodes",
        "speed-up",
        "valiant_node within 33 to 43 %",
        "valiant_group off 3/(4p), mean",
        "gain of random groups, mean",
        "uniform, minimal",
    )
    return table(headings, rows)


if __name__ == "__main__":
    main(*sys.argv[1:])
