"""One trial of the part `kill`: a command in a folder of its own, its processes, what it leaves."""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from campaign.victims import PANTALA, Victim, broken_files, is_temporary

__all__ = ["Trial", "jumping_clock"]

#: Seconds after which a command hangs.
_HANGS = 300.0
#: The words of a run that had ended before its process was killed.
_IS_THERE = ("already holds a run", "exists; name another --out")

_CLOCK = """\
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* Adds CLOCK_JUMP seconds to the time of day CLOCK_AFTER milliseconds after the first call. */
static long jump(void) {
    static long first;
    struct timespec now;
    const char *by = getenv("CLOCK_JUMP"), *after = getenv("CLOCK_AFTER");
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    long here = now.tv_sec * 1000 + now.tv_nsec / 1000000;
    if (!first) first = here;
    return by && after && here - first >= atol(after) ? atol(by) : 0;
}
int clock_gettime(clockid_t clock, struct timespec *time) {
    int failed = syscall(SYS_clock_gettime, clock, time);
    if (!failed && clock == CLOCK_REALTIME) time->tv_sec += jump();
    return failed;
}
int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return 0;
}
time_t time(time_t *to) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (to) *to = now.tv_sec;
    return now.tv_sec;
}
"""


def jumping_clock(folder: Path) -> Path | None:
    """Builds a library that lets the time of day jump in a process; None without a compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    source, library = folder / "clock.c", folder / "clock.so"
    source.write_text(_CLOCK)
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, source], check=True)
    return library


@dataclass
class Trial:
    """A command and the folder in which it is tried.

    Attributes:
        victim: the command.
        where: the folder, with the inputs and `out`.
        cache: the folder of caches.
        draw: the random numbers of the trial.
        duration: seconds that the command takes undisturbed.
        wrong: the promises that were broken, in words.
        met: whether the fault met the command at work.
    """

    victim: Victim
    where: Path
    cache: Path
    draw: Random
    duration: float
    wrong: list[str] = field(default_factory=list)
    met: bool = False

    def __post_init__(self) -> None:
        (self.where / "tmp").mkdir()
        self.out.mkdir(exist_ok=True)
        self._said = 0

    @property
    def out(self) -> Path:
        """The folder of outputs."""
        return self.where / "out"

    def start(
        self, more: dict[str, str] | None = None, most_files: int = 0
    ) -> subprocess.Popen[str]:
        """Starts the command in a session of its own.

        Args:
            more: further variables of the environment.
            most_files: the limit of open files; 0 leaves it.
        """
        environment = {
            **os.environ,
            "TMPDIR": str(self.where / "tmp"),
            "XDG_CACHE_HOME": str(self.cache),
            "PANTALA_TRIAL": self.where.name,
            "COLUMNS": "200",
            **(more or {}),
        }

        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most_files, most_files))

        self._said += 1
        with (self.where / f"said-{self._said}").open("w") as said:
            return subprocess.Popen(
                [PANTALA, *self.victim.line.split()],
                cwd=self.where,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                text=True,
                start_new_session=True,
                preexec_fn=limit if most_files else None,
            )

    def said(self) -> str:
        """Returns what the command that was started last said."""
        return (self.where / f"said-{self._said}").read_text(errors="replace")

    def moment(self) -> float:
        """Returns a random moment of the command, in seconds after its start."""
        return self.duration * self.draw.uniform(0.15, 1.05)

    def end(self, process: subprocess.Popen[str]) -> int:
        """Waits for the end of a command; one that hangs is killed, which is a broken promise."""
        try:
            return process.wait(_HANGS)
        except subprocess.TimeoutExpired:
            self.wrong.append(f"hangs for {_HANGS:.0f} s")
            kill_group(process)
            return process.wait()

    def processes(self) -> list[int]:
        """Returns the processes of this trial that live, whoever their parents are."""
        marker = f"PANTALA_TRIAL={self.where.name}\0".encode()
        found = []
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit():
                with contextlib.suppress(OSError):
                    if marker in (folder / "environ").read_bytes():
                        found.append(int(folder.name))
        return found

    def no_orphans(self) -> None:
        """Checks that all processes of the trial end by themselves."""
        until = time.monotonic() + 60
        while left := self.processes():
            if time.monotonic() > until:
                self.wrong.append("leaves processes that do not end")
                for process in left:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(process, signal.SIGKILL)
                return
            time.sleep(0.05)

    def whole(self) -> None:
        """Checks that no file looks whole and is not."""
        self.wrong += [f"a half-written file: {each}" for each in broken_files(self.out)]

    def refused(self, status: int) -> None:
        """Checks that a command that could not do its work said so, without a traceback."""
        said = self.said()
        if status < 0:
            self.wrong.append(f"ends by signal {-status} under the fault")
        if _traceback(said):
            last = said.strip().splitlines()[-1]
            self.wrong.append(f"a traceback under the fault: {last[:150]}")
        if status > 0 and not said.strip():
            self.wrong.append(f"ends with status {status} and says nothing")

    def again(self, wanted: dict[str, str]) -> None:
        """Gives the command again, and compares what is there with the undisturbed values."""
        began = time.monotonic()
        status = self.end(self.start())
        said = self.said()
        if status == 0:
            self.duration = time.monotonic() - began
        elif not any(words in said for words in _IS_THERE):
            last = (said.strip() or "nothing").splitlines()[-1]
            self.wrong.append(f"again: status {status}: {last[:200]}")
            return
        self.no_orphans()
        self.whole()
        try:
            values = self.victim.values(self.out)
        except Exception as error:
            self.wrong.append(f"again: cannot be read: {type(error).__name__}: {error}"[:250])
            return
        if changed := sorted(
            key for key in wanted.keys() | values.keys() if wanted.get(key) != values.get(key)
        ):
            self.wrong.append(f"other values: {', '.join(changed)[:150]}")
        self._left()

    def _left(self) -> None:
        """Checks that no temporary file, no run in progress and no lease stays."""
        for path in sorted(self.out.rglob("*")):
            name = path.relative_to(self.out)
            held = name.parent.name in ("leases", "partial")
            if held or is_temporary(path.name):
                self.wrong.append(f"leaves {_general(str(name))}")
        for path in (self.where / "tmp").iterdir():
            # Open MPI keeps a folder of its own, which nobody removes after kill -9.
            if not path.name.startswith(("ompi.", "prte.", "pmix")):
                self.wrong.append(f"leaves {_general(path.name)} in the folder of temporary files")


def _traceback(said: str) -> bool:
    """Returns whether a text shows a panic or a traceback.

    Tracebacks of the tracker of resources do not count. The tracker is a process of
    `multiprocessing`, which can be killed like the others; Python starts a new one, and that one
    prints them.
    """
    shown = said.split("Traceback (most recent")[1:]
    files = [each.split("File", 1)[-1].partition(",")[0] for each in shown]
    return "panicked at" in said or any("resource_tracker.py" not in each for each in files)


def _general(name: str) -> str:
    """Returns a name without its random parts."""
    kept = "".join("#" if letter.isdigit() else letter for letter in name)
    return kept[:60]


def kill_group(process: subprocess.Popen[str]) -> None:
    """Kills a command and all processes of its session's group."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
