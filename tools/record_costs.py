"""What each record of a run costs: `PYTHONPATH=tools python -m record_costs`.

The run is uniform traffic on wang2020_1d (8,448 nodes) at load 0.12, like the benchmark
uniform-8448, with all files written. The cost is counted in instructions (with valgrind) and in
CPU time, always as the difference between a longer and a shorter run, so that the start does not
count. Times are taken in pairs with the run without records.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pantala as pt
from markdown_table import table

#: Records by name: keys of `record`. `none` is the base of all ratios.
RECORDS: dict[str, dict[str, Any]] = {
    "none": {"link_windows": False},
    "the default": {},
    "`ports`, total": {"ports": {"windows": []}},
    "`ports`, windows of 10 us": {"ports": {"windows": ["10 us"]}},
    "`ports`, 10 us, by VC and job": {"ports": {"windows": ["10 us"], "split": ["vc", "job"]}},
    "`system`, 10 us": {"system": {"windows": ["10 us"]}},
    "`routers`, 10 us": {"routers": {"windows": ["10 us"]}},
    "`blame`, 10 us": {"blame": {"window": "10 us"}},
    "1 % of the packets": {"packets": "sampled", "packet_sample": 100},
    "all packets": {"packets": "all"},
    "1 % of the packets, with paths": {"packets": "sampled", "packet_paths": True},
    "all packets, with paths": {"packets": "all", "packet_paths": True},
    "`routing_windows`, 10 us": {"routing_windows": "10 us"},
    "`latency_windows`, 10 us": {"latency_windows": "10 us"},
}

#: The shorter and the longer run, in microseconds.
TIMES = (100, 300)

_CHILD = """\
import json, resource, sys, tempfile
from pathlib import Path
from pantala.core.plan import Plan
plan = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
with tempfile.TemporaryDirectory() as directory:
    before = resource.getrusage(resource.RUSAGE_SELF)
    Plan(plan).run(Path(directory))
    after = resource.getrusage(resource.RUSAGE_SELF)
print(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
"""


def plan(record: dict[str, Any], simulated_us: int) -> dict[str, Any]:
    """Returns the plan of the run with a record."""
    job = {"kind": "pattern", "pattern": "uniform", "load": 0.12}
    scenario = pt.Scenario.from_dict(
        {
            "name": "cost",
            "machine": {
                "preset": "wang2020_1d",
                "router": {
                    "model": "pantala",
                    "crossbar_bandwidth": "64 GiB/s",
                    "output_buffer": "16 KiB",
                    "credit_delay": "0 ps",
                },
            },
            "routing": "minimal",
            "stop": {"duration": f"{simulated_us} us"},
            "jobs": [{"name": "u", "ranks": 8448, "workload": job}],
            "record": {"packets": "off", **record},
        }
    )
    return scenario.resolve()


def _child(path: Path, *before: str) -> str:
    """Runs a plan from a file in a process of its own and returns what it prints."""
    environment = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [*before, sys.executable, "-c", _CHILD, str(path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return done.stdout


def _instructions(path: Path) -> int:
    """Returns the instructions of a process that runs a plan."""
    counts = path.with_suffix(".counts")
    tool = ["valgrind", "--tool=cachegrind", "--cache-sim=no", f"--cachegrind-out-file={counts}"]
    _child(path, *tool)
    found = re.search(r"^summary: (\d+)", counts.read_text(encoding="utf-8"), re.MULTILINE)
    if found is None:
        raise RuntimeError("valgrind counted nothing")
    return int(found[1])


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=5, help="pairs of timed runs; 0: none")
    parser.add_argument("--only", action="append", help="a part of a record's name")
    options = parser.parse_args()
    names = [
        name
        for name in RECORDS
        if name == "none" or not options.only or any(part in name for part in options.only)
    ]
    rows = []
    with tempfile.TemporaryDirectory() as directory:

        def written(name: str) -> list[Path]:
            paths = [Path(directory) / f"{names.index(name)}-{time}.json" for time in TIMES]
            for path, time in zip(paths, TIMES, strict=True):
                path.write_text(json.dumps(plan(RECORDS[name], time)), encoding="utf-8")
            return paths

        plans = {name: written(name) for name in names}

        def difference(name: str, of: Any) -> float:
            shorter, longer = plans[name]
            return float(of(longer)) - float(of(shorter))

        counts = {name: difference(name, _instructions) for name in names}
        times: dict[str, list[float]] = {name: [] for name in names}
        for _ in range(options.pairs):
            for name in names:
                times[name].append(difference(name, _child))
        for name in names[1:]:
            row = [name, f"{counts[name] / counts['none']:.3f}"]
            if options.pairs:
                ratios = [a / b for a, b in zip(times[name], times["none"], strict=True)]
                middle = statistics.median(ratios)
                row.append(f"{middle:.2f} ({min(ratios):.2f} to {max(ratios):.2f})")
            rows.append(row)
    head = ["record", "instructions", *(["CPU time (minimum to maximum)"] if options.pairs else [])]
    print(table(head, rows))


if __name__ == "__main__":
    _main()
