"""Runs on a Slurm cluster: job arrays whose tasks simulate several runs each.

The process that sweeps submits the arrays, reads the results from files in the directory of the
experiment, and asks Slurm which tasks still live. The nodes must see that directory.
"""

from __future__ import annotations

import contextlib
import secrets
import shutil
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from pathlib import Path
from threading import Condition, Thread
from types import TracebackType
from typing import Any

from pantala.errors import ExecutorError, PantalaError, UsageError
from pantala.executors import slurm_commands
from pantala.executors.slurm_task import STARTED, read_results, results_of, write_runs
from pantala.experiments.index import Entry
from pantala.experiments.worker import Task, perform
from pantala.parallel import WorkerDied

__all__ = ["SlurmExecutor", "SlurmOptions"]

#: The time between two looks at the results, and the part of looks that also ask Slurm.
_LOOK_SECONDS = 1.0
_ASK_SECONDS = 10.0
#: Runs that come within this time go into the same job array.
_GATHER_SECONDS = 1.0
#: Slurm may be silent that long, for example while its controller starts anew.
_SILENCE_SECONDS = 1800.0
#: A task that Slurm no longer lists has this time for its results to appear on a shared disk.
_GRACE_SECONDS = 20.0


@dataclass(frozen=True)
class SlurmOptions:
    """How runs become Slurm jobs.

    Attributes:
        partition: the partition; Slurm's default if not given.
        time_limit: the time limit of a task, as Slurm writes it (``30``, ``1:00:00``, ``2-0``).
        runs_per_task: runs that one task simulates one after another.
        cpus: processors of a task; as many as a simulation has threads.
        options: further options of sbatch, e.g. ``--account=physics``.
    """

    partition: str | None = None
    time_limit: str | None = None
    runs_per_task: int = 1
    cpus: int = 1
    options: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.runs_per_task < 1:
            raise UsageError(f"runs per task = {self.runs_per_task}: must be at least 1")

    @property
    def arguments(self) -> list[str]:
        """The options of sbatch."""
        return [
            f"--cpus-per-task={self.cpus}",
            *([f"--partition={self.partition}"] if self.partition else []),
            *([f"--time={self.time_limit}"] if self.time_limit else []),
            *self.options,
        ]


@dataclass
class _ArrayTask:
    """A task of a job array whose runs have not all ended."""

    job: str
    folder: Path
    number: int
    waiting: dict[str, Future[Entry]]
    offset: int = 0
    started: str | None = None
    vanished: float | None = None


@dataclass
class _State:
    """What the thread of an executor shares with its callers."""

    new: list[tuple[Task, Future[Entry]]] = field(default_factory=list)
    newest: float = 0.0
    closing: bool = False


