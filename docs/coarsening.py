"""Measures what coarse runs gain and how far off they are: `python docs/coarsening.py DIRECTORY`.

Writes docs/explanation/made-coarsening.md, and the known error that every coarse run states. The
directory keeps the runs, so that an interrupted measurement continues. It takes about ten minutes
of CPU time.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import permutations
from pathlib import Path
from statistics import fmean, median
from typing import Any

import polars as pl

import pantala as pt
from markdown_table import table

_ROOT = Path(__file__).parents[1]
_PAGE = _ROOT / "docs" / "explanation" / "made-coarsening.md"
_ERRORS = _ROOT / "crates" / "pantala-sim" / "src" / "plan" / "coarsen" / "known_errors.json"

_COARSE = (2, 4, 8)
_SEEDS = (1, 2, 3)
_ROUTINGS = ("minimal", "ugal_n", "par", "q_adaptive")
#: The share of links between routers that count as the busiest.
_BUSIEST = 0.05

_HALO = {
    "kind": "halo3d",
    "grid": [4, 4, 4],
    "message": "64 KiB",
    "iterations": 6,
    "compute": "10 us",
}
_FFT = {
    "kind": "fft3d",
    "grid": [8, 8],
    "row_message": "32 KiB",
    "column_message": "32 KiB",
    "iterations": 2,
}
_GRID = {
    "preset": "kang2022",
    "topology": {"kind": "dragonfly_2d", "p": 2, "rows": 2, "columns": 4, "h": 2, "g": 9},
    "links": {name: {"bandwidth": "25 GB/s", "latency": "30 ns"} for name in ("row", "column")},
}


def _job(name: str, ranks: int, kind: str, **keys: Any) -> dict[str, Any]:
    return {"name": name, "ranks": ranks, "workload": {"kind": kind, **keys}}


def _example(name: str, changes: Mapping[str, Any]) -> pt.Scenario:
    return pt.Scenario.from_toml(_ROOT / "examples" / f"{name}.toml", changes=changes)


def _jobs(machine: Mapping[str, Any], *jobs: dict[str, Any]) -> pt.Scenario:
    data = {
        "name": "case",
        "interference": True,
        "machine": machine,
        "routing": "minimal",
        "jobs": list(jobs),
    }
    return pt.Scenario.from_dict(data)


def _scenarios() -> dict[str, pt.Scenario]:
    """Returns the scenarios by name, on machines of 72 to 288 nodes.

    Links, routers and packets are those of kang2022.
    """
    small = {"preset": "kang2022", "topology": {"g": 5}}
    return {
        "interference, 288 nodes": _example(
            "interference",
            {
                "machine.topology.g": 9,
                "jobs.fft3d.ranks": 144,
                "jobs.fft3d.workload.grid": [12, 12],
                "jobs.fft3d.workload.compute_forward": "180 us",
                "jobs.fft3d.workload.compute_backward": "180 us",
                "jobs.halo3d.ranks": 144,
                "jobs.halo3d.workload.grid": [4, 6, 6],
                "jobs.halo3d.workload.iterations": 6,
            },
        ),
        "quickstart": _example("quickstart", {}),
        "mix of four": _jobs(
            small,
            _job("lu", 36, "lu", iterations=2),
            _job("stencil5d", 32, "stencil5d", iterations=1),
            _job("lqcd", 32, "lqcd", iterations=1),
            _job("uniform_random", 48, "uniform_random", iterations=200),
        ),
        "2D machine": _jobs(_GRID, _job("halo", 64, **_HALO), _job("fft", 64, **_FFT)),
        "ML and HPC": _jobs(
            small,
            _job(
                "training", 64, "allreduce_loop", message="256 KiB", iterations=3, compute="40 us"
            ),
            _job("lqcd", 64, "lqcd", iterations=1),
        ),
        "beside a pattern": _example("patterns", {}),
    }


_HEAD = """# Coarse runs: the measured error

