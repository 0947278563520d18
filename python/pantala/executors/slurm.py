"""Runs on a Slurm cluster: job arrays whose tasks simulate several runs each.

The process that sweeps submits the arrays, reads the results from files in the directory of the
experiment, and asks Slurm which tasks still live. The nodes must see that directory.
"""

from __future__ import annotations

import contextlib
import secrets
import shutil
import time
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from pathlib import Path
from threading import Condition, Thread
from types import TracebackType
from typing import Any

from pantala.errors import ExecutorError, PantalaError, UsageError
from pantala.executors import slurm_commands
from pantala.executors.slurm_arrays import job_name, living_tasks, write_array
from pantala.executors.slurm_commands import NoAnswerError, TaskState
from pantala.executors.slurm_options import SlurmOptions
from pantala.executors.slurm_task import STARTED, read_results, results_of, write_runs
from pantala.store.index import Entry
from pantala.store.worker import Task, perform
from pantala.system.parallel import WorkerDied
from pantala.text.amounts import counted

__all__ = ["SlurmExecutor", "SlurmOptions"]

#: The time between two looks at the results, and the part of looks that also ask Slurm.
_LOOK_SECONDS = 1.0
_ASK_SECONDS = 10.0
#: Runs that come within this time go into the same job array.
_GATHER_SECONDS = 1.0
#: Slurm may be silent that long, for example while its controller starts anew.
_SILENCE_SECONDS = 1800.0
#: A run may be in that many tasks that end before they begin any run.
_MOST_UNBEGUN = 3
#: A task that Slurm no longer lists has this time for its results to appear on a shared disk.
_GRACE_SECONDS = 20.0
#: After an interruption, the time that a question to Slurm still has.
_LEAVE_SECONDS = 5.0

_UNKNOWN = TaskState("")


@dataclass
class _ArrayTask:
    """A task of a job array whose runs have not all ended."""

    job: str
    folder: Path
    number: int
    waiting: dict[str, Future[Entry]]
    offset: int = 0
    started: str | None = None
    began: bool = False
    ended: int = 0
    vanished: float | None = None
    end: TaskState = _UNKNOWN

    @property
    def log(self) -> Path:
        return self.folder / f"{self.number}.log"


@dataclass
class _State:
    """What the thread of an executor shares with its callers."""

    new: list[tuple[Task, Future[Entry]]] = field(default_factory=list)
    newest: float = 0.0
    closing: bool = False


