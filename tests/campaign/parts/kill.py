"""Commands that are killed, share a store, or meet a bad machine.

Commands write whole files and go on where they were. Each case starts a command on 72 nodes in a
folder of its own, disturbs it at a random moment, and gives the same command again, as a user
would. It is counted as the same if then the values are those of an undisturbed command (result
hashes, tables, pages byte for byte; of a capture its calls), all processes have ended, no lease, no
run in progress and no temporary file is left, and no file, right after the fault either, looked
whole and was not.

The faults: `kill -9` of the process group (`all`), of the command alone (`main`) or of one of its
processes (`worker`); two and three commands on one store, one of which is killed; leases of other
machines whose heartbeat stopped, half-written or dated a day ahead (`leases`); a clock that jumps
by up to ten days while the command works (`clock`: a preloaded library stands between the command
and `clock_gettime`); a full disk (`disk`: a tmpfs of fewer bytes than the output takes); a
read-only directory (`read-only`: a bind mount); 16 to 128 open files (`handles`). "met at work"
counts the cases in which the command had not ended by itself before the fault. In a round, each
command is killed ten times and meets each other fault once. Cases that broke a promise are moved to
the folder that `PANTALA_CAMPAIGN_KEEP` names.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

from campaign.stretch import Stretch
from campaign.trial import Trial, jumping_clock, kill_group
from campaign.victims import VICTIMS, prepare

TITLE = "Kill, shared stores, bad machines"
COLUMNS = {
    "moments": "moments",
    "met": "met at work",
    "same": "the same",
    "failures": "failures",
}
#: The faults that kill a command or one of its processes.
KILLS = ("all", "main", "worker", "two", "three")
#: Trials at a time: their commands wait for the disk and for each other.
AT_ONCE = 4


def run(stretch: Stretch) -> None:
    """Tries commands under faults until the time is over."""
    inputs = stretch.scratch / "inputs"
    skipped = prepare(inputs)
    clock = jumping_clock(stretch.scratch)
    plan = [each for each in round_of() if each[0] not in skipped and _possible(each[1], clock)]
    for command, fault in set(cases()) - set(plan):
        stretch.state(f"{command}: {fault}", same="skipped: not on this machine")
    wanted: dict[str, dict[str, str]] = {}
    durations: dict[str, float] = {}
    for name in {command for command, _ in plan}:
        wanted[name], durations[name] = _undisturbed(name, inputs, stretch.scratch)

    def tried(case: int) -> tuple[str, Trial]:
        name, fault = plan[case % len(plan)]
        trial = _trial(name, case, stretch, inputs, durations[name])
        _FAULTS[fault](trial, wanted[name], clock)
        return f"{name}: {fault}", trial

    with ThreadPoolExecutor(AT_ONCE) as pool:
        for first in stretch.cases(AT_ONCE):
            numbers = range(first, first + AT_ONCE)
            for case, (row, trial) in zip(numbers, pool.map(tried, numbers), strict=True):
                name = row.partition(":")[0]
                durations[name] = 0.5 * (durations[name] + trial.duration)
                stretch.add(row, moments=1, met=int(trial.met), same=int(not trial.wrong))
                for what in dict.fromkeys(trial.wrong):
                    stretch.failure(row, case, what)
                if trial.wrong and (kept := os.environ.get("PANTALA_CAMPAIGN_KEEP")):
                    shutil.move(trial.where, Path(kept) / f"{name}-{case}")
                shutil.rmtree(trial.where, ignore_errors=True)


def cases() -> list[tuple[str, str]]:
    """Returns all commands with the faults that they can meet."""
    return [
        (name, fault)
        for fault in _FAULTS
        for name, victim in VICTIMS.items()
        if (victim.store or fault not in ("two", "three", "leases"))
        and (victim.workers or fault not in ("main", "worker"))
    ]


def round_of() -> list[tuple[str, str]]:
    """Returns a round in random order: ten kills of each command, and one of each other fault."""
    drawn = [(name, fault) for name, fault in cases() if fault not in KILLS]
    for name in VICTIMS:
        faults = [fault for each, fault in cases() if each == name and fault in KILLS]
        once = [fault for fault in faults if fault in ("two", "three")]
        often = [fault for fault in faults if fault not in once]
        drawn += [(name, fault) for fault in once]
        drawn += [(name, often[kill % len(often)]) for kill in range(10 - len(once))]
    Random(0).shuffle(drawn)
    return drawn


def _possible(fault: str, clock: Path | None) -> bool:
    """Returns whether this machine has what a fault needs."""
    if fault in ("disk", "read-only"):
        return os.geteuid() == 0 and shutil.which("mount") is not None
    return fault != "clock" or clock is not None


def _trial(name: str, case: int, stretch: Stretch, inputs: Path, duration: float) -> Trial:
    where = stretch.scratch / f"trial-{case}-{os.getpid()}"
    shutil.copytree(inputs, where, symlinks=True)
    draw = Random(f"{stretch.seed}-{case}")
    # The library of captures is built once for most trials; others build it, and are killed at it.
    fresh = name == "capture" and draw.random() < 0.25
    return Trial(
        VICTIMS[name], where, (where if fresh else stretch.scratch) / "cache", draw, duration
    )


def _undisturbed(name: str, inputs: Path, scratch: Path) -> tuple[dict[str, str], float]:
    """Returns the values of a command that nothing disturbs, and its seconds."""
    where = scratch / f"whole-{name}"
    shutil.copytree(inputs, where, symlinks=True)
    trial = Trial(VICTIMS[name], where, scratch / "cache", Random(0), 1.0)
    began = time.monotonic()
    status = trial.end(trial.start())
    seconds = time.monotonic() - began
    if status:
        raise RuntimeError(f"{name} fails undisturbed: {trial.said()}")
    return trial.victim.values(trial.out), seconds


def _wait(trial: Trial, process: subprocess.Popen[str]) -> bool:
    """Waits until a random moment; returns whether the command is at work still."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(trial.moment())
    trial.met = process.poll() is None
    return trial.met