`python docs/coarsening.py DIRECTORY` measures these tables. [Coarse
runs](coarsening.md#the-known-error) says what is compared.

## Summary
"""
_BY_CASE = """## By scenario and routing

Each cell gives the difference in % for `coarsen` = 2 / 4 / 8. *seeds* is the largest difference
between two runs of full detail with different seeds.
"""


def main(directory: str) -> None:
    """Runs the missing measurements, and writes the page and the known errors."""
    place = Path(directory)
    place.mkdir(parents=True, exist_ok=True)
    records = {}
    for case, scenario in _cases():
        for seed in _SEEDS:
            for coarsen in (1, *_COARSE):
                records[case, seed, coarsen] = _measured(place, case, scenario, seed, coarsen)
    cases = list(dict.fromkeys(case for case, _, _ in records))
    first = _by_case(cases, records, "slowdown", "communication time")
    second = _by_case(cases, records, "message latency", "utilization of the busiest links")
    text = f"{_HEAD}\n{_summary(cases, records)}\n{_BY_CASE}\n{first}\n{second}"
    _PAGE.write_text(text, encoding="utf-8")
    _ERRORS.write_text(json.dumps(_known(cases, records), indent=2) + "\n", encoding="utf-8")


Case = tuple[str, str]
Record = Mapping[str, Any]
Records = Mapping[tuple[Case, int, int], Record]


def _cases() -> Iterator[tuple[Case, pt.Scenario]]:
    for name, scenario in _scenarios().items():
        for routing in _ROUTINGS:
            if routing != "q_adaptive" or scenario.machine.topology.kind == "dragonfly":
                yield (name, routing), scenario.replace({"routing": routing})


def _measured(place: Path, case: Case, scenario: pt.Scenario, seed: int, coarsen: int) -> Record:
    """Returns the record of a run: quantity to value by job, and CPU time."""
    key = "_".join([*case, str(seed), str(coarsen)]).replace(" ", "_").replace(",", "")
    path = place / f"{key}.json"
    if not path.is_file():
        changed = scenario.replace({"seed": seed, "detail.coarsen": coarsen})
        result = pt.run(changed, place / "run", overwrite=True, progress=False, report=False)
        path.write_text(json.dumps(_record(result)), encoding="utf-8")
        print(key, flush=True)
    record: Record = json.loads(path.read_text(encoding="utf-8"))
    return record


def _record(result: pt.Run | pt.Experiment) -> Record:
    runs = (
        {"together": result}
        if isinstance(result, pt.Run)
        else {"together": result.together, **result.alone}
    )
    together = runs["together"]
    values: dict[str, dict[str, float | None]] = {name: {} for name in _QUANTITIES}
    for name, run in runs.items():
        for row in run.jobs.collect().to_dicts():
            job = row["name"] if name == "together" else f"{row['name']} alone"
            values["communication time"][job] = row["communication_time_mean_ns"]
            values["message latency"][job] = row["message_latency_mean_ns"]
            values["packet latency"][job] = row["packet_latency_mean_ns"]
    if isinstance(result, pt.Experiment):
        for row in result.slowdown.collect().to_dicts():
            values["slowdown"][row["name"]] = row["slowdown"]
    links = together.links.filter(
        pl.col("source_router").is_not_null() & pl.col("target_router").is_not_null()
    )
    loads = links.select(pl.col("utilization").sort(descending=True)).collect()["utilization"]
    values["utilization of the busiest links"]["all"] = loads.head(
        max(1, round(_BUSIEST * len(loads)))
    ).mean()
    cpu = sum(run.document["provenance"]["cpu_seconds"] for run in runs.values())
    return {"cpu_seconds": cpu, **values}


_QUANTITIES = (
    "slowdown",
    "communication time",
    "message latency",
    "packet latency",
    "utilization of the busiest links",
)


def _errors(cases: list[Case], records: Records, quantity: str, coarsen: int) -> list[float]:
    """Returns the relative differences from full-detail runs of the same seed.

    There is one number per case, seed and job.
    """
    return [
        other / value - 1
        for case in cases
        for seed in _SEEDS
        for job, value in records[case, seed, 1][quantity].items()
        if value and (other := records[case, seed, coarsen][quantity][job])
    ]


def _between_seeds(cases: list[Case], records: Records, quantity: str) -> list[float]:
    """Returns the relative differences between two full-detail runs with different seeds.

    The seed sets nodes and draws.
    """
    return [
        other / value - 1
        for case in cases
        for one, two in permutations(_SEEDS, 2)
        for job, value in records[case, one, 1][quantity].items()
        if value and (other := records[case, two, 1][quantity][job])
    ]


def _speeds(cases: list[Case], records: Records, coarsen: int) -> list[float]:
    """Returns the CPU time in full detail over the CPU time of coarse runs, per case."""

    def seconds(case: Case, coarsen: int) -> float:
        return sum(float(records[case, seed, coarsen]["cpu_seconds"]) for seed in _SEEDS)

    return [seconds(case, 1) / seconds(case, coarsen) for case in cases]


def _summary(cases: list[Case], records: Records) -> str:
    """Returns median and maximum of the errors of all quantities.

    The differences between seeds stand beside them.
    """

    def cell(errors: list[float]) -> str:
        sizes = [abs(error) for error in errors]
        return f"{_percent(median(sizes))}, {_percent(max(sizes))}"

    rows = [
        (
            quantity,
            *(cell(_errors(cases, records, quantity, coarsen)) for coarsen in _COARSE),
            cell(_between_seeds(cases, records, quantity)),
        )
        for quantity in _QUANTITIES
    ]
    speeds = [_speeds(cases, records, coarsen) for coarsen in _COARSE]
    rows.append(
        (
            "times as fast",
            *(f"{median(each):.1f} ({min(each):.1f} to {max(each):.1f})" for each in speeds),
            "",
        )
    )
    return table(
        (
            "median and largest difference",
            *(f"coarsen = {coarsen}" for coarsen in _COARSE),
            "two seeds",
        ),
        rows,
    )


def _by_case(cases: list[Case], records: Records, *quantities: str) -> str:
    """Returns the speed and the mean error of the worst job, for every scenario and routing.

    The mean is over seeds.
    """
    rows = []
    for case in cases:
        told = [_side_by_side(f"{_speeds([case], records, coarsen)[0]:.1f}" for coarsen in _COARSE)]
        for quantity in quantities:
            if not records[case, _SEEDS[0], 1][quantity]:
                told += ["", ""]
                continue
            told.append(
                _side_by_side(
                    _signed(_worst(case, records, quantity, coarsen)) for coarsen in _COARSE
                )
            )
            told.append(_percent(_apart(case, records, quantity)))
        rows.append((*case, *told))
    headings = ["scenario", "routing", "times as fast"]
    for quantity in quantities:
        headings += [quantity, "seeds"]
    return table(tuple(headings), rows)


def _side_by_side(values: Iterable[str]) -> str:
    """Returns the values of coarsen = 2, 4 and 8, on one line."""
    return " / ".join(values).replace(" ", "\u00a0")


def _worst(case: Case, records: Records, quantity: str, coarsen: int) -> float:
    """Returns the mean error over seeds of the job with the largest mean error."""
    jobs = [job for job, value in records[case, _SEEDS[0], 1][quantity].items() if value]

    def mean(job: str) -> float:
        pairs = [
            [records[case, seed, each][quantity][job] for each in (coarsen, 1)] for seed in _SEEDS
        ]
        return fmean(coarse / fine - 1 for coarse, fine in pairs)

    return max(map(mean, jobs), key=abs)


def _apart(case: Case, records: Records, quantity: str) -> float:
    """Returns the median difference between two seeds of the job with the largest one."""
    jobs = [job for job, value in records[case, _SEEDS[0], 1][quantity].items() if value]

    def apart(job: str) -> float:
        values = [records[case, seed, 1][quantity][job] for seed in _SEEDS]
        return median(abs(two / one - 1) for one, two in permutations(values, 2))

    return max(map(apart, jobs))


def _known(cases: list[Case], records: Records) -> dict[str, dict[str, float]]:
    """Returns the statement of coarse runs about themselves."""

    def both(errors: list[float], name: str) -> dict[str, float]:
        sizes = [100 * abs(error) for error in errors]
        return {f"{name}_median": round(median(sizes), 1), f"{name}_most": round(max(sizes), 1)}

    return {
        str(coarsen): {
            "cases": len(cases),
            **both(_errors(cases, records, "slowdown", coarsen), "slowdown"),
            **both(_between_seeds(cases, records, "slowdown"), "seeds"),
            **both(_errors(cases, records, "communication time", coarsen), "communication"),
        }
        for coarsen in _COARSE
    }


def _percent(share: float) -> str:
    return f"{100 * share:.1f}\u00a0%"


def _signed(share: float) -> str:
    return f"{100 * share:+.1f}"


if __name__ == "__main__":
    main(*sys.argv[1:])
