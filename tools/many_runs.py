"""What a store of many runs costs to read: `PYTHONPATH=tools python -m many_runs [RUNS]`.

The runs are copies of a few that the core simulates (72 nodes, a few milliseconds each) under the
identities of an experiment, so that 10,000 of them are made in a minute. Each command then runs in
a process of its own. The table shows its CPU time and its peak memory, start-up included.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from markdown_table import table
from pantala.experiments.description import Description, describe
from pantala.experiments.listing import list_runs
from pantala.store.consolidate import Segments
from pantala.store.index import Index
from pantala.store.run_store import RunStore
from pantala.store.worker import Task, perform

_SCENARIO: dict[str, Any] = {
    "name": "many",
    "machine": {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}},
    "routing": "minimal",
    "jobs": [
        {
            "name": "halo",
            "ranks": 32,
            "workload": {
                "kind": "halo3d",
                "grid": [4, 4, 2],
                "message": "1 KiB",
                "iterations": 1,
                "compute": "1 us",
            },
        },
        {
            "name": "noise",
            "ranks": 16,
            "workload": {
                "kind": "uniform_random",
                "message": "2 KiB",
                "iterations": 4,
                "compute": "1 us",
            },
        },
    ],
}
#: The axes by the name of the experiment; N stands for the number that makes up all runs.
_SHAPES = {
    "seeds": "seeds alone: 10,000",
    "grid": "4 routings x 5 placements x 500 seeds",
    "values": "one axis of 10,000 values, no seeds",
}
#: Simulated runs; the others are copies of them.
_SIMULATED = 16
_COMMANDS = {
    "`sweep --dry-run`, first time": ["sweep", "{file}", "--out", "{new}", "--dry-run"],
    "`sweep --dry-run`": ["sweep", "{file}", "--out", "{store}", "--dry-run"],
    "`status`": ["status", "{store}"],
    '`table("jobs")`': [
        "-c",
        "import pantala as pt; print(pt.Experiment('{store}').table('jobs').collect().height)",
    ],
    "`report`": ["report", "{store}"],
    "`compare` with a second one": [
        "compare",
        "{store}",
        "{other}",
        "--out",
        "{store}/compare.html",
    ],
}


def tables(shape: str, runs: int) -> dict[str, Any]:
    """Returns the tables of an experiment with a number of runs."""
    made: dict[str, Any] = {"name": "many", "scenario": _SCENARIO, "keep": ["jobs", "links"]}
    if shape == "seeds":
        return {**made, "seeds": runs}
    if shape == "values":
        times = [f"{number} ns" for number in range(1, runs + 1)]
        return {**made, "axes": [{"jobs.noise.workload.compute": times}]}
    axes = [
        {"routing.algorithm": ["minimal", "ugal_g", "ugal_n", "par"]},
        {
            "jobs.*.placement": [
                "random",
                "contiguous",
                "random_routers",
                "random_groups",
                "dispersed",
            ]
        },
    ]
    return {**made, "axes": axes, "seeds": max(1, runs // 20)}


def make_store(description: Description, root: Path) -> int:
    """Writes a store in which all runs of an experiment are done; returns their number."""
    listing = list_runs(description, root, {})
    store = RunStore(root)
    store.begin()
    listing.write(root)
    places = list(listing.first_places())
    step = max(1, len(places) // _SIMULATED)
    simulated = []
    for run, case, part in places[::step]:
        plan = json.dumps(listing.plan(case, part, {}))
        perform(Task(str(root), run, plan, description.keep, 1))
        simulated.append(run)
    texts = [
        ((store.path(run) / "run.json").read_bytes(), (store.path(run) / "tables.zip").read_bytes())
        for run in simulated
    ]
    for number, (run, _, _) in enumerate(places):
        path = store.path(run)
        if not path.exists():
            path.mkdir(parents=True)
            document, packed = texts[number % len(texts)]
            (path / "run.json").write_bytes(document)
            (path / "tables.zip").write_bytes(packed)
    index = Index(store)
    entries = index.refresh()
    index.close()
    Segments(store).update(entries, tidy=True)
    return len(places)


def measure(arguments: list[str]) -> tuple[float, float]:
    """Returns the CPU seconds and the peak memory in megabytes of a command of Pantala."""
    python = [] if arguments[0] == "-c" else ["-m", "pantala"]
    process = subprocess.Popen(
        [sys.executable, *python, *arguments],
        stdout=subprocess.DEVNULL,
        env={**os.environ, "POLARS_MAX_THREADS": "2"},
    )
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(arguments)}: ended with {os.waitstatus_to_exitcode(status)}")
    process.returncode = 0
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1000


def main() -> None:
    """Makes the stores and prints a table for each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", type=int, nargs="?", default=10_000)
    parser.add_argument("--shape", choices=_SHAPES, action="append")
    parser.add_argument("--only", help="commands whose name contains this text")
    parser.add_argument("--folder", type=Path, help="keeps the stores here, and uses those there")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = given.folder or Path(made)
        for shape in given.shape or _SHAPES:
            print(f"\n{_SHAPES[shape]}")
            print(_measured(shape, given.runs, folder, given.only or ""))


def _measured(shape: str, runs: int, folder: Path, only: str) -> str:
    names = {word: folder / f"{shape}-{word}-{runs}" for word in ("store", "other", "new")}
    names["file"] = folder / f"{shape}-{runs}.py"
    described = tables(shape, runs)
    names["file"].parent.mkdir(parents=True, exist_ok=True)
    for word, routing in (("store", "minimal"), ("other", "par")):
        changes = {"routing.algorithm": routing}
        if shape == "grid":  # the routing is an axis
            changes = {"jobs.halo.workload.compute": "1 us" if word == "store" else "2 us"}
        description = describe(described, changes=changes)
        if not names[word].exists():
            make_store(description, names[word])
        elif word == "store":  # perhaps made by another Pantala, whose list is not read
            list_runs(description, names[word], {}).write(names[word])
        if word == "store":
            written = {**described, "set": changes}
            names["file"].write_text(f"experiment = {written!r}\n", encoding="utf-8")
    rows = []
    for name, command in _COMMANDS.items():
        if only in name:
            cpu, memory = measure([word.format(**names) for word in command])
            rows.append([name, f"{cpu:.1f}", f"{memory:.0f}"])
    return table(["command", "CPU seconds", "peak memory (MB)"], rows)


if __name__ == "__main__":
    main()
