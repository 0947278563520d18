"""Placement as Slurm says it: a host list, tasks per node and a distribution."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pantala.errors import show
from pantala.files.input_file import read_text, unreadable
from pantala.models.base import Model
from pantala.models.validation import fault
from pantala.scenario.hostlist import HostlistFault, expand, fold, tasks_per_node

__all__ = ["HostFile", "SlurmPlacement", "most_tasks", "nodes_of_hosts"]

_LAST_NUMBER = re.compile(r".*?(\d{1,18})\D*", re.ASCII | re.DOTALL)


class HostFile(Model):
    """A text file with host lists."""

    shorthand: ClassVar[str | None] = None

    file: str
    """The file. Line ends separate items as commas do."""


class SlurmPlacement(Model):
    """The nodes of a Slurm job, by their host names.

    `nodes` is the job's SLURM_JOB_NODELIST, `tasks_per_node` its SLURM_TASKS_PER_NODE.
    """

    kind: Literal["slurm"] = "slurm"
    """Nodes by host names, as in Slurm."""
    nodes: str | HostFile
    """The hosts of the job: a host list such as `"nid[00012-00019,00024]"`, or a file with host
    lists, `{ file = "nodes.txt" }`."""
    tasks_per_node: str | None = None
    """Ranks of each host, such as `"4(x2),2"`. Default: `ranks_per_node` of the job."""
    distribution: Literal["block", "cyclic"] = "block"
    """The order of the ranks (`--distribution` of srun).

    - block: the ranks of a host are consecutive.
    - cyclic: the ranks go to the hosts in turn, as long as a host has room.
    """
    hosts: str | HostFile | None = None
    """All hosts of the machine in the order of its nodes: a host list, or a file with host lists.
    Default: the last number in a host name is its node, so that `nid00012` is node 12."""

    def nodes_of_ranks(self, ranks: int, ranks_per_node: int) -> list[int]:
        """Returns the node of each rank.

        Raises:
            PydanticCustomError: the hosts are unknown, or do not have as many tasks as the job has
                ranks.
        """
        hosts = _hosts(self.nodes, "nodes")
        nodes = nodes_of_hosts(hosts, self.hosts)
        first: dict[int, str] = {}
        for host, node in zip(hosts, nodes, strict=True):
            if node in first:
                other = first[node]
                also = "twice" if other == host else f"and {other}, which is the same node"
                raise fault(f"has the host {host} {also}", "list each host once", "nodes")
            first[node] = host
        if self.tasks_per_node is None:
            wanted = -(-ranks // ranks_per_node)
            if len(hosts) != wanted:
                message = f"has {len(hosts)} hosts, but {ranks} ranks need {wanted}"
                raise fault(message, "set ranks_per_node or tasks_per_node", "nodes")
            tasks = [ranks_per_node] * (len(hosts) - 1)
            tasks.append(ranks - sum(tasks))
        else:
            tasks = _tasks(self.tasks_per_node)
            if len(tasks) != len(hosts) or sum(tasks) != ranks:
                message = (
                    f"is for {len(tasks)} hosts and {sum(tasks)} ranks, but the job has"
                    f" {len(hosts)} hosts and {ranks} ranks"
                )
                raise fault(message, "copy SLURM_TASKS_PER_NODE of the same job", "tasks_per_node")
        pairs = list(zip(nodes, tasks, strict=True))
        if self.distribution == "block":
            return [node for node, count in pairs for _ in range(count)]
        return [node for turn in range(max(tasks)) for node, count in pairs if turn < count]


def nodes_of_hosts(
    hosts: list[str], machine: str | HostFile | None, key: str = "nodes"
) -> list[int]:
    """Returns the node of each host.

    Args:
        hosts: the hosts.
        machine: all hosts of the machine in the order of its nodes; None if the last number in a
            host name is its node.
        key: the key of `hosts` in the scenario, for faults.

    Raises:
        PydanticCustomError: a host has no node.
    """
    if machine is None:
        matches = [_LAST_NUMBER.fullmatch(host) for host in hosts]
        unnamed = [host for host, match in zip(hosts, matches, strict=True) if match is None]
        if unnamed:
            message = f"has the host {unnamed[0]}, whose name has no number"
            raise fault(message, "list the machine's hosts in hosts", key)
        return [int(match[1]) for match in matches if match is not None]
    numbers: dict[str, int] = {}
    for number, host in enumerate(_hosts(machine, "hosts")):
        if host in numbers:
            raise fault(f"has the host {host} twice", "list each host once", "hosts")
        numbers[host] = number
    missing = [host for host in hosts if host not in numbers]
    if missing:
        message = f"has {show(fold(missing))}, which hosts does not list"
        raise fault(message, "add them to hosts, or correct the list", key)
    return [numbers[host] for host in hosts]


def most_tasks(placement: Any) -> int | None:
    """Returns the largest number of tasks on a host of a placement as given.

    It is None if the placement is not Slurm's, or has no valid `tasks_per_node`.
    """
    if not isinstance(placement, SlurmPlacement) and not isinstance(placement, Mapping):
        return None
    given = (
        placement.tasks_per_node
        if isinstance(placement, SlurmPlacement)
        else placement.get("tasks_per_node")
        if placement.get("kind") == "slurm"
        else None
    )
    try:
        return max(tasks_per_node(given)) if isinstance(given, str) else None
    except HostlistFault:
        return None


def _tasks(text: str) -> list[int]:
    try:
        return tasks_per_node(text)
    except HostlistFault as error:
        raise fault(error.message, error.remedy, "tasks_per_node") from None


def _hosts(given: str | HostFile, key: str) -> list[str]:
    """Returns the hosts of a list or a file."""
    text, at = given, [key]
    if isinstance(given, HostFile):
        at = [key, "file"]
        try:
            text = read_text(given.file)
        except OSError as error:
            raise fault(*unreadable(error), *at) from None
        except UnicodeDecodeError:
            raise fault("is not a text file", "name a file with host lists", *at) from None
    try:
        return expand(str(text))
    except HostlistFault as error:
        raise fault(error.message, error.remedy, *at) from None
