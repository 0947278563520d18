"""Instructions of the core per packet-hop, as valgrind counts them: a guard against growing slower
unnoticed.

Times depend on the machine and on who else uses it; these numbers repeat to a few ten-thousandths.
They depend on the compiler, so they are recorded in instructions.json by its version.
tests/python/test_instructions.py holds the core to them; ``make instructions`` (``python -m
instructions``) records them anew.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pantala import native
from pantala.benchmark import bench_plan

__all__ = [
    "GUARDED",
    "RECORD",
    "TOLERANCE",
    "Guarded",
    "cachegrind",
    "compiler",
    "measured",
    "recorded",
]

#: Instructions per packet-hop, by compiler and benchmark.
RECORD = Path(__file__).with_suffix(".json")

#: How far a core may be off what is recorded, as a fraction of it.
TOLERANCE = 0.05

#: Runs the prepared benchmark in a file. Making the plan would take valgrind longer than running
#: it.
_CHILD = """\
import json, sys
from pantala.benchmark import BenchPlan, run_bench_plan
with open(sys.argv[1], encoding="utf-8") as file:
    print(run_bench_plan(BenchPlan(*json.load(file)))["packet_hops"])
"""


class Guarded(NamedTuple):
    """A benchmark, and two simulated times: what lies between them is counted, so that start and
    set-up are not.

    Attributes:
        name: of the benchmark.
        case: of the benchmark; empty if it has none.
        start_us: the shorter time, in microseconds; the network is full by then.
        end_us: the longer one.
    """

    name: str
    case: str
    start_us: int
    end_us: int

    def __str__(self) -> str:
        return f"{self.name} {self.case}".rstrip()


#: What is held to the record: less than a minute in all.
GUARDED = (
    Guarded("uniform-1056", "", 10, 30),
    Guarded("adaptive-1056", "ugal_n", 10, 20),
    Guarded("apps-1056", "", 40, 60),
)


def compiler() -> str:
    """What the core was built with and for."""
    return f"{native.core().RUSTC}, {platform.machine()}"


def recorded() -> dict[str, dict[str, float]]:
    """The record: instructions per packet-hop by compiler and benchmark."""
    record: dict[str, dict[str, float]] = json.loads(RECORD.read_text(encoding="utf-8"))
    return record


def measured(guarded: Guarded) -> float:
    """Instructions per packet-hop here and now.

    Raises:
        FileNotFoundError: there is no valgrind.
        RuntimeError: it failed.
    """
    (before, hops_before), (after, hops_after) = (
        _count(guarded, simulated_us) for simulated_us in (guarded.start_us, guarded.end_us)
    )
    return (after - before) / (hops_after - hops_before)


def cachegrind(
    guarded: Guarded, simulated_us: int, options: Sequence[str] = ("--cache-sim=no",)
) -> tuple[str, int]:
    """What cachegrind writes of a process that runs a benchmark for a simulated time, and its
    packet-hops.

    Without a simulated cache cachegrind is the fastest of valgrind's tools that count.

    Raises:
        FileNotFoundError: there is no valgrind.
        RuntimeError: it failed.
    """
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        raise FileNotFoundError("there is no valgrind")
    with tempfile.TemporaryDirectory() as directory:
        counts, prepared = Path(directory) / "counts", Path(directory) / "plan.json"
        prepared.write_text(
            json.dumps(bench_plan(guarded.name, guarded.case, simulated_us * 1_000_000))
        )
        program = [sys.executable, "-c", _CHILD, str(prepared)]
        ended = subprocess.run(
            [valgrind, "--tool=cachegrind", *options, f"--cachegrind-out-file={counts}", *program],
            # Python does the same both times: sets in one order, and no cache of bytecode that only
            # one finds.
            env={**os.environ, "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        written = counts.read_text(encoding="utf-8") if counts.exists() else ""
    if ended.returncode != 0 or not written:
        raise RuntimeError(f"valgrind failed:\n{ended.stderr}")
    return written, int(ended.stdout)


def _count(guarded: Guarded, simulated_us: int) -> tuple[int, int]:
    """Instructions and packet-hops of a process that runs a benchmark for a simulated time."""
    written, hops = cachegrind(guarded, simulated_us)
    found = re.search(r"^summary: (\d+)", written, re.MULTILINE)
    if found is None:
        raise RuntimeError("valgrind counted nothing")
    return int(found[1]), hops


def _main() -> None:
    """Records the numbers of this compiler anew; those of others stay."""
    of_this = {str(guarded): round(measured(guarded), 1) for guarded in GUARDED}
    record = (recorded() if RECORD.exists() else {}) | {compiler(): of_this}
    RECORD.write_text(json.dumps(dict(sorted(record.items())), indent=2) + "\n", encoding="utf-8")
    for name, value in of_this.items():
        print(f"{name}: {value:,.1f} instructions per packet-hop")


if __name__ == "__main__":
    _main()
