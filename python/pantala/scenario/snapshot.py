"""A snapshot of a job log: the jobs that ran at a time, on their nodes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import BeforeValidator, Field

from pantala.errors import ScenarioError
from pantala.hostlist import HostlistFault, expand
from pantala.job_log import JobLogError, LoggedJob, running_at
from pantala.scenario.background import APPLICATIONS, BackgroundApplication, ordered, running_job
from pantala.scenario.base import Count, Model
from pantala.scenario.job import Job
from pantala.scenario.placement import NodesPlacement, Placement, RandomPlacement
from pantala.scenario.slurm import HostFile, nodes_of_hosts
from pantala.scenario.validation import fault
from pantala.scenario.workload import Workloads

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
            lambda value: value.isoformat() if isinstance(value, datetime) else value,
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
    """Processors of a node in SWF."""
    placement: Placement = RandomPlacement()
    """The placement of jobs whose log has no nodes."""
    limit: Annotated[int, Field(strict=True, ge=1)] | None = None
    """The largest number of jobs; the others, which started later, are left out. Default: all."""

    shorthand: ClassVar[str | None] = None

    def jobs(self, seed: int) -> Iterator[Job]:
        """Yields the jobs that ran, by their start.

        Args:
            seed: the scenario's seed, for the applications of jobs without a match.

        Raises:
            PydanticCustomError: the log cannot be read, nothing ran, a host has no node, or no
                application runs on the nodes of a job.
        """
        try:
            logged = running_at(Path(self.file), self.at)
        except JobLogError as error:
            raise fault(error.message, error.remedy, error.key) from None
        for each in logged[: self.limit]:
            name = f"job-{_NO_NAME.sub('-', each.number)}"
            matching = [
                BackgroundApplication(workload=rule.workload)
                for rule in self.applications
                if fnmatchcase(each.name, rule.match)
            ][:1]
            placement, nodes = self._placed(each)
            choices = matching or ordered(APPLICATIONS, seed, name)
            try:
                yield running_job(name, nodes, self.ranks_per_node, placement, choices)
            except ScenarioError as error:
                message = (
                    f"has none that runs as job {each.number} ({each.name}) on {nodes:,} nodes"
                    f" ({error.key}: {error.message})"
                )
                raise fault(message, "give this job another one", "applications") from None

    def _placed(self, each: LoggedJob) -> tuple[Placement, int]:
        """Returns the placement of a job and the number of its nodes."""
        if each.hosts is None:
            return self.placement, -(-(each.processors or 1) // self.processors_per_node)
        try:
            hosts = expand(each.hosts)
        except HostlistFault as error:
            message = f"has the job {each.number}, whose node list {error.message}"
            raise fault(message, "write the log anew with sacct -P", "file") from None
        nodes = nodes_of_hosts(hosts, self.hosts, "file")
        return NodesPlacement(nodes=tuple(nodes)), len(nodes)
