"""The largest things, with their time and memory.

Each row is one command in a process of its own, with its wall-clock time and the peak of its
memory, on a machine with two cores that other work shared, so times are upper bounds. The exponent
says how the time grows from the size before: 1 is linear, 0 is a constant such as the start of the
program. All rows were measured within an hour, beside builds and tests, so exponents are rough. A
run directory is one whose table of packets was multiplied; a store holds copies of one run under
the identities of all seeds.
"""

from __future__ import annotations

import contextlib
import math
import re
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from campaign.heavy import LOADS, has_room
from campaign.stretch import Stretch

TITLE = "Load"
COLUMNS = {
    "seconds": "time (s)",
    "megabytes": "peak memory (MB)",
    "exponent": "exponent of time",
    "failures": "failures",
}
#: A command that takes longer is ended, and its row says so.
_LONGEST = 1800.0
_PEAK = re.compile(r"VmHWM:\s*(\d+) kB")


@dataclass(frozen=True)
class _Measured:
    status: int
    seconds: float
    megabytes: float
    said: str


def run(stretch: Stretch) -> None:
    """Measures each size of each load once, the small ones first."""
    for case, (name, size) in stretch.round(sizes()):
        _try(stretch, case, name, size)


def sizes() -> list[tuple[str, int]]:
    """Returns all loads with their sizes, the first size of each load first."""
    most = max(len(load.sizes) for load in LOADS.values())
    return [
        (name, load.sizes[step])
        for step in range(most)
        for name, load in LOADS.items()
        if step < len(load.sizes)
    ]


def _try(stretch: Stretch, case: int, name: str, size: int) -> None:
    load = LOADS[name]
    row = _row(name, size)
    folder = stretch.scratch / f"load-{case}"
    folder.mkdir()
    try:
        if not has_room(folder, size, load.unit):
            stretch.state(row, seconds="not run: the disk is too small")
            return
        found = _measured(load.make(size, folder), folder, min(_LONGEST, max(stretch.left, 1)))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if found.status < 0 and found.seconds < _LONGEST:  # the stretch ended, which says nothing
        return
    if found.status < 0:
        stretch.state(row, seconds=f"more than {found.seconds:.0f}")
        return
    stretch.state(
        row, seconds=round(found.seconds, 2), megabytes=round(found.megabytes), failures=0
    )
    if found.status:
        stretch.failure(row, case, f"status {found.status}: {found.said[-200:]}")
    _exponent(stretch, name, size, found.seconds)


def _exponent(stretch: Stretch, name: str, size: int, seconds: float) -> None:
    """States how the time grew from the size before."""
    place = LOADS[name].sizes.index(size)
    if place == 0:
        return
    less = LOADS[name].sizes[place - 1]
    before = stretch.results.rows.get(_row(name, less), {}).get("seconds")
    if isinstance(before, int | float) and before > 0 and seconds > 0:
        grown = math.log(seconds / before) / math.log(size / less)
        stretch.state(_row(name, size), exponent=round(grown, 2))


def _row(name: str, size: int) -> str:
    return f"{name}: {size:,} {LOADS[name].unit}"


def _measured(command: list[str], folder: Path, longest: float) -> _Measured:
    """Runs a command; returns its time and the peak of the memory of its process."""
    said = folder / "said"
    began = time.monotonic()
    most = 0.0
    with said.open("w") as output:
        process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=output)
    while process.poll() is None:
        # The usage that the system gives at the end would count this process's memory, too.
        with contextlib.suppress(OSError):
            found = _PEAK.search(Path(f"/proc/{process.pid}/status").read_text())
            most = max(most, float(found[1]) if found else 0.0)
        if time.monotonic() - began > longest:
            process.kill()
        time.sleep(0.02)
    seconds = time.monotonic() - began
    text = said.read_text(errors="replace").strip()
    return _Measured(process.returncode, seconds, most / 1e3, text)
