"""What applications communicate, without a network: totals, sizes of messages, and who sends how
much to whom.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pantala import native
from pantala.errors import PlanError, UsageError, nearest
from pantala.scenario import Scenario
from pantala.scenario.workload import APPLICATIONS

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Communication", "application_scenario", "communication"]


@dataclass(frozen=True)
class Communication:
    """All messages of a job but those of a rank to itself: what is inside collectives included,
    control messages not.

    Attributes:
        job: the job's name.
        workload: its workload as the plan has it, every default filled in.
        ranks: how many.
        source, destination: an entry for every two ranks that talk, rank numbers.
        messages: how many messages, an entry likewise.
        bytes: their payload, an entry likewise.
        sizes: bytes of a message, and how many there are.
        operations: messages and bytes of the program's own sends (``point_to_point``) and inside
            each collective.
        compute_ns: how long each rank computes, without noise.
    """

    job: str
    workload: Mapping[str, Any]
    ranks: int
    source: NDArray[np.uint32]
    destination: NDArray[np.uint32]
    messages: NDArray[np.uint64]
    bytes: NDArray[np.uint64]
    sizes: tuple[tuple[int, int], ...]
    operations: Mapping[str, tuple[int, int]]
    compute_ns: NDArray[np.float64]

    @property
    def total_bytes(self) -> int:
        """Payload of all messages."""
        return int(self.bytes.sum())

    @property
    def total_messages(self) -> int:
        """How many messages."""
        return int(self.messages.sum())

    def sent_bytes(self) -> NDArray[np.uint64]:
        """Payload that each rank sends."""
        sent = np.zeros(self.ranks, np.uint64)
        np.add.at(sent, self.source, self.bytes)
        return sent

    def partners(self) -> NDArray[np.int64]:
        """To how many others each rank sends."""
        return np.bincount(self.source, minlength=self.ranks)

    def matrix(self, cells: int | None = None) -> NDArray[np.float64]:
        """Bytes from each rank (row) to each rank (column), or from each block of ranks to each, in
        `cells` blocks.
        """
        number = min(cells or self.ranks, self.ranks)
        matrix = np.zeros((number, number))
        rows = self.source.astype(np.int64) * number // self.ranks
        columns = self.destination.astype(np.int64) * number // self.ranks
        np.add.at(matrix, (rows, columns), self.bytes)
        return matrix


def communication(scenario: Scenario) -> list[Communication]:
    """What each job of a scenario communicates, in its order; those of synthetic traffic are left
    out, having no end.

    The machine and the placement have no part in it.

    Raises:
        ScenarioError: a job is wrong.
    """
    plan = scenario.plan()
    try:
        found = native.communication(plan)
    except PlanError as error:
        raise scenario.error_of_plan(error) from None
    workloads = {job["name"]: job["workload"] for job in plan["jobs"]}
    return [_communication(job, workloads[job["job"]]) for job in found]


def application_scenario(
    name: str, ranks: int | None = None, settings: Mapping[str, Any] | None = None
) -> Scenario:
    """A scenario of one application, as its paper ran it but for what is said.

    Args:
        name: the application's kind.
        ranks: how many; those of the paper if not given.
        settings: keys of the workload; those that begin with ``mpi.`` are the scenario's.

    Raises:
        UsageError: there is no such application.
        ScenarioError: a setting is wrong.
    """
    application = APPLICATIONS.get(name)
    if application is None:
        close = nearest(name, list(APPLICATIONS))
        remedy = f"did you mean '{close}'?" if close else "see pantala workload list"
        raise UsageError(f"{name}: there is no such application; {remedy}")
    given = dict(settings or {})
    of_scenario = {key: given.pop(key) for key in list(given) if key.startswith(("mpi.", "seed"))}
    changes = of_scenario | {f"jobs.0.workload.{key}": value for key, value in given.items()}
    count = application.paper_ranks if ranks is None else ranks
    workload = {"kind": name}
    data: dict[str, Any] = {
        "name": name,
        "machine": "kang2022",
        "routing": "minimal",
        "jobs": [{"name": name, "ranks": count, "workload": workload}],
    }
    return Scenario.from_dict(data, source=f"application {name}", changes=changes)


def _communication(job: dict[str, Any], workload: Mapping[str, Any]) -> Communication:
    return Communication(
        job=job["job"],
        workload=workload,
        ranks=len(job["ranks"]),
        source=np.array(job["source"], np.uint32),
        destination=np.array(job["destination"], np.uint32),
        messages=np.array(job["messages"], np.uint64),
        bytes=np.array(job["bytes"], np.uint64),
        sizes=tuple((size, count) for size, count in job["sizes"]),
        operations={name: (messages, size) for name, messages, size in job["operations"]},
        compute_ns=np.array([rank["compute_ps"] for rank in job["ranks"]], np.float64) / 1000,
    )
