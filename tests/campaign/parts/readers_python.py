"""Readers in Python: damaged files of scenarios, logs, programs, traces and runs.

Every input ends in one line of an error with the exit status 2, or in a valid result: scenarios of
at most 2,000 nodes are resolved, runs are opened and all their tables are read. No other exception,
no more than 10 s of the processor or 100 s (readers that start a process: 60 s and 600 s), and no
more than 4 GiB of the process.

The damage is that of the readers in Rust. "Beyond the first key" counts inputs that were accepted
or whose error names a key, a column, a line after the first, or a table. Readers that start a
process for each input (Python programs, OTF2, links in Parquet) are tried at one case in 50, those
of runs at one in five. A hundred cases have a process: one that ends by a signal is a failure.

Polars, which reads tables of Parquet, panics at some damaged pages and at a few asks for memory
that no machine has, which ends the process. A panic becomes a line of an error, after what Polars
itself prints. Files of links are read in another process first, which may end. The tables of a run
are compared with their check sums in run.json before they are read, unless their end says nothing
of Pantala: then another program has written them anew. Runs of versions that wrote no sums are read
as they are, so there a damaged table can end a command by a signal, or give other numbers; the
command that wrote the run makes it again. The same holds for slowdown.parquet of an interference
experiment and cases.parquet of a sweep, which have no sums.
"""

from __future__ import annotations

import multiprocessing
import random
import re
import resource
import signal
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from campaign.python_readers import READERS
from campaign.stretch import Results, Stretch
from pantala.errors import PantalaError
from pantala.files.table_errors import UNREADABLE
from pantala.system.system_errors import system_fault
from pantala.text.plain_text import plain

TITLE = "Readers in Python"
COLUMNS = {
    "inputs": "inputs",
    "refused": "refused",
    "valid": "valid",
    "deep": "beyond the first key",
    "failures": "failures",
    "per_second": "inputs/s",
    "longest_ms": "longest (ms)",
    "process_gib": "process (GiB)",
}
#: Cases of a process, and the file that says which one it tries.
_BLOCK = 100
_NOW = "now"
_MOST_MEMORY = 4 << 30
#: Errors of the form and of the first line.
_SHALLOW = re.compile(
    r"not TOML|not JSON|not a text|is empty|line 1\b|:1:|no name|not a run|UTF-8|utf-8|first line"
)


class Hang(BaseException):
    """A reader that takes longer than its bound; no reader catches it."""


def run(stretch: Stretch) -> None:
    """Tries every case with every reader, a hundred in a process: a library can abort."""
    memory = Path("/dev/shm")
    where = memory if memory.is_dir() else stretch.scratch
    with tempfile.TemporaryDirectory(prefix="pantala-readers-", dir=where) as scratch:
        for first in stretch.cases(_BLOCK):
            _block(stretch, first, Path(scratch))


def _block(stretch: Stretch, first: int, scratch: Path) -> None:
    """Tries a block of cases in a process; again without a case that ends the process."""
    spawn = multiprocessing.get_context("spawn")
    left_out: set[tuple[str, int]] = set()
    while True:
        ours, theirs = spawn.Pipe(duplex=False)
        given = (stretch.seed, stretch.results, first, scratch, frozenset(left_out), theirs)
        process = spawn.Process(target=_in_process, args=given)
        process.start()
        theirs.close()
        try:
            stretch.results = ours.recv()
            process.join()
            return
        except EOFError:
            process.join()
        name, number = (scratch / _NOW).read_text().rsplit(" ", 1)
        stretch.failure(name, int(number), f"the process ends with status {process.exitcode}")
        left_out.add((name, int(number)))


def _in_process(
    seed: int,
    results: Results,
    first: int,
    scratch: Path,
    left_out: frozenset[tuple[str, int]],
    to: Connection,
) -> None:
    """Tries a block of cases, and sends what was counted."""
    limit_memory()
    stretch = Stretch("readers_python", seed, 0, scratch, scratch)
    stretch.results = results
    for number in range(first, first + _BLOCK):
        for name in READERS:
            if number % READERS[name].every == 0 and (name, number) not in left_out:
                (scratch / _NOW).write_text(f"{name} {number}")
                tried(stretch, name, number, scratch)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    for name in READERS:
        if name in results.rows:
            known = float(results.rows[name].get("process_gib", 0))
            stretch.state(name, process_gib=max(known, most))
    to.send(stretch.results)


def limit_memory() -> None:
    """Makes a reader that takes 4 GiB fail with `MemoryError`, before it takes all there is."""
    resource.setrlimit(resource.RLIMIT_DATA, (_MOST_MEMORY, _MOST_MEMORY))


def tried(stretch: Stretch, name: str, case: int, scratch: Path) -> None:
    """Tries a case with a reader, and counts what became of it."""
    reader = READERS[name]
    draws = random.Random(f"{stretch.seed}/{name}/{case}")
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        path, data = reader.make(Path(folder), draws)
        began = time.monotonic()
        fault, refused = judged(name, path)
        took = time.monotonic() - began
    stretch.add(
        name,
        inputs=1,
        refused=int(refused is not None),
        valid=int(refused is None and fault is None),
        deep=int(fault is None and not _SHALLOW.search(refused or "")),
        failures=0,
    )
    if fault is not None:
        stretch.failure(name, case, fault, data[:4096])
    row = stretch.results.rows[name]
    seconds = float(row.get("seconds", 0)) + took
    stretch.state(
        name,
        seconds=seconds,
        per_second=round(int(row["inputs"]) / max(seconds, 1e-9)),
        longest_ms=max(float(row.get("longest_ms", 0)), 1e3 * took),
    )


def judged(name: str, path: Path) -> tuple[str | None, str | None]:
    """Returns the broken promise, if any, and the error of a refused input."""
    reader = READERS[name]
    try:
        with warnings.catch_warnings(), _silent(), _within(reader.bound):
            warnings.simplefilter("ignore")
            reader.read(path)
    except PantalaError as error:
        text = plain(str(error))  # as the command prints it
        if error.exit_status != 2:
            return f"status {error.exit_status}: {text.splitlines()[0]}", None
        if any(not line.strip() for line in text.split("\n")) or not text.isprintable():
            lines = text.split("\n")
            if not all(line.strip() and line.isprintable() for line in lines):
                return f"a line of an error cannot be printed: {lines[0][:120]!r}", None
        return None, text
    except Hang:
        return f"takes more than {reader.bound} s", None
    except BaseException as error:
        fault = system_fault(error)
        if fault is not None and fault.status == 2:
            return None, fault.line
        if isinstance(error, UNREADABLE):
            return None, "a table cannot be read"
        place = traceback.extract_tb(error.__traceback__)[-1]
        at = f"{Path(place.filename).name}, {place.name}"
        return f"{type(error).__name__} in {at}", None
    return None, None


@contextmanager
def _within(seconds: int) -> Iterator[None]:
    """Ends the block with `Hang` after so many seconds of this process, or ten times as many."""

    def late(*_: Any) -> None:
        raise Hang

    kinds = ((signal.SIGPROF, signal.ITIMER_PROF, 1), (signal.SIGALRM, signal.ITIMER_REAL, 10))
    before = [signal.signal(number, late) for number, _, _ in kinds]
    for _, timer, factor in kinds:
        signal.setitimer(timer, factor * seconds)
    try:
        yield
    finally:
        for (number, timer, _), handler in zip(kinds, before, strict=True):
            signal.setitimer(timer, 0)
            signal.signal(number, handler)


@contextmanager
def _silent() -> Iterator[None]:
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        yield
