"""Measures how far off runs with skipped time are: `PYTHONPATH=tools python docs/skipping.py DIR`.

Writes docs/explanation/made-skipping.md. DIR keeps the results, so that an interrupted measurement
continues. It took two processes 13 minutes, on two cores that other work used, too.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import fmean, median, stdev
from textwrap import fill
from typing import Any

import polars as pl

import pantala as pt
from markdown_table import table

_PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "made-skipping.md"

#: The version of the method, in each record: runs of another that skipped are made again.
_METHOD = 4
#: The tolerance of all runs that skip.
_TOLERANCE = "1 %"
#: Seeds with a run of both kinds, and seeds of full runs for their spread. The method was made with
#: others (1, 2 and 3).
_SEEDS, _SPREAD = (11, 12, 13), (11, 12, 13, 14, 15)
_ROUTINGS = ("minimal", "ugal_n", "par", "q_adaptive")

_SMALL = {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}}


def _job(name: str, ranks: int, kind: str, **keys: Any) -> dict[str, Any]:
    own = {key: keys.pop(key) for key in ("repeat", "start", "end", "compute_noise") if key in keys}
    workload = {"kind": kind, **keys}
    return {"name": name, "ranks": ranks, "placement": "random", **own, "workload": workload}


_HALO = {"grid": [4, 4, 2], "message": "16 KiB", "compute": "10 us"}
_FFT = {"grid": [4, 8], "row_message": "4 KiB", "column_message": "4 KiB"}


def _halo(name: str, iterations: int, **keys: Any) -> dict[str, Any]:
    return _job(name, 32, "halo3d", **{**_HALO, "iterations": iterations, **keys})


#: Jobs by the name of the case, on 72 nodes. Cases marked with * also run each job alone.
_CASES: Mapping[str, list[dict[str, Any]]] = {
    "halo alone": [_halo("halo", 300)],
    "fft alone": [_job("fft", 32, "fft3d", iterations=150, **_FFT)],
    "training alone": [
        _job("training", 64, "allreduce_loop", message="64 KiB", iterations=150, compute="40 us")
    ],
    "rare long messages": [_job("lammps", 64, "lammps", iterations=100)],
    "pair*": [_halo("halo", 300), _job("fft", 32, "fft3d", iterations=100, **_FFT)],
    "equal periods*": [_halo("one", 250), _halo("other", 250)],
    "no common period*": [
        _halo("halo", 250, compute_noise={"distribution": "normal", "share": 0.05}),
        _job("random", 36, "uniform_random", iterations=800),
    ],
    "mix of three": [
        _job(
            "fft",
            20,
            "fft3d",
            grid=[4, 5],
            row_message="4 KiB",
            column_message="4 KiB",
            iterations=100,
        ),
        _job(
            "halo", 27, "halo3d", grid=[3, 3, 3], message="16 KiB", compute="10 us", iterations=250
        ),
        _job("training", 24, "allreduce_loop", message="32 KiB", iterations=150, compute="30 us"),
    ],
    "starts and ends": [
        _halo("target", 500),
        _job("early", 16, "uniform_random", iterations=900),
        _job("late", 16, "uniform_random", iterations=900, start="5 ms"),
        {**_job("noise", 8, "pattern", pattern="uniform", load=0.1), "end": "8 ms"},
    ],
}


def _scenarios() -> Iterator[tuple[str, dict[str, Any], tuple[str, ...], tuple[int, ...]]]:
    """Yields name, tables, routings and seeds of each case."""
    for name, jobs in _CASES.items():
        tables = {"machine": _SMALL, "jobs": jobs, "interference": name.endswith("*")}
        yield name, tables, _ROUTINGS, _SPREAD
    large = [
        _job(
            "halo", 512, "halo3d", grid=[8, 8, 8], message="16 KiB", compute="10 us", iterations=120
        ),
        _job(
            "fft",
            512,
            "fft3d",
            grid=[16, 32],
            row_message="2 KiB",
            column_message="2 KiB",
            iterations=60,
        ),
    ]
    yield "1,056 nodes", {"machine": "kang2022", "jobs": large}, ("ugal_n", "par"), _SEEDS
    widest = [
        _job("milc", 4096, "milc", iterations=60),
    ]
    yield "8,448 nodes", {"machine": "wang2020_1d", "jobs": widest}, ("minimal",), _SEEDS[:1]


Key = tuple[str, str, int, bool]
Record = Mapping[str, Any]


def _measured(place: Path, key: Key, tables: Mapping[str, Any]) -> Record:
    """Returns the record of a run, which is made if it is not there."""
    name, routing, seed, skips = key
    title = f"{name}_{routing}_{seed}_{'skip' if skips else 'full'}"
    path = place / f"{title.replace(' ', '_').replace(',', '').replace('*', '')}.json"
    if not path.is_file() or (skips and _read(path)["method"] != _METHOD):
        data = {"name": "case", "seed": seed, "routing": routing, **tables}
        data["record"] = {
            "packets": "off",
            "messages": False,
            "iterations": True,
            "link_windows": False,
            "window": "10 us",
        }
        if skips:
            data["skip"] = _TOLERANCE
        result = pt.run(
            pt.Scenario.from_dict(data), place / "run", overwrite=True, progress=False, report=False
        )
        path.write_text(json.dumps(_record(result)), encoding="utf-8")
        print(title, flush=True)
    return _read(path)


def _read(path: Path) -> Record:
    record: Record = json.loads(path.read_text(encoding="utf-8"))
    return record


def _record(result: pt.Run | pt.Experiment) -> Record:
    run = result if isinstance(result, pt.Run) else result.together
    skipped = run.document.get("skipped") or {}
    values: dict[str, dict[str, float]] = {name: {} for name in _QUANTITIES}
    for row in run.jobs.collect().to_dicts():
        name = row["name"]
        if row["end_ns"] is not None:
            values["run time"][name] = row["end_ns"] - row["start_ns"]
            values["communication, mean"][name] = row["communication_time_mean_ns"]
            values["communication, longest"][name] = row["communication_time_max_ns"]
        values["p99 latency"][name] = row["packet_latency_p99_ns"]
    loads = run.links.group_by("class").agg(pl.col("bytes").sum()).collect()
    values["link load by class"] = dict(loads.iter_rows())
    if isinstance(result, pt.Experiment):
        for row in result.slowdown.collect().to_dicts():
            if row["slowdown"] is not None:
                values["slowdown"][row["name"]] = row["slowdown"]
    stated = {
        quantity: {job["job"]: job[key] for job in skipped.get("jobs", ())}
        for quantity, key in _STATED.items()
    }
    return {
        "cpu": run.document["provenance"]["cpu_seconds"],
        "share": skipped.get("simulated_share", 1.0),
        "jumps": skipped.get("jumps", 0),
        "text": skipped.get("text", ""),
        "stated": stated,
        "method": _METHOD,
        **values,
    }


#: The quantities whose error a run states, and its key in the run's document.
_STATED: Mapping[str, str] = {
    "run time": "run_time_error",
    "communication, mean": "communication_time_error",
}

#: Each quantity with its bars: median and 95th percentile of the error; None without one.
_QUANTITIES: Mapping[str, tuple[float, float | None] | None] = {
    "run time": (0.01, 0.03),
    "communication, mean": (0.01, 0.03),
    "communication, longest": (0.05, None),
    "slowdown": (0.02, 0.05),
    "p99 latency": (0.10, None),
    "link load by class": None,
}


def main(directory: str) -> None:
    """Runs what is missing and writes the page."""
    place = Path(directory)
    place.mkdir(parents=True, exist_ok=True)
    records: dict[Key, Record] = {}
    for name, tables, routings, spread in _scenarios():
        for routing in routings:
            for seed in spread:
                for skips in (False, True) if seed in _SEEDS else (False,):
                    key = (name, routing, seed, skips)
                    records[key] = _measured(place, key, tables)
    _PAGE.write_text(_page(records), encoding="utf-8")


def _errors(records: Mapping[Key, Record], quantity: str) -> list[tuple[Key, str, float]]:
    """Returns the relative error of each job and run that skipped time."""
    found = []
    for key, record in records.items():
        full = (*key[:3], False)
        if key[3] and record["jumps"]:
            for job, value in record[quantity].items():
                true = records[full][quantity].get(job)
                if true and value is not None:
                    found.append((key, job, value / true - 1))
    return found


def _page(records: Mapping[Key, Record]) -> str:
    skipped = [record for key, record in records.items() if key[3]]
    jumped = [record for record in skipped if record["jumps"]]
    lines = [
        "# Skipped time: the measured error",
        "",
        "`PYTHONPATH=tools python docs/skipping.py DIR` measures these tables. [Skipped",
        "time](skipping.md) explains the method.",
        "",
        f'{len(skipped)} runs with `skip = "{_TOLERANCE}"`, each against the run in full of the',
        f"same seed, on machines of 72, 1,056 and 8,448 nodes. {len(jumped)} of them skipped time;",
        "the others are equal to the full run. Errors are of runs that skipped, over jobs and",
        "seeds; of link loads, over classes. Cases with a star run each job alone, too.",
        "",
        "## Summary",
        "",
        _summary(records),
        "",
        _coverage(records),
        "",
        "## By case and routing",
        "",
        "*spread* is the deviation of full runs over seeds, relative to their mean, of the job",
        "with the largest; an error below it is marked with a dot. *simulated* is the mean share",
        "of the time.",
        "",
        _by_case(records),
        "",
        "## Where it fails",
        "",
        _failures(records),
        "",
    ]
    return "\n".join(lines)


def _percent(value: float) -> str:
    return f"{100 * value:.2f} %"


def _summary(records: Mapping[Key, Record]) -> str:
    rows = []
    for quantity, bars in _QUANTITIES.items():
        errors = sorted(abs(error) for _, _, error in _errors(records, quantity))
        if not errors:
            continue
        high = errors[min(len(errors) - 1, int(0.95 * len(errors)))]
        asked = (
            ""
            if bars is None
            else " and ".join(f"{100 * bar:g} %" for bar in bars if bar is not None)
        )
        rows.append(
            (
                quantity,
                str(len(errors)),
                _percent(median(errors)),
                _percent(high),
                _percent(errors[-1]),
                asked,
            )
        )
    heading = ("error of", "values", "median", "95 % of them below", "largest", "bar")
    return table(heading, rows)


def _coverage(records: Mapping[Key, Record]) -> str:
    rows = []
    for quantity in _STATED:
        pairs = [
            (abs(error), records[key]["stated"][quantity].get(job))
            for key, job, error in _errors(records, quantity)
        ]
        known = [(error, stated) for error, stated in pairs if stated is not None]
        if not known:
            continue
        inside = sum(error <= stated for error, stated in known)
        rows.append(
            (
                quantity,
                str(len(known)),
                f"{inside} ({100 * inside / len(known):.0f} %)",
                _percent(median(stated for _, stated in known)),
            )
        )
    if not rows:
        return "No run skipped time."
    heading = ("stated error of", "values", "covers the true one in", "median stated")
    return table(heading, rows)


def _by_case(records: Mapping[Key, Record]) -> str:
    cases = list(dict.fromkeys(key[:2] for key in records))
    rows = []
    for case in cases:
        runs = [record for key, record in records.items() if key[:2] == case and key[3]]
        row = [*case, f"{100 * fmean(run['share'] for run in runs):.0f} %"]
        for quantity in ("run time", "communication, mean", "slowdown", "p99 latency"):
            errors = [abs(e) for key, _, e in _errors(records, quantity) if key[:2] == case]
            spread = _spread(records, case, quantity)
            cell = "" if not errors else _percent(max(errors))
            dot = " ·" if errors and spread is not None and max(errors) < spread else ""
            row += [cell + dot, "" if spread is None else _percent(spread)]
        rows.append(tuple(row))
    heading = ["case", "routing", "simulated"]
    for quantity in ("run time", "communication", "slowdown", "p99"):
        heading += [quantity, "spread"]
    return table(tuple(heading), rows, left=2)


def _spread(records: Mapping[Key, Record], case: tuple[str, str], quantity: str) -> float | None:
    """Returns the largest relative deviation over seeds of a job's value in full runs."""
    full = [record[quantity] for key, record in records.items() if key[:2] == case and not key[3]]
    jobs = [job for job in (full[0] if full else {}) if all(each.get(job) for each in full)]
    if len(full) < 2 or not jobs:
        return None
    return max(
        stdev(each[job] for each in full) / fmean(each[job] for each in full) for job in jobs
    )