class SlurmExecutor(Executor):
    """An executor of `concurrent.futures` whose tasks are tasks of Slurm job arrays.

    An exception inside ``with`` cancels the arrays. If this process is killed, they go on and store
    their runs.

    Attributes:
        window: the number of runs that it takes at once.

    Args:
        root: the directory of the experiment, which all nodes see.
        options: how runs become jobs.
        on_submit: called with the number of a job array, its tasks and its runs.
        look_seconds: the time between two looks at results.
        ask_seconds: the time between two questions to Slurm.

    Raises:
        UsageError: Slurm is not installed.
    """

    window = 10_000

    def __init__(
        self,
        root: Path,
        options: SlurmOptions,
        *,
        on_submit: Callable[[str, int, int], None] = lambda *_: None,
        look_seconds: float = _LOOK_SECONDS,
        ask_seconds: float = _ASK_SECONDS,
    ) -> None:
        slurm_commands.check_installed()
        self._folder = root.absolute() / "slurm" / secrets.token_hex(6)
        self._options = options
        self._on_submit = on_submit
        self._look, self._ask = look_seconds, ask_seconds
        self._largest = slurm_commands.largest_array()
        self._state = _State()
        self._changed = Condition()
        self._living: list[_ArrayTask] = []
        self._arrays = 0
        self._thread = Thread(target=self._serve, daemon=True)
        self._thread.start()

    def submit(self, work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Gives a run to Slurm: `work` is `perform`, and its argument is the task."""
        if work is not perform or len(args) != 1 or kwargs:
            raise UsageError("a SlurmExecutor simulates runs only: submit(perform, task)")
        future: Future[Entry] = Future()
        with self._changed:
            self._state.new.append((args[0], future))
            self._state.newest = time.monotonic()
            self._changed.notify()
        return future

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.shutdown(cancel_futures=kind is not None)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Ends the executor: after its runs, or at once with `cancel_futures`."""
        with self._changed:
            self._state.closing = True
            if cancel_futures:
                for _, future in self._state.new:
                    future.cancel()
                self._state.new.clear()
                slurm_commands.cancel(sorted({task.job for task in self._living}))
                self._living.clear()
            self._changed.notify()
        if wait:
            self._thread.join()
            if not self._arrays or not (cancel_futures or self._has_deaths()):
                shutil.rmtree(self._folder, ignore_errors=True)
                with contextlib.suppress(OSError):  # others have folders there
                    self._folder.parent.rmdir()

    def _has_deaths(self) -> bool:
        """Returns whether a task died; its log then remains."""
        return any(self._folder.glob("*/*.died"))

    def _serve(self) -> None:
        """The thread: submits, collects, and asks Slurm, until the executor is closed."""
        asked = answered = time.monotonic()
        while True:
            with self._changed:
                if self._state.closing and not self._state.new and not self._living:
                    return
                if not self._living and not self._state.new:
                    self._changed.wait()
                    asked = answered = time.monotonic()
                    continue
                self._changed.wait(self._look if self._living else _GATHER_SECONDS / 4)
            try:
                self._submit_gathered()
                with self._changed:
                    now = time.monotonic()
                    self._collect()
                    if now - asked >= self._ask:
                        asked = now
                        if self._ask_slurm(now):
                            answered = now
                    if now - answered > _SILENCE_SECONDS:
                        raise ExecutorError("executor slurm: Slurm does not answer")
            except PantalaError as error:
                self._fail(error)
            except OSError as error:
                self._fail(ExecutorError(f"executor slurm: {self._folder}: {error.strerror}"))

    def _submit_gathered(self) -> None:
        """Submits the runs that have come, once no more come."""
        with self._changed:
            quiet = time.monotonic() - self._state.newest >= _GATHER_SECONDS
            if not self._state.new or not (quiet or self._state.closing):
                return
            each = self._options.runs_per_task
            taken = self._state.new[: each * self._largest]
            groups = [taken[first : first + each] for first in range(0, len(taken), each)]
            folder = self._folder / str(self._arrays)
            folder.mkdir(parents=True)
            for number, group in enumerate(groups):
                write_runs(folder, number, [task for task, _ in group])
            name = f"pantala-{self._folder.parent.parent.name}"
            job = slurm_commands.submit(folder, len(groups), name, self._options.arguments)
            self._arrays += 1
            del self._state.new[: len(taken)]
            for number, group in enumerate(groups):
                waiting = {task.run: future for task, future in group}
                self._living.append(_ArrayTask(job, folder, number, waiting))
        self._on_submit(job, len(groups), len(taken))

    def _collect(self) -> None:
        """Gives the results that have appeared to their futures."""
        for task in self._living:
            entries, task.offset = read_results(results_of(task.folder, task.number), task.offset)
            for entry in entries:
                if entry["state"] == STARTED:
                    task.started = entry["run"]
                    continue
                task.started = None
                future = task.waiting.pop(entry["run"], None)
                if future is not None and not future.cancelled():
                    future.set_result(entry)
        self._living = [task for task in self._living if task.waiting]

    def _ask_slurm(self, now: float) -> bool:
        """Gives up tasks that Slurm no longer has; returns whether Slurm answers."""
        found = slurm_commands.living_tasks({task.job for task in self._living})
        if found is None:
            return False
        for task in self._living:
            if (task.job, task.number) in found:
                task.vanished = None
            elif task.vanished is None:
                task.vanished = now
            elif now - task.vanished >= min(_GRACE_SECONDS, 2 * self._ask):
                self._give_up(task)
        self._living = [task for task in self._living if task.waiting]
        return True

    def _give_up(self, task: _ArrayTask) -> None:
        """Ends the futures of a task that Slurm has ended: the run that it simulated killed it."""
        log = task.folder / f"{task.number}.log"
        (task.folder / f"{task.number}.died").touch()
        for run, future in task.waiting.items():
            if not future.cancelled():
                future.set_exception(WorkerDied(_last_line(log), at_work=run == task.started))
        task.waiting = {}

    def _fail(self, error: PantalaError) -> None:
        with self._changed:
            futures = [future for _, future in self._state.new]
            futures += [future for task in self._living for future in task.waiting.values()]
            self._state.new.clear()
            slurm_commands.cancel(sorted({task.job for task in self._living}))
            self._living.clear()
        for future in futures:
            if not future.cancelled():
                future.set_exception(error)


def _last_line(log: Path) -> str:
    """Returns what the log of a task says last."""
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError:
        lines = []
    said = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return f"its Slurm task ended ({said or 'without a word'}; {log})"
