"""Long work in one process: memory and open files stay flat.

Two rows, soaked at the same time: one run of q_adaptive with all records, whose process is looked
at from outside while it simulates, and many small runs of `pt.run` in one Python process, which are
read and thrown away. Resident memory and open descriptors are sampled; the slopes are of least
squares with their 95 % intervals (Student), over the second half of the samples, when caches are
warm. Samples of one second are not independent, so the true error is larger than the interval. A
slope is flat if its interval holds zero or lies below 10 kB, or 0.001 descriptors, per small run,
and below 50 MB or one descriptor per hour of the long run, which keeps what it records in files.
Those files would fill the disk within two hours, so what it has written is freed as it goes (holes
are punched into the files, whose lengths stay). The samples of a stretch replace those of the
stretch before, and the row says over how long they went.

Each table keeps up to 262,144 rows in memory before it writes them as a row group (four times as
many after a thousand groups), after which free memory goes back to the system, and the record of
blame by place up to six million cells before it joins windows. So the long run grows at first, and
should then go up and down. Its windows of blame are short, so that the cells fill early. Two things
stay in memory until the end and grow with it: the sums of blame, with 4 B per window and 48 B per
window and pair of jobs, and what the end of each file says of its row groups. A run that had less
than 40 minutes of the processor shows its slope and is not judged.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from campaign.stretch import Stretch
from campaign.victims import PANTALA

TITLE = "Soak"
COLUMNS = {
    "minutes": "minutes",
    "cpu_minutes": "minutes of the processor",
    "samples": "samples",
    "memory": "memory: slope and 95 % interval",
    "files": "descriptors: slope and 95 % interval",
    "failures": "failures",
}

_MACHINE = '{ preset = "kang2022", topology = { p = 2, a = 4, h = 2, g = 9 } }'
#: It goes on until the stretch ends it.
_LONG = f"""\
name = "soak"
routing = "q_adaptive"
stop = {{ duration = "1000 s" }}
machine = {_MACHINE}
[record]
preset = "explore"
window = "100 us"
blame = {{ window = "10 us", groups = true, links = 100 }}
ports = {{ windows = ["100 us"] }}
system = {{ windows = ["100 us"] }}
routers = {{ windows = ["100 us"] }}
rank_calls = true
rank_messages = true
[[jobs]]
name = "halo"
ranks = 64
workload = {{ kind = "halo3d", grid = [4, 4, 4], message = "4 KiB", iterations = 1_000_000_000 }}
"""
_SMALL = """\
import json, os, shutil, sys, time
import pantala as pt
scenario = pt.Scenario.from_toml(sys.argv[1])
until = time.monotonic() + float(sys.argv[2])
number = 0
while time.monotonic() < until:
    run = pt.run(scenario.replace({"seed": number + 1}), out="out", overwrite=True, report=False)
    run.jobs.collect()
    shutil.rmtree("out")
    number += 1
    kilobytes = int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGESIZE") / 1e3
    files = len(os.listdir("/proc/self/fd"))
    print(json.dumps([number, kilobytes, files, time.process_time()]), flush=True)
