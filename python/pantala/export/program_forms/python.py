"""A program as a Python program: the calls of each rank, with loops where they repeat."""

from __future__ import annotations

from functools import cache
from typing import Any, TextIO

import numpy as np

from pantala.export.program_forms.loops import Tree, folded
from pantala.export.program_forms.operations import CODES, RUN, Operations

__all__ = ["write_python"]

_LISTED = 4
_ALL = 2**32 - 1
#: A number that differs between the ranks of a part.
_Slots = dict[tuple[int, ...], int]


def write_python(operations: Operations, out: TextIO, title: str) -> int:
    """Writes a Python program with the operations of a job; returns the number of its calls.

    Ranks whose calls differ in partners, tags and sizes only share a function, and each has its own
    row of numbers.

    Args:
        operations: the operations of the job.
        out: where to write.
        title: the first line of the docstring.
    """
    ranks = len(operations.starts)
    numbers, trees = _trees(operations)
    parts: dict[Any, list[int]] = {}
    for rank, tree in enumerate(trees):
        parts.setdefault(_shape(tree, numbers, operations), []).append(rank)
    contexts = _contexts(operations)
    out.write(
        f'"""{title}\n\nWritten by `pantala ncptl export`, for {ranks:,} ranks only.\n"""\n\n'
    )
    out.write(f"NUMBER = {ranks}\n\n")
    if contexts:
        _write_groups(contexts, out)
    out.write("\ndef waitall(mpi, r, among):\n")
    out.write("    mpi.waitall([r.pop(each) for each in among if each in r])\n\n")
    rows: list[tuple[int, tuple[int, ...]]] = [(0, ())] * ranks
    calls = 0
    for number, members in enumerate(parts.values()):
        body, values, written = _part([trees[each] for each in members], numbers, operations)
        calls += written
        out.write(f"\ndef part_{number}(mpi, v):\n    r = {{}}\n")
        for line in body:
            out.write(f"    {line}\n")
        out.write("\n")
        for rank, row in zip(members, values, strict=True):
            rows[rank] = (number, row)
    out.write("\n#: The part of each rank, its numbers, and its communicators.\nRANKS = [\n")
    order = {context: place for place, context in enumerate(contexts)}
    for rank, (number, row) in enumerate(rows):
        has = tuple(order[each.context] for each in operations.groups[rank])
        out.write(f"    (part_{number}, {row!r}, {has!r}),\n")
    out.write("]\n\n\ndef program(mpi):\n")
    out.write("    if mpi.size != NUMBER:\n")
    out.write(
        '        raise ValueError(f"the program is for {NUMBER} ranks, not for {mpi.size}")\n'
    )
    out.write("    part, v, own = RANKS[mpi.rank]\n")
    if contexts:
        out.write("    made = [split(mpi, groups) for groups in GROUPS]\n")
        out.write("    part([mpi, *(made[number] for number in own)], v)\n")
    else:
        out.write("    part([mpi], v)\n")
    return calls


def _trees(operations: Operations) -> tuple[np.ndarray, list[Tree]]:
    """Returns the distinct records, and the tree of their numbers of each rank."""
    every = operations.records
    if not len(every):
        return every, [() for _ in operations.starts]
    raw = np.ascontiguousarray(every).view(np.dtype((np.void, every.dtype.itemsize)))
    _, first, inverse = np.unique(raw, return_index=True, return_inverse=True)
    symbols = inverse.reshape(-1)
    runs = {
        int(symbols[at]): (int(every[at]["first"]), int(every[at]["request"]))
        for at in np.flatnonzero(every["code"] == RUN)
    }

    @cache
    def tree(number: int) -> Tree:
        start, count = operations.blocks[number]
        return folded(
            (runs[each][0], tree(runs[each][1])) if each in runs else each
            for each in symbols[start : start + count].tolist()
        )

    return every[first], [tree(number) for number in operations.starts]


def _fields(record: np.void, lists: list[tuple[int, ...]]) -> tuple[Any, tuple[int, ...]]:
    """Returns what the calls of a part have in common, and the numbers that may differ.

    These are the partner, the tag and the bytes or the time.
    """
    code, flags, communicator, request, peer, tag, first, second = record.tolist()
    call = CODES[code]
    if call in ("wait", "waitall"):
        listed = lists[second] if flags & _LISTED else ()
        return (call, request, peer, listed), ()
    if call == "alltoallv":
        return (call, communicator, lists[first], lists[second]), ()
    return (call, communicator, request), (peer, tag, first)


