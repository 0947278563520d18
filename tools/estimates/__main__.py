"""`PYTHONPATH=tools python -m estimates`: estimates against runs, for the 30 scenarios.

Each estimate and each run has a process of its own, which opens the run when it has ended, as
`pantala run --no-report --quiet` does. A run is measured once; its CPU time and peak
memory are kept in a file (`--runs`), so that a later command measures only what is missing. All 30
runs take about 4 minutes.
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

from estimates.scenarios import SCENARIOS, write_trace
from markdown_table import table

#: The largest factor between an estimate and a run that is good.
_GOOD = 1.5


_BEGIN = """\
import json, resource, sys, tempfile, warnings
from pathlib import Path
warnings.simplefilter("ignore")
import pantala as pt
plan = pt.Scenario.from_dict(json.loads(sys.argv[1])).resolved_plan()
def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
"""
_RUN = (
    _BEGIN
    + """\
with tempfile.TemporaryDirectory() as directory:
    before = cpu()
    plan.run(Path(directory))
    seconds = cpu() - before
    pt.load(directory).caveats  # a command opens what it has simulated
    print(json.dumps({"seconds": seconds}))
"""
)
_ESTIMATE = (
    _BEGIN
    + """\
from pantala.planning.cost import cost_of
before = cpu()
cost = cost_of(plan)
print(json.dumps({"seconds": cost.seconds, "bytes": cost.memory_bytes, "basis": cost.basis,
    "probe": cpu() - before}))
"""
)


def _measured(code: str, tables: dict[str, Any]) -> dict[str, Any]:
    """Runs code with a scenario in a process; returns what it prints, and its peak memory."""
    environment = {**os.environ, "POLARS_MAX_THREADS": "1"}
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            [sys.executable, "-c", code, json.dumps(tables)], stdout=output, env=environment
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{tables['name']}: ended with {process.returncode}")
        output.seek(0)
        return {**json.loads(output.read()), "peak": used.ru_maxrss * 1024}


def main() -> None:
    """Prints a row for each scenario, and how many estimates are good."""
    parser = argparse.ArgumentParser("python -m estimates", description=__doc__.splitlines()[0])
    parser.add_argument("only", nargs="*", help="parts of names of scenarios")
    parser.add_argument(
        "--runs", type=Path, default=Path("runs/estimates.json"), help="keeps the measured runs"
    )
    given = parser.parse_args()
    known = json.loads(given.runs.read_text(encoding="utf-8")) if given.runs.exists() else {}
    rows, good = [], {"seconds": 0, "bytes": 0}
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "ring.goal"
        write_trace(trace)
        for name, plain in SCENARIOS.items():
            if given.only and not any(part in name for part in given.only):
                continue
            tables = json.loads(json.dumps({"name": name, **plain}).replace("{trace}", str(trace)))
            text = json.dumps({"name": name, **plain}, sort_keys=True)
            if known.get(name, {}).get("tables") != text:
                run = _measured(_RUN, tables)
                known[name] = {"tables": text, "seconds": run["seconds"], "bytes": run["peak"]}
                given.runs.parent.mkdir(parents=True, exist_ok=True)
                given.runs.write_text(json.dumps(known, indent=1), encoding="utf-8")
            found, run = _measured(_ESTIMATE, tables), known[name]
            ratios = {key: found[key] / run[key] for key in good}
            for key, ratio in ratios.items():
                good[key] += 1 / _GOOD <= ratio <= _GOOD
            rows.append(
                [
                    name,
                    f"{run['seconds']:.1f}",
                    f"{found['seconds']:.1f}",
                    f"{ratios['seconds']:.2f}",
                    f"{run['bytes'] / 1e6:.0f}",
                    f"{found['bytes'] / 1e6:.0f}",
                    f"{ratios['bytes']:.2f}",
                    found["basis"],
                    f"{found['probe']:.2f}",
                ]
            )
            print(" ".join(rows[-1]), file=sys.stderr, flush=True)
    heads = [
        "scenario",
        "CPU s",
        "estimate",
        "ratio",
        "MB",
        "estimate",
        "ratio",
        "basis",
        "probe s",
    ]
    print(table(heads, rows))
    for key, number in good.items():
        print(f"{key}: {number} of {len(rows)} within a factor of {_GOOD}")


if __name__ == "__main__":
    main()