def _kill(which: str) -> Callable[[Trial, dict[str, str], Path | None], None]:
    """Returns the fault that kills all of a command, itself only, or one process of it."""

    def fault(trial: Trial, wanted: dict[str, str], _: Path | None) -> None:
        process = trial.start()
        if _wait(trial, process):
            others = sorted(set(trial.processes()) - {process.pid})
            if which == "worker" and others:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(trial.draw.choice(others), signal.SIGKILL)
                trial.refused(trial.end(process))
            elif which == "main":
                process.kill()
            else:
                kill_group(process)
        trial.end(process)
        trial.no_orphans()
        trial.whole()
        trial.again(wanted)

    return fault


def _several(number: int) -> Callable[[Trial, dict[str, str], Path | None], None]:
    """Returns the fault of several commands on one store, the first of which is killed."""

    def fault(trial: Trial, wanted: dict[str, str], _: Path | None) -> None:
        process, *others = [trial.start() for _ in range(number)]
        if _wait(trial, process):
            kill_group(process)
        for each in (process, *others):
            trial.end(each)
        said = (trial.where / f"said-{number}").read_text()
        if others[-1].returncode and "already holds a run" not in said:
            last = (said.strip() or "nothing").splitlines()[-1]
            trial.wrong.append(f"beside a killed one: status {others[-1].returncode}: {last[:150]}")
        trial.no_orphans()
        trial.whole()
        trial.again(wanted)

    return fault