"""
_SMALL_SCENARIO = f"""\
name = "small"
routing = "ugal_g"
machine = {_MACHINE}
[[jobs]]
name = "halo"
ranks = 16
workload = {{ kind = "halo3d", grid = [2, 2, 4], message = "4 KiB", iterations = 2 }}
"""
Sample = tuple[float, float, float]
#: Seconds, seconds of the processor, and samples.
Soaked = tuple[float, float, list[Sample]]


def run(stretch: Stretch) -> None:
    """Soaks both at the same time, for all of it."""
    number = len(_SOAKS)
    first = stretch.results.next_case
    seconds = max(stretch.left, 1.0)

    def soaked(soak: _Soak) -> Soaked:
        return soak.samples(stretch.scratch, seconds)

    with ThreadPoolExecutor(number) as pool:
        found = list(pool.map(soaked, _SOAKS.values()))
    for case, (row, soak), samples in zip(count(first), _SOAKS.items(), found, strict=False):
        _judge(stretch, case, row, soak, samples)
    stretch.results.next_case += number


def _judge(
    stretch: Stretch,
    case: int,
    row: str,
    soak: _Soak,
    found: Soaked,
) -> None:
    """States the slopes of memory (kB) and descriptors per unit, and whether they are flat."""
    seconds, cpu_seconds, samples = found
    stretch.state(row, minutes=round(seconds / 60, 1), cpu_minutes=round(cpu_seconds / 60, 1))
    stretch.state(row, samples=len(samples), failures=0)
    late = samples[len(samples) // 2 :]
    if len(late) < 10:
        stretch.failure(row, case, f"{len(samples)} samples are too few to judge")
        return
    at = [each[0] for each in late]
    warm = cpu_seconds >= soak.least_seconds
    for column, what, place, bound in (
        ("memory", "kB", 1, soak.most_kilobytes),
        ("files", "descriptors", 2, soak.most_files),
    ):
        slope, half = slope_of(at, [each[place] for each in late])
        stretch.state(row, **{column: f"{slope:.3g} ± {half:.2g} {what} per {soak.unit}"})
        if warm and not is_flat(slope, half, bound):
            stretch.failure(row, case, f"{column} grows")


def slope_of(at: Sequence[float], values: Sequence[float]) -> tuple[float, float]:
    """Returns the slope of least squares and half the width of its 95 % interval."""
    from scipy import stats

    if min(values) == max(values):
        return 0.0, 0.0
    fit = stats.linregress(at, values)
    return float(fit.slope), float(fit.stderr * stats.t.ppf(0.975, len(at) - 2))


def is_flat(slope: float, half: float, bound: float) -> bool:
    """Returns whether a slope is zero within its interval, falls, or stays below a bound."""
    return math.isfinite(slope) and (slope - half <= 0 or slope + half <= bound)


def _small_runs(scratch: Path, seconds: float) -> Soaked:
    """Returns the samples of many small runs in one process, one after each run."""
    file = scratch / "small.toml"
    file.write_text(_SMALL_SCENARIO)
    began = time.monotonic()
    said = subprocess.run(
        [sys.executable, "-c", _SMALL, file, str(seconds)],
        cwd=scratch,
        check=True,
        capture_output=True,
        text=True,
    )
    samples = [json.loads(line) for line in said.stdout.splitlines() if line.startswith("[")]
    found: list[Sample] = [(each[0], each[1], each[2]) for each in samples]
    return time.monotonic() - began, samples[-1][3] if samples else 0.0, found


def _long_run(scratch: Path, seconds: float) -> Soaked:
    """Returns the samples of one long run, seen from outside; it is ended after the time."""
    file = scratch / "soak.toml"
    file.write_text(_LONG)
    command = [str(PANTALA), "run", str(file), "--no-report", "--quiet", "--out", "long"]
    command += ["--size-limit", "100 TB"]  # what is written is freed
    began = time.monotonic()
    samples: list[Sample] = []
    cpu = 0.0
    with (scratch / "said").open("w") as output:
        process = subprocess.Popen(command, cwd=scratch, stdout=output, stderr=output)
    try:
        while (now := time.monotonic() - began) < seconds and process.poll() is None:
            with contextlib.suppress(OSError, AttributeError):
                folder = Path(f"/proc/{process.pid}")
                pages = int((folder / "statm").read_text().split()[1])
                samples.append((now / 3600, pages * 4.096, len(list((folder / "fd").iterdir()))))
                cpu = _cpu_seconds(folder)
            if len(samples) % 20 == 0:
                _free_written(scratch)
            time.sleep(min(1.0, seconds / 100))
        if process.poll():
            raise RuntimeError(f"the long run ended: {(scratch / 'said').read_text()[-300:]}")
    finally:
        process.terminate()
        process.wait()
    return now, cpu, samples


def _cpu_seconds(process: Path) -> float:
    """Returns the time of the processor that a process has had, from its folder in /proc."""
    fields = (process / "stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _free_written(scratch: Path) -> None:
    """Frees the blocks of the run's tables except for their last megabyte."""
    fallocate = shutil.which("fallocate")
    for table in scratch.glob("*long*/**/*.parquet*") if fallocate else ():
        written = table.stat().st_size - 1_000_000
        if written > 0 and table.stat().st_blocks * 512 > 4_000_000:
            subprocess.run(
                [str(fallocate), "--punch-hole", "--offset", "0", "--length", str(written), table],
                check=False,
            )


@dataclass(frozen=True)
class _Soak:
    """Long work.

    Attributes:
        samples: does the work in a folder for some seconds; returns its seconds and samples.
        unit: what the first number of a sample counts.
        most_kilobytes: the slope of memory per unit that counts as flat.
        most_files: the same of open descriptors.
        least_seconds: the time of the processor after which slopes tell of more than the start.
    """

    samples: Callable[[Path, float], Soaked]
    unit: str
    most_kilobytes: float
    most_files: float
    least_seconds: float = 0.0


_SOAKS = {
    "small runs": _Soak(_small_runs, "run", 10, 1e-3),
    "q_adaptive, all records": _Soak(_long_run, "hour", 50_000, 1.0, 2_400),
}
