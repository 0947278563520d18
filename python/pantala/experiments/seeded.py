"""Plans that differ in their seed only: one scenario is read once, whatever the number of seeds.

The seed enters a plan at one place. It changes a resolved plan at that place and in the nodes of
the jobs. So the identities of the runs of another seed follow from the texts of the plans by
replacing these values.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pantala.core.plan import Resolver
from pantala.runs.parts import Part
from pantala.store.identity import canonical_text, id_of_text

__all__ = ["NodesBySeed", "SeededRuns"]

#: Keys of a job that do not affect the nodes of any job.
_NOT_PLACED = ("routing", "routing_all_to_all")
#: The memory of the nodes that are kept for plans with other routings.
_BYTES = 16_000_000
#: The value that stands for the seed in a text.
_SEED = "\x00seed"


class NodesBySeed:
    """The nodes of the jobs of a plan under other seeds, as the core places them.

    Scenarios that differ in their routing share the nodes. A bounded number of them is kept.
    """

    def __init__(self, resolve: Resolver) -> None:
        self._resolve = resolve
        self._kept: dict[tuple[str, int], list[str]] = {}
        self._bytes = 0

    def key(self, plan: Mapping[str, Any]) -> str:
        """Returns all values of a plan that the nodes and their checks depend on, but the seed."""
        jobs = [
            {key: value for key, value in job.items() if key not in _NOT_PLACED}
            for job in plan["jobs"]
        ]
        return json.dumps([plan["topology"], plan["service_nodes"], plan["packet_bytes"], jobs])

    def find(self, key: str, seed: int, text: Sequence[str]) -> list[str]:
        """Returns the nodes of each job as JSON.

        Args:
            key: the key of the plan.
            seed: the seed.
            text: the plan as JSON, cut where its seed stands.

        Raises:
            PlanError: the plan cannot be run with this seed.
        """
        known = self._kept.get((key, seed))
        if known is not None:
            return known
        resolved = self._resolve(str(seed).join(text))
        nodes = [_dense(job["nodes"]) for job in resolved["jobs"]]
        if self._bytes < _BYTES:
            self._kept[key, seed] = nodes
            self._bytes += sum(map(len, nodes)) + 200
        return nodes


class SeededRuns:
    """The identities of the runs of one scenario for any seed.

    Args:
        plan: the plan of the scenario, not resolved.
        parts: the runs of the scenario for some seed.
        nodes: the nodes, shared by several scenarios.
    """

    def __init__(self, plan: Mapping[str, Any], parts: Sequence[Part], nodes: NodesBySeed) -> None:
        # The reasons of assumptions are half of the text and affect no node.
        marked = {**plan, "seed": _SEED, "assumptions": {}}
        self._text = json.dumps(marked).split(json.dumps(_SEED))
        self._nodes = nodes
        self._key = nodes.key(plan)
        self._jobs = [job["name"] for job in plan["jobs"]]
        self._parts = [
            (part.name, None if part.as_long_as else self._cut(part.plan)) for part in parts
        ]

    def run_ids(self, seed: int) -> list[tuple[str, str | None]]:
        """Returns the name and the identity of each run; None for a run of unknown length.

        Raises:
            PlanError: the plan cannot be run with this seed.
        """
        nodes = self._nodes.find(self._key, seed, self._text)
        return [
            (name, None if cut is None else id_of_text(_filled(cut, str(seed), nodes)))
            for name, cut in self._parts
        ]

    def _cut(self, plan: Mapping[str, Any]) -> list[str | int]:
        """Returns the canonical text of a plan, cut at the seed and the nodes.

        A number stands for the nodes of the job of this number, and -1 for the seed.
        """
        numbers = {_mark(job["name"]): self._jobs.index(job["name"]) for job in plan["jobs"]}
        jobs = [{**job, "nodes": _mark(job["name"])} for job in plan["jobs"]]
        pieces: list[str | int] = [canonical_text({**plan, "seed": _SEED, "jobs": jobs})]
        for mark, number in {_SEED: -1, **numbers}.items():
            quoted = json.dumps(mark)
            pieces = [each for piece in pieces for each in _split(piece, quoted, number)]
        return pieces


def _mark(job: str) -> str:
    """Returns the value that stands for the nodes of a job in a text."""
    return f"\x00nodes {job}"


def _split(piece: str | int, mark: str, number: int) -> list[str | int]:
    if isinstance(piece, int):
        return [piece]
    first, *rest = piece.split(mark)
    found: list[str | int] = [first]
    for each in rest:
        found += [number, each]
    return found


def _filled(cut: Sequence[str | int], seed: str, nodes: Sequence[str]) -> str:
    values = [*nodes, seed]  # -1 is the last
    return "".join(piece if isinstance(piece, str) else values[piece] for piece in cut)


def _dense(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))