class SlurmExecutor(Executor):
    """An executor of `concurrent.futures` whose tasks are tasks of Slurm job arrays.

    An exception inside ``with`` cancels the arrays. If this process is killed, they go on and store
    their runs; the next executor of the directory waits for their tasks and does not submit their
    runs again. If somebody cancels an array, the executor ends with the reason.

    Attributes:
        window: the number of runs that it takes at once.

    Args:
        root: the directory of the experiment, which all nodes see.
        options: how runs become jobs.
        on_submit: called with the number of a job array, its tasks and its runs.
        on_notice: called with a line about tasks that ended early, or that it found at work.
        look_seconds: the time between two looks at results.
        ask_seconds: the time between two questions to Slurm.

    Raises:
        UsageError: Slurm is not installed.
        NoAnswerError: Slurm does not answer whether the runs of an earlier command go on.
    """

    window = 10_000

    def __init__(
        self,
        root: Path,
        options: SlurmOptions,
        *,
        on_submit: Callable[[str, int, int], None] = lambda *_: None,
        on_notice: Callable[[str], None] = lambda _: None,
        look_seconds: float = _LOOK_SECONDS,
        ask_seconds: float = _ASK_SECONDS,
    ) -> None:
        slurm_commands.check_installed()
        self._folder = root.absolute() / "slurm" / secrets.token_hex(6)
        self._options = options
        self._on_submit, self._on_notice = on_submit, on_notice
        self._look, self._ask = look_seconds, ask_seconds
        self._largest = slurm_commands.largest_array()
        self._state = _State()
        self._changed = Condition()
        self._living: list[_ArrayTask] = []
        self._arrays = 0
        self._answered = time.monotonic()
        self._adopted: set[Path] = set()
        self._unbegun: Counter[str] = Counter()
        others = living_tasks(root)
        if others is None:
            raise NoAnswerError(
                f"executor slurm: Slurm does not answer, and an earlier command has submitted runs"
                f" of {root} that may not have ended; repeat the command when it answers"
            )
        self._others = {(run, task.keep): task for task in others for run in task.runs}
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
            self._thread.join(_LEAVE_SECONDS if cancel_futures else None)
            if not self._arrays or not (cancel_futures or self._has_deaths()):
                for folder in (self._folder, *self._ended()):
                    shutil.rmtree(folder, ignore_errors=True)
                with contextlib.suppress(OSError):  # others have folders there
                    self._folder.parent.rmdir()

    def _ended(self) -> set[Path]:
        """Returns the folders of earlier commands that no task needs any more."""
        if not self._adopted:
            return set()
        living = living_tasks(self._folder.parent.parent)
        used = self._adopted if living is None else {task.folder.parent for task in living}
        return {each for each in self._adopted - used if not any(each.glob("*/*.died"))}

    def _has_deaths(self) -> bool:
        """Returns whether a task died; its log then remains."""
        return any(self._folder.glob("*/*.died"))

    def _serve(self) -> None:
        """The thread: submits, collects, and asks Slurm, until the executor is closed."""
        asked = self._answered = time.monotonic()
        while True:
            with self._changed:
                if self._state.closing and not self._state.new and not self._living:
                    return
                if not self._living and not self._state.new:
                    self._changed.wait()
                    asked = self._answered = time.monotonic()
                    continue
                self._changed.wait(self._look if self._living else _GATHER_SECONDS / 4)
            try:
                self._submit_gathered()
                with self._changed:
                    self._collect()
                    due = time.monotonic() - asked >= self._ask
                    jobs = {task.job for task in self._living} if due else set()
                # Without the lock: squeue can take a minute, and Ctrl-C shall not wait for it.
                states = slurm_commands.task_states(jobs) if jobs else None
                with self._changed:
                    now = time.monotonic()
                    asked = now if due else asked
                    if states is not None:
                        self._answered = now
                        self._end_tasks(states, now)
                    if now - self._answered > _SILENCE_SECONDS:
                        raise ExecutorError("executor slurm: Slurm does not answer")
            except PantalaError as error:
                self._fail(error)
            except OSError as error:
                self._fail(ExecutorError(f"executor slurm: {self._folder}: {error.strerror}"))
            except Exception as error:  # its futures would wait without end
                self._fail(ExecutorError(f"executor slurm: {type(error).__name__}: {error}"))

    def _submit_gathered(self) -> None:
        """Submits the runs that have come, once no more come."""
        with self._changed:
            now = time.monotonic()
            quiet = now - self._state.newest >= _GATHER_SECONDS
            if not self._state.new or not (quiet or self._state.closing):
                return
            self._adopt()
            each = self._options.runs_per_task
            taken = self._state.new[: each * self._largest]
            groups = [taken[first : first + each] for first in range(0, len(taken), each)]
            if not taken:
                return
            folder = self._folder / str(self._arrays)
            folder.mkdir(parents=True, exist_ok=True)
            for number, group in enumerate(groups):
                write_runs(folder, number, [task for task, _ in group])
            name = job_name(self._folder.parent.parent)
            try:
                job = slurm_commands.submit(folder, len(groups), name, self._options)
            except NoAnswerError:
                # The controller starts anew, perhaps. The first array tells the user at once.
                if not self._arrays or now - self._answered > _SILENCE_SECONDS:
                    raise
                self._state.newest = now + self._ask - _GATHER_SECONDS
                return
            self._answered = now
            runs = [[task.run for task, _ in group] for group in groups]
            write_array(folder, job, runs, taken[0][0].keep)
            self._arrays += 1
            del self._state.new[: len(taken)]
            for number, group in enumerate(groups):
                waiting = {task.run: future for task, future in group}
                self._living.append(_ArrayTask(job, folder, number, waiting))
        self._on_submit(job, len(groups), len(taken))

    def _adopt(self) -> None:
        """Waits for the runs that an earlier command has submitted, instead of a submission."""
        adopted: dict[tuple[str, int], _ArrayTask] = {}
        new = []
        for task, future in self._state.new:
            other = self._others.pop((task.run, tuple(task.keep)), None)
            if other is None:
                new.append((task, future))
            else:
                key = other.job, other.number
                taken = adopted.setdefault(
                    key, _ArrayTask(other.job, other.folder, other.number, {})
                )
                taken.waiting[task.run] = future
        self._state.new[:] = new
        self._living += adopted.values()
        self._adopted |= {task.folder.parent for task in adopted.values()}
        for job in sorted({job for job, _ in adopted}):
            tasks = [task for task in adopted.values() if task.job == job]
            runs = sum(len(task.waiting) for task in tasks)
            self._on_notice(
                f"Slurm job {job} of an earlier command goes on: {counted(len(tasks), 'task')} with"
                f" {counted(runs, 'run')}"
            )

    def _collect(self) -> None:
        """Gives the results that have appeared to their futures."""
        for task in self._living:
            entries, task.offset = read_results(results_of(task.folder, task.number), task.offset)
            for entry in entries:
                task.began = True
                if entry["state"] == STARTED:
                    task.started = entry["run"]
                    continue
                task.started = None
                task.ended += 1
                future = task.waiting.pop(entry["run"], None)
                if future is not None and not future.cancelled():
                    future.set_result(entry)
        self._living = [task for task in self._living if task.waiting]

    def _end_tasks(self, found: Mapping[tuple[str, int], TaskState], now: float) -> None:
        """Gives up tasks that Slurm has ended."""
        for task in self._living:
            state = found.get((task.job, task.number), _UNKNOWN)
            if state.lives:
                task.vanished = None
                continue
            task.end = state if state.state else task.end
            if task.vanished is None:
                task.vanished = now
            elif now - task.vanished >= min(_GRACE_SECONDS, 2 * self._ask):
                self._give_up(task)
        self._living = [task for task in self._living if task.waiting]

    def _give_up(self, task: _ArrayTask) -> None:
        """Ends the futures of a task that Slurm has ended.

        Raises:
            ExecutorError: the task was cancelled, or tasks end again and again before they begin.
        """
        (task.folder / f"{task.number}.died").touch()
        if not task.end.state:  # Slurm has forgotten the task; its accounts may know how it ended
            found = slurm_commands.accounted(task.job).get((task.job, task.number), _UNKNOWN)
            task.end = _UNKNOWN if found.lives else found
        if task.end.state == "CANCELLED":
            left = sum(len(each.waiting) for each in self._living)
            raise ExecutorError(
                f"executor slurm: task {task.job}_{task.number} was cancelled{_by(task.end)}, so"
                f" the sweep ends; {counted(left, 'run')} had not ended; finished runs are kept,"
                " and the same command continues"
            )
        how = self._how_it_ended(task)
        if not task.began:
            self._unbegun.update(list(task.waiting))
            if max(self._unbegun[run] for run in task.waiting) >= _MOST_UNBEGUN:
                raise ExecutorError(
                    f"executor slurm: {_MOST_UNBEGUN} tasks ended before they began their runs; the"
                    f" last one, {task.job}_{task.number}, {how}; the nodes must see"
                    f" {self._folder.parent.parent} and this installation of Pantala (--setup adds"
                    " lines such as module load); finished runs are kept, and the same command"
                    " continues"
                )
        self._on_notice(
            f"Slurm task {task.job}_{task.number} {how}; {counted(len(task.waiting), 'run')} left"
        )
        # The run that had the whole time of a task has no more time in another one.
        final = task.end.state == "TIMEOUT" and not task.ended
        for run, future in task.waiting.items():
            if not future.cancelled():
                at_work = run == task.started
                death = WorkerDied(
                    f"its Slurm task {how}", at_work=at_work, final=at_work and final
                )
                future.set_exception(death)
        task.waiting = {}

    def _how_it_ended(self, task: _ArrayTask) -> str:
        """Returns how a task ended, with its cause and its log."""
        given = self._options
        if task.end.state == "TIMEOUT":
            limit = given.time_limit
            which = f"--time-limit {limit}" if limit else "the default of the partition"
            remedy = "give a longer --time-limit, with --retry"
            return f"reached its time limit, {which} ({remedy}; {task.log})"
        if task.end.state == "OUT_OF_MEMORY":
            which = f"--mem {given.memory}" if given.memory else "the default of the partition"
            return f"ran out of memory, {which} (give more with --mem; {task.log})"
        state = f"{task.end.state}: " if task.end.state not in ("", "FAILED", "COMPLETED") else ""
        return f"ended ({state}{_last_line(task.log)}; {task.log})"

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


def _by(end: TaskState) -> str:
    """Returns who cancelled a task, if Slurm's accounts say it."""
    return f" {end.reason}" if end.reason.startswith("by ") else ""


def _last_line(log: Path) -> str:
    """Returns what the log of a task says last."""
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError:
        lines = []
    return next((line.strip() for line in reversed(lines) if line.strip()), "without a word")
