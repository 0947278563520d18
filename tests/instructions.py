"""Counts of the core's instructions per packet-hop with valgrind, to detect slowdowns.

Times depend on the machine and its other users. Instruction counts repeat within a few
ten-thousandths. They depend on the compiler, so instructions.json records them by compiler version.
tests/python/house/test_instructions.py compares the core with the record. ``make instructions``
(``python -m instructions``) writes a new record.
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

from pantala.core.extension import core
from pantala.runs.benchmark import bench_plan

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

#: The allowed deviation from the record, as a fraction of it.
TOLERANCE = 0.05

#: The program that runs a prepared benchmark from a file. The plan is made outside, because under
#: valgrind that would take longer than the run.
_CHILD = """\
import json, sys
from pantala.runs.benchmark import BenchPlan, run_bench_plan
with open(sys.argv[1], encoding="utf-8") as file:
    print(run_bench_plan(BenchPlan(*json.load(file)))["packet_hops"])
"""


class Guarded(NamedTuple):
    """A benchmark with two simulated times; only the instructions between them count.

    The difference leaves out start and set-up.

    Attributes:
        name: the benchmark.
        case: the case of the benchmark; empty if it has none.
        start_us: the shorter time in microseconds; the network is full by then.
        end_us: the longer time in microseconds.
    """

    name: str
    case: str
    start_us: int
    end_us: int

    def __str__(self) -> str:
        return f"{self.name} {self.case}".rstrip()


#: The benchmarks in the record. Together they take less than a minute.
GUARDED = (
    Guarded("uniform-1056", "", 10, 30),
    Guarded("adaptive-1056", "ugal_n", 10, 20),
    Guarded("apps-1056", "", 40, 60),
    *(
        Guarded("study-1056", model, 20, 35)
        for model in ("pantala", "sst_sc22", "codes_dally", "booksim2", "caminos")
    ),
)


def compiler() -> str:
    """Returns the compiler and the architecture of the core."""
    return f"{core().RUSTC}, {platform.machine()}"


def recorded() -> dict[str, dict[str, float]]:
    """Returns the record: instructions per packet-hop by compiler and benchmark."""
    record: dict[str, dict[str, float]] = json.loads(RECORD.read_text(encoding="utf-8"))
    return record


def measured(guarded: Guarded) -> float:
    """Returns the instructions per packet-hop of the installed core.

    Raises:
        FileNotFoundError: valgrind is not installed.
        RuntimeError: valgrind failed.
    """
    (before, hops_before), (after, hops_after) = (
        _count(guarded, simulated_us) for simulated_us in (guarded.start_us, guarded.end_us)
    )
    return (after - before) / (hops_after - hops_before)


def cachegrind(
    guarded: Guarded, simulated_us: int, options: Sequence[str] = ("--cache-sim=no",)
) -> tuple[str, int]:
    """Returns cachegrind's output for a benchmark, and the benchmark's packet-hops.

    Without a simulated cache, cachegrind is the fastest counting tool of valgrind.

    Args:
        guarded: the benchmark.
        simulated_us: simulated time in microseconds.
        options: options of cachegrind.

    Raises:
        FileNotFoundError: valgrind is not installed.
        RuntimeError: valgrind failed.
    """
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        raise FileNotFoundError("valgrind is not installed")
    with tempfile.TemporaryDirectory() as directory:
        counts, prepared = Path(directory) / "counts", Path(directory) / "plan.json"
        prepared.write_text(
            json.dumps(bench_plan(guarded.name, guarded.case, simulated_us * 1_000_000))
        )
        program = [sys.executable, "-c", _CHILD, str(prepared)]
        ended = subprocess.run(
            [valgrind, "--tool=cachegrind", *options, f"--cachegrind-out-file={counts}", *program],
            # Both processes must run the same Python instructions: a fixed order of sets, and no
            # bytecode cache that only the second one finds.
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
    """Returns instructions and packet-hops of a process that runs a benchmark."""
    written, hops = cachegrind(guarded, simulated_us)
    found = re.search(r"^summary: (\d+)", written, re.MULTILINE)
    if found is None:
        raise RuntimeError("valgrind counted nothing")
    return int(found[1]), hops


def _main() -> None:
    """Records the counts of this compiler; the records of other compilers stay."""
    of_this = {str(guarded): round(measured(guarded), 1) for guarded in GUARDED}
    record = (recorded() if RECORD.exists() else {}) | {compiler(): of_this}
    RECORD.write_text(json.dumps(dict(sorted(record.items())), indent=2) + "\n", encoding="utf-8")
    for name, value in of_this.items():
        print(f"{name}: {value:,.1f} instructions per packet-hop")


if __name__ == "__main__":
    _main()
