"""The communication of applications without a network: totals, message sizes and pairs of ranks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pantala.core import native
from pantala.errors import PlanError, UsageError, nearest
from pantala.scenario import Scenario
from pantala.workloads import APPLICATIONS

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Communication", "application_scenario", "communication"]


@dataclass(frozen=True)
class Communication:
    """All messages of a job, with those inside collectives, without control messages.

    Messages of a rank to itself do not count.

    Attributes:
        job: the job's name.
        workload: its workload as in the plan, with every default.
        ranks: the number of ranks. source, destination: rank numbers, one entry per pair of ranks
            that communicate.
        messages: the number of messages, per pair.
        bytes: their payload, per pair.
        sizes: bytes of a message, and the number of messages of this size.
        operations: messages and bytes of the program's own sends (``point_to_point``) and inside
            each collective.
        compute_ns: the computing time of each rank, without noise.
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
        """The number of messages."""
        return int(self.messages.sum())

    def sent_bytes(self) -> NDArray[np.uint64]:
        """Returns the payload that each rank sends."""
        sent = np.zeros(self.ranks, np.uint64)
        np.add.at(sent, self.source, self.bytes)
        return sent

    def partners(self) -> NDArray[np.int64]:
        """Returns the number of other ranks to which each rank sends."""
        return np.bincount(self.source, minlength=self.ranks)

    def matrix(self, cells: int | None = None) -> NDArray[np.float64]:
        """Returns the bytes from each rank (row) to each rank (column).

        With `cells`, a row or column is a block of ranks.
        """
        number = min(cells or self.ranks, self.ranks)
        matrix = np.zeros((number, number))
        rows = self.source.astype(np.int64) * number // self.ranks
        columns = self.destination.astype(np.int64) * number // self.ranks
        np.add.at(matrix, (rows, columns), self.bytes)
        return matrix


def communication(scenario: Scenario) -> list[Communication]:
    """Returns the communication of each job of a scenario, in the scenario's order.

    Jobs of synthetic traffic are left out because they have no end. Machine and placement have no
    influence.

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
    """Returns a scenario of one application, with the values of its paper and some changes.

    Args:
        name: the application's kind.
        ranks: the number of ranks; the paper's number if not given.
        settings: keys of the workload; keys that begin with ``mpi.`` are keys of the scenario.

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
