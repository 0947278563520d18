"""Readers in Rust: damaged inputs of formats and plans.

Every input is refused with one line or accepted; an accepted one is used: the first operations of
its ranks are taken, a plan of at most 500 routers is resolved. No panic, no more than 10 s, no more
memory than 4 MiB and 1,000 bytes for each byte of the input (plans: 256 MiB more for the tables of
the machine that they name; coNCePTuaL: 64 MiB more for the values that a program computes;
estimates: 2 GiB more of address space, because the library of Parquet sets aside what the header of
a page states and fills what the page has).

A case takes a sound input of the format and changes it in one to six places: swaps, repeats,
removes and splices lines, words and subtrees, puts boundaries in place of numbers, changes the
encoding, and damages bytes. "Beyond the header" counts inputs that were accepted or whose fault
lies behind the header or the first key. Each case is tried with each reader, so the inputs are as
many times more than the cases. `crates/pantala-sim/examples/damaged_inputs` holds the code.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

from campaign.stretch import Stretch

TITLE = "Readers in Rust"
COLUMNS = {
    "inputs": "inputs",
    "refused": "refused",
    "valid": "valid",
    "deep": "beyond the header",
    "failures": "failures",
    "per_second": "inputs/s",
    "longest_ms": "longest (ms)",
    "most_kib": "most memory (KiB)",
    "per_byte": "most bytes per byte",
}
ROOT = Path(__file__).resolve().parents[3]
#: Inputs of a reader for each call of the driver.
AT_ONCE = 5_000
_HUNG = 3


def driver() -> Path:
    """Builds the driver and returns its path."""
    subprocess.run(
        [
            *("cargo", "build", "--quiet", "--release", "--locked"),
            *("-p", "pantala-sim", "-p", "pantala-python", "--example", "damaged_inputs"),
        ],
        cwd=ROOT,
        check=True,
    )
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return target / "release/examples/damaged_inputs"


def readers(program: Path) -> list[str]:
    """Returns the names of the readers."""
    listed = subprocess.run([program, "--list"], capture_output=True, text=True, check=True)
    names: list[str] = json.loads(listed.stdout)
    return names


def run(stretch: Stretch) -> None:
    """Tries every case with every reader."""
    program = driver()
    names = readers(program)
    for first in stretch.cases(AT_ONCE):
        for name in names:
            _tried(stretch, program, name, first, AT_ONCE)


def _tried(stretch: Stretch, program: Path, name: str, first: int, count: int) -> None:
    """Tries cases of a reader; a call that died is halved until one case is left."""
    began = time.monotonic()
    ended = subprocess.run(
        [program, name, str(stretch.seed), str(first), str(count)],
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode not in (0, _HUNG):
        if count == 1:
            stretch.add(name, inputs=1)
            last = (ended.stderr.strip().splitlines() or [""])[-1]
            stretch.failure(name, first, f"ends the process ({ended.returncode}): {last[:200]}")
            return
        half = count // 2
        _tried(stretch, program, name, first, half)
        _tried(stretch, program, name, first + half, count - half)
        return
    found: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    counts = {key: found[key] for key in ("inputs", "refused", "valid", "deep")}
    stretch.add(name, **counts)
    for failure in found["failures"]:
        stretch.failure(name, failure["case"], failure["what"], bytes.fromhex(failure["input"]))
    unkept = found["failed"] - len(found["failures"])
    if unkept:
        stretch.add(name, failures=unkept)
    row = stretch.results.rows[name]
    row.setdefault("failures", 0)
    for column, value in (
        ("longest_ms", found["longest_us"] / 1e3),
        ("most_kib", found["most_memory"] / 1024),
        ("per_byte", found["most_per_byte"]),
    ):
        stretch.state(name, **{column: max(float(row.get(column, 0)), value)})
    seconds = float(row.get("seconds", 0)) + time.monotonic() - began
    stretch.state(name, seconds=seconds, per_second=round(float(row["inputs"]) / seconds))
    if found["next"] < first + count:  # a hang ended the process
        _tried(stretch, program, name, found["next"], first + count - found["next"])
