"""Memory safety: tests of unsafe code and of threads under tools that find what tests cannot see.

Unsafe code is in four crates: the arrays without checks of their index (`pantala-engine`,
`pantala-fabric`, and a pool of `pantala-routing`), a prefetch, and the allocator that ends a
process without memory in one line (`pantala-python`). Every `unsafe` has its argument beside it, in
a `SAFETY` comment or the section Safety of its documentation, which a test checks. The proofs that
indices are in bounds are in `crates/pantala-fabric/src/store/bounds.rs`. The tests of all crates
run with debug assertions that check each index.

A tool that is not installed has no figures. Miri runs the unit tests of queues and arrays, which
take minutes in it; it cannot run a whole simulation in reasonable time. Threads share one barrier
of atomics with a mutex and a condition variable, and mailboxes behind mutexes, all without unsafe
code. Miri runs their hand-over in up to 32 orders of the threads (the table has how many), each
with other old values of the atomics, and finds races, lost wakes and deadlocks among them. That is
a sample. loom, whose types then take the place of those of the standard library, tries all orders
of small cases: two threads over three windows (771,449 orders), two threads that spin first, and
three threads that are stopped at most twice each. It was tried on two faults: without the lock
before a wake it finds the deadlock, and with one buffer for all windows the wrong message.
ThreadSanitizer, which knows the mutexes of a rebuilt standard library, runs the tests that simulate
on several threads. Helgrind and DRD were tried and are no use here: they know the locks of POSIX
threads only, and the standard library of Rust has its own, so they report every line that such a
mutex guards.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from dataclasses import dataclass, field

from campaign.parts.readers_rust import ROOT
from campaign.stretch import Stretch

TITLE = "Memory safety"
COLUMNS = {
    "tests": "tests",
    "passed": "passed",
    "failures": "failures",
    "minutes": "minutes",
    "run": "run",
}
_RESULT = re.compile(r"test result: \w+\. (\d+) passed; (\d+) failed")
_MEMCHECK = "valgrind --quiet --error-exitcode=1"
_HOST = "x86_64-unknown-linux-gnu"
_THREADS = ("-p", "pantala-fabric", "--test", "suite", "--", "partitions::")


@dataclass(frozen=True)
class Tool:
    """A tool and the tests that it runs.

    Attributes:
        needs: a command that succeeds if the tool is there.
        command: the command that runs the tests.
        environment: its variables.
    """

    needs: tuple[str, ...]
    command: tuple[str, ...]
    environment: dict[str, str] = field(default_factory=dict)


def _sanitizer(name: str) -> Tool:
    return Tool(
        ("cargo", "+nightly", "miri", "--version"),
        (
            *("cargo", "+nightly", "test", "--locked", "-Zbuild-std", "--target", _HOST),
            *("--target-dir", f"target/{name}", "--profile", "testing", *_THREADS),
        ),
        {"RUSTFLAGS": f"-Zsanitizer={name}", "PANTALA_CASES": "5"},
    )


TOOLS = {
    "Miri: queues and arrays": Tool(
        ("cargo", "+nightly", "miri", "--version"),
        ("make", "--no-print-directory", "miri"),
    ),
    "Miri: hand-over of threads, 32 orders": Tool(
        ("cargo", "+nightly", "miri", "--version"),
        ("make", "--no-print-directory", "miri-threads"),
    ),
    "loom: hand-over of threads, all orders": Tool(
        ("cargo", "--version"),
        ("make", "--no-print-directory", "loom"),
    ),
    "Valgrind memcheck: unit tests of unsafe crates": Tool(
        ("valgrind", "--version"),
        ("make", "--no-print-directory", "memcheck"),
    ),
    "Valgrind memcheck: threads": Tool(
        ("valgrind", "--version"),
        (
            *("cargo", "--config", f"target.'cfg(unix)'.runner='{_MEMCHECK}'"),
            *("test", "--locked", "--profile", "testing", *_THREADS),
        ),
        {"PANTALA_CASES": "1"},
    ),
    "ThreadSanitizer: threads": _sanitizer("thread"),
    "AddressSanitizer: threads": _sanitizer("address"),
}


def run(stretch: Stretch) -> None:
    """Runs every tool once, a case each; a second stretch runs them again."""
    for case, name in stretch.round(list(TOOLS)):
        tried(stretch, name, case)


def tried(stretch: Stretch, name: str, case: int) -> None:
    """Runs the tests of a tool and states what became of them."""
    tool = TOOLS[name]
    if not _is_there(tool.needs):
        stretch.state(name, run=f"no: {tool.needs[0]} has no such tool")
        return
    began = time.monotonic()
    ended = subprocess.run(
        tool.command,
        cwd=ROOT,
        env=os.environ | tool.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    counted(stretch, name, case, ended, time.monotonic() - began)


def counted(
    stretch: Stretch,
    name: str,
    case: int,
    ended: subprocess.CompletedProcess[str],
    seconds: float,
) -> None:
    """States what the tests of a tool printed."""
    found = [tuple(map(int, each)) for each in _RESULT.findall(ended.stdout)]
    passed, failed = sum(each[0] for each in found), sum(each[1] for each in found)
    stretch.state(name, tests=passed + failed, passed=passed, minutes=round(seconds / 60, 1))
    stretch.state(name, run="yes", failures=0)
    if ended.returncode != 0 or not passed:
        last = (ended.stderr.strip().splitlines() or ["no test ran"])[-1]
        stretch.failure(name, case, last[:200])


def _is_there(command: tuple[str, ...]) -> bool:
    if shutil.which(command[0]) is None:
        return False
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
