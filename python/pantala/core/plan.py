"""The handle on a resolved plan: what can be asked of it, and its run."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypedDict

from pantala.core.extension import Threads, check_threads, core
from pantala.errors import PlanError, UnwritableError
from pantala.system.system_errors import number_in, remedy_of

if TYPE_CHECKING:
    from pathlib import Path

    from pantala import _core

__all__ = ["Done", "ExpectedTraffic", "Extend", "Plan", "Progress", "ProgressCallback", "Resolver"]


class Progress(TypedDict):
    """The progress of a simulation; the core reports it about five times per second."""

    simulated_ns: float
    packets_delivered: int
    packet_hops: int
    wall_seconds: float
    ranks_done: int
    ranks: int
    fraction: float | None


ProgressCallback = Callable[[Progress], None]


class Done(TypedDict):
    """What a run has done at the end of the plan's duration.

    Attributes:
        delivered: a list per job: number of a window, bytes delivered in it.
        packets_delivered: the packets delivered, responses included.
        packets_in_flight: the packets in the network.
        setup_seconds: CPU time of the set-up, before the first event.
    """

    delivered: list[list[tuple[int, int]]]
    packets_delivered: int
    packets_in_flight: int
    setup_seconds: float


#: What `Plan.run` asks at the end of the plan's duration.
Extend = Callable[[Done], int | None]


class ExpectedTraffic(TypedDict):
    """What a job will send.

    Attributes:
        bytes: on the wire, control messages included.
        messages: those of collectives included.
        calls: MPI calls that send.
    """

    bytes: float
    messages: float
    calls: float


class Plan(Mapping[str, Any]):
    """A plan that the core has resolved: it has every value, and the node of every rank.

    As a mapping it is the plan's JSON object, which nobody may change. A subset or another change
    of a plan is checked when it runs. What it shares with the plan that it was made of, such as the
    network and the search for cycles, is not made again.
    """

    def __init__(self, plan: Mapping[str, Any] | str) -> None:
        """Resolves a plan: an object, or its JSON.

        Raises:
            PlanError: the plan cannot be run.
        """
        made = core().Plan
        self._core: _core.Plan = made(plan) if isinstance(plan, str) else _resolved(made, plan)

    @classmethod
    def _of(cls, made: _core.Plan) -> Plan:
        plan = cls.__new__(cls)
        plan._core = made
        return plan

    def like(self, plan: Mapping[str, Any] | str) -> Plan:
        """Resolves another plan, or its JSON, without making again what it shares with this one.

        Raises:
            PlanError: the other plan cannot be run.
        """
        like = self._core.like
        return self._of(like(plan) if isinstance(plan, str) else _resolved(like, plan))

    @cached_property
    def document(self) -> dict[str, Any]:
        """The plan as an object of JSON."""
        document: dict[str, Any] = json.loads(self._core.json())
        return document

    def notices(self) -> list[str]:
        """Returns what a user must know of the plan: its warnings, and why it skips no time."""
        derived = self["derived"]
        found: list[str] = list(derived.get("warnings", ()))
        if declined := derived.get("skip_declined"):
            found.append(f"skip: all of the time will be simulated, because {declined}")
        return found

    def __getitem__(self, key: str) -> Any:
        return self.document[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.document)

    def __len__(self) -> int:
        return len(self.document)

    def __repr__(self) -> str:
        return f"Plan({self['name']!r}, jobs={self.job_names!r})"

    @property
    def job_names(self) -> list[str]:
        """The names of its jobs, in order."""
        return [job["name"] for job in self.document["jobs"]]

    def nodes(self, job: str) -> list[int]:
        """Returns the node of each rank of a job.

        Raises:
            KeyError: there is no such job.
        """
        return self._core.nodes(job)

    def subset(self, jobs: Sequence[str], part: str) -> Plan:
        """Returns a plan with some of the jobs only, on the same nodes and with the same seed.

        Args:
            jobs: the names of the jobs to keep.
            part: the name of the part, which follows the plan's own name.
        """
        return self._of(self._core.subset(list(jobs), part))

    def with_(self, **tables: Any) -> Plan:
        """Returns the plan with other values of keys at its top, such as ``record`` or ``stop``.

        The jobs keep their nodes, whatever the seed.

        Raises:
            PlanError: a value has no such form.
        """
        return self._of(self._core.with_(json.dumps(tables)))

    def lasting(self, simulated_ns: float) -> Plan:
        """Returns the plan with a simulated time."""
        return self.with_(stop={**self["stop"], "duration_ps": round(simulated_ns * 1000)})

    def expected_traffic(self) -> dict[str, ExpectedTraffic]:
        """Returns what each job will send, by its name.

        This is quick also for long programs. Synthetic traffic, and programs whose messages are
        known only when they run, are left out. A job that repeats counts once.

        Raises:
            PlanError: a job is wrong.
        """
        found: dict[str, ExpectedTraffic] = json.loads(self._core.expected_traffic())
        return found

    def threads(self, threads: Threads, processors: int | None = None) -> int:
        """Returns a number of threads: the given one, or for "auto" the one that pays.

        Args:
            threads: a number or "auto".
            processors: the processors that "auto" may use; all processors of this process if not
                given.

        Raises:
            UsageError: no such number of threads.
        """
        check_threads(threads)
        if threads != "auto":
            return threads
        from pantala.system.parallel import cores

        return self._core.threads_worth(cores() if processors is None else processors)

    def run(
        self,
        directory: Path,
        progress: ProgressCallback | None = None,
        threads: Threads = 1,
        extend: Extend | None = None,
    ) -> dict[str, Any]:
        """Runs the plan into an empty directory and returns run.json.

        Only the provenance in run.json depends on `threads`.

        Args:
            directory: an empty directory.
            progress: called about five times per second.
            threads: the number of threads, or "auto".
            extend: called at the end of the plan's duration with what the run has done. It returns
                None, or a longer duration in ps to which the run continues. The result is the run
                of a plan with the last duration, if the earlier durations were multiples of the
                window.

        Raises:
            UsageError: no such number of threads.
            PlanError: the plan cannot be run.
            SimulationError: the simulation could not continue. The tables so far have been written.
            UnwritableError: a table cannot be written.
            KeyboardInterrupt: Ctrl-C. The tables so far have been written.
        """
        count = self.threads(threads)
        try:
            document: dict[str, Any] = json.loads(
                self._core.run(directory, count, progress, extend)
            )
        except OSError as error:
            remedy = remedy_of(number_in(str(error))) or "choose another --out"
            message = f"{error}; {remedy}"
            raise UnwritableError(message, str(error).rpartition(": ")[2], directory) from None
        return document

    def measure(
        self,
        warmup_ps: int,
        measure_ps: int,
        timeline_ps: int,
        progress: ProgressCallback | None,
        drain: bool = False,
        threads: Threads = 1,
    ) -> dict[str, Any]:
        """Measures a plan of patterns over a window, without writing anything.

        Args:
            warmup_ps: simulated time before the window.
            measure_ps: length of the window.
            timeline_ps: length of the timeline's windows; 0 for none.
            progress: called about five times per second.
            drain: whether to count the packets injected in the window, then stop the sources and
                drain the network. Otherwise the packets delivered in the window count.
            threads: the number of threads, or "auto". Only ``bench`` in the result depends on it.

        Raises:
            UsageError: no such number of threads.
            PlanError: the plan cannot be run, or a job is no pattern.
            SimulationError: the simulation could not continue.
        """
        text = self._core.measure(
            warmup_ps, measure_ps, timeline_ps, drain, self.threads(threads), progress
        )
        result: dict[str, Any] = json.loads(text)
        return result

    def cost(self, progress: ProgressCallback | None, threads: Threads = 1) -> dict[str, Any]:
        """Runs the plan to its end without writing anything; only ``bench`` depends on `threads`.

        Returns:
            ``latency_mean_ns`` of all packets; ``accepted``, the delivered flits as a fraction of
            the capacity of the jobs' terminals in that time; ``bench``, the cost as in `measure`,
            with the ``result_hash`` of run.json.

        Raises:
            UsageError: no such number of threads.
            PlanError: the plan cannot be run.
            SimulationError: the simulation could not continue.
            KeyboardInterrupt: Ctrl-C.
        """
        result: dict[str, Any] = json.loads(self._core.cost(self.threads(threads), progress))
        return result


class Resolver:
    """Resolves plans one after another. Each shares with the last one what is equal in both.

    Plans of one machine so have their network, and the search for cycles, made once.
    """

    def __init__(self) -> None:
        self._last: Plan | None = None

    def __call__(self, plan: Mapping[str, Any] | str) -> Plan:
        """Resolves a plan: an object, or its JSON.

        Raises:
            PlanError: the plan cannot be run.
        """
        self._last = Plan(plan) if self._last is None else self._last.like(plan)
        return self._last


def _resolved(resolve: Callable[[str], _core.Plan], plan: Mapping[str, Any]) -> _core.Plan:
    """Resolves a plan. A number that no integer of the core can be is an error with its key."""
    try:
        return resolve(json.dumps(plan))
    except PlanError:
        # The core reads a larger number as a floating-point one and cannot say whence it comes.
        for key, number in _beyond_64_bits(plan, ""):
            raise PlanError(
                key,
                f"{number:,}",
                "is more than 64 bits hold",
                "lower the counts, sizes or times that it follows from",
            ) from None
        raise


def _beyond_64_bits(value: Any, key: str) -> Iterator[tuple[str, int]]:
    """Yields the keys of a plan whose numbers no integer of the core can be."""
    if isinstance(value, dict):
        for name, below in value.items():
            yield from _beyond_64_bits(below, f"{key}.{name}" if key else str(name))
    elif isinstance(value, list):
        for number, below in enumerate(value):
            yield from _beyond_64_bits(below, f"{key}[{number}]")
    elif isinstance(value, int) and value >= 2**64:
        yield key, value
