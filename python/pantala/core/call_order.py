"""Deadlocks in the order of a job's calls, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pantala.core import native
from pantala.text.amounts import counted

__all__ = ["MOST", "deadlock_of_calls", "in_words"]

#: The bound of a search: a few seconds.
MOST = 1 << 22
#: Ranks that a sentence names.
_NAMED = 4
#: The threshold of the core's defaults.
_EAGER = 12_000


def deadlock_of_calls(
    workload: dict[str, Any], ranks: int, mpi: dict[str, Any] | None = None, *, most: int = MOST
) -> str:
    """Returns a sentence on a job whose calls do not end, or were not all executed; else empty.

    The ranks run on the MPI layer of a simulation, without computing and network delays. For
    programs with receives from any source, this is one order of many.

    Args:
        workload: the workload object of a plan: an operation file or a trace.
        ranks: the number of ranks.
        mpi: the `mpi` object of a plan. Default: the one of the core.
        most: the bound of the search; see `pantala.core.native.call_order`.

    Raises:
        PlanError: the workload is faulty.
    """
    threshold = _EAGER if mpi is None else mpi["eager_threshold_bytes"]
    return in_words(native.call_order(workload, ranks, mpi, most), threshold)


def in_words(found: Mapping[str, Any], threshold: int) -> str:
    """Returns what `pantala.core.native.call_order` has found in words; empty if all calls end.

    Args:
        found: what it returns.
        threshold: the eager threshold of the search, in bytes.
    """
    if not found["complete"]:
        return (
            f"the search for deadlocks in the order of calls stopped after"
            f" {found['operations']:,} operations and found none; the run finds later ones"
        )
    if found["faults"]:
        fault, more = found["faults"][0], len(found["faults"]) - 1
        others = f" (and {more:,} other errors)" if more else ""
        call = f"{fault['call']}{_place(fault, ' ({})')}"
        return f"a replay fails: rank {fault['rank']}: {call}: {fault['fault']}{others}"
    if not found["blocked"]:
        return ""
    waits = ", ".join(_listed(found["blocked"]))
    if not found["ends_if_eager"]:
        return f"a replay deadlocks at any mpi.eager_threshold: {waits}"
    enough = found["ends_at_threshold"]
    remedy = "a larger mpi.eager_threshold"
    if enough is not None:
        remedy = f'mpi.eager_threshold = "{enough} B"'
    return (
        f"a replay deadlocks with mpi.eager_threshold = {threshold:,} B, because longer sends wait"
        f" for their receives: {waits}; it ends with {remedy}"
    )


def _listed(blocked: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yields what ranks wait for: the ranks of a cycle if there is one, and the other's number."""
    waits: dict[int, list[Mapping[str, Any]]] = {}
    for each in blocked:
        waits.setdefault(each["rank"], []).append(each)
    shown = _cycle(waits) or [each[0] for each in waits.values()]
    for each in shown[:_NAMED]:
        yield _wait(each)
    left = len(waits) - min(len(shown), _NAMED)
    if left:
        yield f"and {counted(left, 'other rank')}"


def _cycle(waits: Mapping[int, list[Mapping[str, Any]]]) -> list[Mapping[str, Any]]:
    """Returns waits of which each is for the rank of the next, and the last for the first's."""
    chosen = {
        rank: next((each for each in found if each["peer"] in waits), None)
        for rank, found in waits.items()
    }
    left = set(waits)
    while left:
        path: list[int] = []
        at = min(left)
        while at in left:
            left.remove(at)
            path.append(at)
            wait = chosen[at]
            if wait is None:
                break
            at = wait["peer"]
        else:
            if at in path:
                cycle = (chosen[rank] for rank in path[path.index(at) :])
                return [wait for wait in cycle if wait is not None]
    return []


def _wait(wait: Mapping[str, Any]) -> str:
    """Returns in words what a rank waits for."""
    peer = "any rank" if wait["peer"] is None else f"rank {wait['peer']}"
    tag = wait["tag"]
    tagged = ", any tag" if tag is None else f", tag {tag}" if tag >= 0 else ""
    to_send = wait["waits"] == "ToSend"
    what = f"{wait['bytes']:,} B to {peer}" if to_send else f"a message from {peer}"
    ended = ", which has ended" if wait["peer_ended"] else ""
    at = _place(wait, "{}: ")
    return f"rank {wait['rank']} waits in {wait['call']} ({at}{what}{tagged}{ended})"


def _place(call: Mapping[str, Any], words: str) -> str:
    """Returns the place of a call in a program, in words; empty if it is unknown."""
    match call.get("place"):
        case {"line": str(line)}:
            return words.format(line)
        case {"operation": int(number)}:
            return words.format(f"operation {number:,}")
        case _:
            return ""