def _failures(records: Mapping[Key, Record]) -> str:
    worst = sorted(_errors(records, "run time"), key=lambda each: -abs(each[2]))[:5]
    lines = ["The largest errors of run times:", ""]
    for key, job, error in worst:
        stated = records[key]["stated"]["run time"].get(job, 0.0)
        lines.append(
            f"- {key[0]}, {key[1]}, seed {key[2]}, {job}: {100 * error:+.2f} %, stated"
            f" {_percent(stated)}; {100 * records[key]['share']:.0f} % simulated"
        )
    lines += ["", "The largest error of each other number:", ""]
    for quantity in list(_QUANTITIES)[1:]:
        key, job, error = max(_errors(records, quantity), key=lambda each: abs(each[2]))
        others = _spread(records, key[:2], quantity)
        beside = "" if others is None else f"; full runs of five seeds spread by {_percent(others)}"
        lines.append(
            f"- {quantity}: {key[0]}, {key[1]}, seed {key[2]}, {job}: {100 * error:+.2f} %{beside}"
        )
    none = [(key, record) for key, record in records.items() if key[3] and not record["jumps"]]
    if none:
        lines += ["", "Runs that skipped nothing, and what the detector saw:", ""]
        shown: dict[tuple[str, str], str] = {}
        for key, record in none:
            shown.setdefault(key[:2], record["text"].rsplit("simulated: ", 1)[-1])
        lines += [f"- {name}, {routing}: {text}" for (name, routing), text in shown.items()]
    return "\n".join(map(_wrapped, lines))


def _wrapped(line: str) -> str:
    return fill(line, 100, subsequent_indent="  ", break_on_hyphens=False)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: PYTHONPATH=tools python docs/skipping.py DIRECTORY")
    main(sys.argv[1])
