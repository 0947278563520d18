"""A snapshot of a job log: the jobs that ran at a time, on their nodes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import BeforeValidator, Field

from pantala.errors import ScenarioError, show
from pantala.job_log import JobLogError, LoggedJob, running_at
from pantala.models.base import Count, Model
from pantala.models.validation import fault
from pantala.scenario.background import (
    BackgroundApplication,
    default_applications,
    ordered,
    running_job,
)
from pantala.scenario.hostlist import HostlistFault, expand
from pantala.scenario.job import Job
from pantala.scenario.placement import NodesPlacement, Placement, RandomPlacement
from pantala.scenario.slurm_placement import HostFile, nodes_of_hosts
from pantala.workloads import Workloads

__all__ = ["Snapshot", "SnapshotApplication"]

_NO_NAME = re.compile(r"[^A-Za-z0-9._-]+")


class SnapshotApplication(Model):
    """The application of the jobs of a log with certain names."""

    match: str
    """The names of the jobs, as a pattern of file names: `*` stands for any text. In SWF, job names
    are `executable-3`."""
    workload: Workloads
    """The workload, as of a job."""


class Snapshot(Model):
    """The jobs of a log of SWF or Slurm that ran at a time.

    A job of Slurm has its nodes, and one rank or `ranks_per_node` ranks on each. SWF has no nodes:
    its jobs get as many as they need for their processors, by `placement`. A job is named after its
    number, as `job-1234`. Its application is that of the first entry of `applications` that matches
    its name. Other jobs have an application drawn by their number from the six of Chunduri et al.
    (IPDPS 2021, Table I). The jobs repeat until the run ends, and the run does not wait for them.
    """

    file: str
    """The log: in the Standard Workload Format (SWF), or from
    `sacct -P --format=JobID,JobName,Start,End,NodeList`."""
    at: Annotated[
        str | int | float,
        BeforeValidator(
            lambda value: value.isoformat() if isinstance(value, date) else value,
            json_schema_input_type=str | int | float,
        ),
    ]
    """The time: `"2026-05-01T12:00:00"`, or for SWF a number of seconds since the log's begin."""
    hosts: str | HostFile | None = None
    """All hosts of the machine in the order of its nodes, as of a Slurm placement. Default: the
    last number in a host name is its node."""
    applications: tuple[SnapshotApplication, ...] = ()
    """The applications of jobs by name: a list of tables with `match` and `workload`."""
    ranks_per_node: Count = 1
    """Ranks of each node."""
    processors_per_node: Count = 1
    """Processors of a node. SWF counts processors only, so that with the default each processor is
    a node."""
    placement: Placement = RandomPlacement()
    """The placement of jobs whose log has no nodes."""
    exclude: tuple[str, ...] = ()
    """The numbers of jobs to leave out, such as `["1234", "1235_7"]`: for example of two jobs that
    shared a node, because a node has one job in Pantala. `*` stands for any text."""
    limit: Annotated[int, Field(strict=True, ge=1)] | None = None
    """The largest number of jobs; the others, which started later, are left out. Default: all."""

    shorthand: ClassVar[str | None] = None

    def jobs(self, seed: int, nodes: int) -> Iterator[Job]:
        """Yields the jobs that ran, by their start.

        Args:
            seed: the scenario's seed, for the applications of jobs without a match.
            nodes: the number of the machine's nodes. A list with more hosts is refused before it is
                written out.

        Raises:
            PydanticCustomError: the log cannot be read, nothing ran, a host has no node, or no
                application runs on the nodes of a job.
        """
        try:
            logged = running_at(Path(self.file), self.at)
        except JobLogError as error:
            raise fault(error.message, error.remedy, error.key) from None
        for pattern in self.exclude:
            if not any(fnmatchcase(each.number, pattern) for each in logged):
                message = f"has {show(pattern)}, and no such job ran then"
                raise fault(message, "correct the number, or remove it", "exclude")
        left = [
            each
            for each in logged
            if not any(fnmatchcase(each.number, pattern) for pattern in self.exclude)
        ]
        owners: dict[int, tuple[LoggedJob, str]] = {}
        for each in left[: self.limit]:
            name = f"job-{_NO_NAME.sub('-', each.number)}"
            matching = [
                BackgroundApplication(workload=rule.workload)
                for rule in self.applications
                if fnmatchcase(each.name, rule.match)
            ][:1]
            hosts = None if each.hosts is None else self._hosts(each, nodes)
            placement, size = self._placed(each, hosts)
            if hosts is not None:
                self._take(each, hosts, owners)
            choices = matching or ordered(default_applications(), seed, name)
            try:
                yield running_job(name, size, self.ranks_per_node, placement, choices)
            except ScenarioError as error:
                message = (
                    f"has none that runs as job {each.number} ({each.name}) on {size:,} nodes"
                    f" ({error.key}: {error.message})"
                )
                raise fault(message, "give this job another one", "applications") from None

    @property
    def remedy_of_size(self) -> str | None:
        """What to do if the jobs of the log do not fit on the machine; None if nothing is known."""
        if "processors_per_node" in self.model_fields_set:
            return None
        logged = running_at(Path(self.file), self.at)
        if all(each.hosts is not None for each in logged):
            return None
        return (
            "set snapshot.processors_per_node: the log counts processors, and each is a node by"
            " default; or set snapshot.limit"
        )

    def _placed(self, each: LoggedJob, hosts: Mapping[int, str] | None) -> tuple[Placement, int]:
        """Returns the placement of a job and the number of its nodes."""
        if hosts is None:
            return self.placement, -(-(each.processors or 1) // self.processors_per_node)
        return NodesPlacement(nodes=tuple(hosts)), len(hosts)

    def _hosts(self, each: LoggedJob, most: int) -> dict[int, str]:
        """Returns the hosts of a job by their nodes, in the log's order; at most `most`."""
        try:
            hosts = expand(each.hosts or "", most)
        except HostlistFault as error:
            message = f"has the job {each.number}, whose node list {error.message}"
            remedy = "write the log anew with sacct -P, or take the machine of the log"
            raise fault(message, remedy, "file") from None
        found: dict[int, str] = {}
        for host, node in zip(hosts, nodes_of_hosts(hosts, self.hosts, "file"), strict=True):
            if node in found and found[node] != host:
                message = (
                    f"has the job {each.number} on the hosts {found[node]} and {host}, which are"
                    f" both node {node} by the last number of their names"
                )
                raise fault(message, "list all hosts of the machine in hosts", "file")
            if node in found:
                message = f"has the job {each.number} with the host {host} twice"
                raise fault(message, "write the log anew with sacct -P", "file")
            found[node] = host
        return found

    def _take(
        self,
        each: LoggedJob,
        hosts: Mapping[int, str],
        owners: dict[int, tuple[LoggedJob, str]],
    ) -> None:
        """Gives a job its nodes. A node has one job: its NIC and its ranks are of one job only.

        Args:
            each: the job.
            hosts: its hosts by node.
            owners: the jobs and hosts of the nodes that are taken; gets the nodes of the job.
        """
        shared = {node: owners[node] for node in hosts if node in owners}
        owners.update({node: (each, host) for node, host in hosts.items()})
        if not shared:
            return
        node, (other, theirs) = next(iter(shared.items()))
        number = sum(owner is other for owner, _ in shared.values())
        place = f"the host {theirs}{f' and {number - 1:,} more' if number > 1 else ''}"
        remedy = f'leave one of them out, such as exclude = ["{each.number}"]'
        if theirs != hosts[node]:
            place = f"the hosts {theirs} and {hosts[node]}, which are both node {node}"
            remedy = "list all hosts of the machine in hosts"
        message = (
            f"has the jobs {other.number} ({other.name}) and {each.number} ({each.name}) on"
            f" {place} at this time, and a node has one job"
        )
        raise fault(message, remedy, "file")