def _leases(trial: Trial, wanted: dict[str, str], _: Path | None) -> None:
    """Leaves leases that nobody holds: of a killed command, and of other machines.

    A command that had ended is not asked to remove them: its output is complete.
    """
    process = trial.start()
    if _wait(trial, process):
        kill_group(process)
    trial.end(process)
    folder = next(trial.out.glob("*/leases"), None)
    if folder is not None and trial.met:
        names = {path.name for path in folder.iterdir()} | {
            key for key in wanted if len(key) == 20 and trial.draw.random() < 0.5
        }
        for name in sorted(names):
            owner = {"host": "elsewhere", "process": 1, "since": 0.0, "id": "0"}
            text = json.dumps(owner)
            age = trial.draw.choice((120.0, 86_400.0, -86_400.0))
            if age < 0:  # a lease of the future is stale if its process is of here and dead
                from pantala.system.process_marks import this_machine

                text = json.dumps({**owner, "host": this_machine(), "process": process.pid})
            elif trial.draw.random() < 0.3:
                text = text[: trial.draw.randrange(len(text))]
            (folder / name).write_text(text)
            then = time.time() - age
            os.utime(folder / name, (then, then))
    trial.again(wanted)


def _clock(trial: Trial, wanted: dict[str, str], library: Path | None) -> None:
    """Lets the clock jump while one or two commands work, one of which is killed."""
    number = trial.draw.choice((1, 2)) if trial.victim.store else 1
    jump = trial.draw.choice((-1, 1)) * trial.draw.choice((30, 3600, 864_000))
    more = {
        "LD_PRELOAD": str(library),
        "CLOCK_JUMP": str(jump),
        "CLOCK_AFTER": str(round(1000 * trial.moment())),
    }
    process, *others = [trial.start(more) for _ in range(number)]
    if trial.draw.random() < 0.5:
        if _wait(trial, process):
            kill_group(process)
    else:
        trial.met = True
    for each in (process, *others):
        trial.end(each)
    trial.no_orphans()
    trial.whole()
    trial.again(wanted)


def _disk(trial: Trial, wanted: dict[str, str], _: Path | None) -> None:
    """Fills the disk at a random byte of the output."""
    # A sweep of 12 runs takes about 900 kB; one page takes 4 kB.
    size = trial.draw.choice((4, 16, 40, 80, 160, 240, 320, 400, 600, 800))
    _mount("-t", "tmpfs", "-o", f"size={size}k", "tmpfs", trial.out)
    try:
        status = trial.end(trial.start())
        trial.met = status != 0
        trial.refused(status)
        trial.no_orphans()
        trial.whole()
        _mount("-o", "remount,size=64m", trial.out)
        trial.again(wanted)
    finally:
        subprocess.run(["umount", "--lazy", trial.out], check=True)


def _read_only(trial: Trial, wanted: dict[str, str], _: Path | None) -> None:
    """Makes the output read-only, empty or after a kill."""
    if trial.draw.random() < 0.5:
        process = trial.start()
        if _wait(trial, process):
            kill_group(process)
        trial.end(process)
    _mount("--bind", trial.out, trial.out)
    try:
        _mount("-o", "remount,bind,ro", trial.out)
        status = trial.end(trial.start())
        trial.met = status != 0
        trial.refused(status)
    finally:
        subprocess.run(["umount", "--lazy", trial.out], check=True)
    trial.no_orphans()
    trial.again(wanted)


def _handles(trial: Trial, wanted: dict[str, str], _: Path | None) -> None:
    """Lets a command open few files."""
    status = trial.end(trial.start(most_files=trial.draw.randrange(16, 129)))
    trial.met = status != 0
    trial.refused(status)
    trial.no_orphans()
    trial.whole()
    trial.again(wanted)


def _mount(*arguments: str | Path) -> None:
    subprocess.run(["mount", *arguments], check=True)


_FAULTS: dict[str, Callable[[Trial, dict[str, str], Path | None], None]] = {
    "all": _kill("all"),
    "main": _kill("main"),
    "worker": _kill("worker"),
    "two": _several(2),
    "three": _several(3),
    "leases": _leases,
    "clock": _clock,
    "disk": _disk,
    "read-only": _read_only,
    "handles": _handles,
}