def _shape(tree: Tree, numbers: np.ndarray, operations: Operations) -> Any:
    """Returns a tree without the numbers that may differ between ranks."""
    return tuple(
        (node[0], _shape(node[1], numbers, operations))
        if isinstance(node, tuple)
        else _fields(numbers[node], operations.lists)[0]
        for node in tree
    )


def _part(
    trees: list[Tree], numbers: np.ndarray, operations: Operations
) -> tuple[list[str], list[tuple[int, ...]], int]:
    """Returns the lines of a part, the numbers of each of its ranks, and its calls."""
    slots: _Slots = {}
    lines: list[str] = []
    written = 0

    def value(column: tuple[int, ...]) -> str:
        if min(column) == max(column):
            return str(column[0])
        return f"v[{slots.setdefault(column, len(slots))}]"

    def add(level: list[Tree], depth: int) -> None:
        nonlocal written
        indent = "    " * depth
        for nodes in zip(*level, strict=True):
            if isinstance(nodes[0], tuple):
                lines.append(f"{indent}for _ in range({nodes[0][0]}):")
                add([each[1] for each in nodes], depth + 1)
                continue
            found = [_fields(numbers[each], operations.lists) for each in nodes]
            columns = list(zip(*(each[1] for each in found), strict=True))
            lines.append(indent + _call(found[0][0], [value(each) for each in columns]))
            written += 1

    add(trees, 0)
    values = [tuple(column[rank] for column in slots) for rank in range(len(trees))]
    return lines, values, written


def _call(common: Any, given: list[str]) -> str:
    """Returns the statement of a call."""
    call, *more = common
    if call == "wait":
        return f"r.pop({more[0]}).wait()"
    if call == "waitall":
        first, count, listed = more
        if count == _ALL and not listed:
            return "mpi[0].waitall()"
        among = repr(list(listed)) if listed else f"range({first}, {first + count})"
        return f"waitall(mpi[0], r, {among})"
    if call == "alltoallv":
        return f"mpi[{more[0]}].alltoallv({list(more[1])!r}, {list(more[2])!r})"
    communicator, request = more
    mpi = f"mpi[{communicator}]"
    peer, tag, first = given
    if call == "compute":
        braced = first.startswith("v")
        text = f"{{{first}}}" if braced else first
        return f'{mpi}.compute({"f" * braced}"{text} ps")'
    if call in ("send", "recv"):
        return f"{mpi}.{call}({peer}, {first}, {tag})"
    if call in ("isend", "irecv"):
        return f"r[{request}] = {mpi}.{call}({peer}, {first}, {tag})"
    if call == "barrier":
        return f"{mpi}.barrier()"
    if call in ("bcast", "reduce"):
        return f"{mpi}.{call}({first}, {peer})"
    return f"{mpi}.{call}({first})"


def _contexts(operations: Operations) -> dict[int, list[tuple[int, ...]]]:
    """Returns the groups of each context, in the order in which a rank first has it."""
    found: dict[int, list[tuple[int, ...]]] = {}
    for own in operations.groups:
        for each in own:
            groups = found.setdefault(each.context, [])
            if each.ranks not in groups:
                groups.append(each.ranks)
    return found


def _write_groups(contexts: dict[int, list[tuple[int, ...]]], out: TextIO) -> None:
    out.write("#: The ranks of each communicator; those of a line are made by one split.\n")
    out.write("GROUPS = [\n")
    for groups in contexts.values():
        out.write("    [" + ", ".join(_ranks(each) for each in groups) + "],\n")
    out.write("]\n\n\ndef split(mpi, groups):\n")
    out.write("    for color, ranks in enumerate(groups):\n")
    out.write("        if mpi.rank in ranks:\n")
    out.write("            return mpi.split(color, ranks.index(mpi.rank))\n")
    out.write("    return mpi.split(None)\n\n")


def _ranks(ranks: tuple[int, ...]) -> str:
    """Returns a group as a range if it is one, otherwise as a list."""
    step = ranks[1] - ranks[0] if len(ranks) > 1 else 1
    if step and ranks == tuple(range(ranks[0], ranks[0] + step * len(ranks), step)):
        return repr(range(ranks[0], ranks[0] + step * len(ranks), step))
    return repr(list(ranks))
