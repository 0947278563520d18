"""Host lists and tasks per node in Slurm's short form.

``nid[00012-00014,00020]`` stands for four hosts, ``4(x2),2`` for 4, 4 and 2 tasks. The grammar is
Slurm's (`scontrol show hostnames`): commas separate items, a range keeps the width of its lower
bound, several brackets in an item form all combinations, the leftmost slowest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import product

__all__ = ["HostlistFault", "expand", "fold", "tasks_per_node"]

#: More hosts than any machine has; a longer list is a typing error.
MOST_HOSTS = 2**18
_RANGE = re.compile(r"(\d+)(?:-(\d+))?", re.ASCII)
_REPEATED = re.compile(r"(\d+)(?:\(x(\d+)\))?", re.ASCII)
_NUMBERED = re.compile(r"(.*?)(\d{1,18})", re.ASCII | re.DOTALL)


class HostlistFault(ValueError):
    """A text that is not a host list.

    Attributes:
        message: what is wrong.
        remedy: what to do.
    """

    def __init__(self, message: str, remedy: str) -> None:
        self.message = message
        self.remedy = remedy
        super().__init__(f"{message}; {remedy}")


def expand(text: str, most: int = MOST_HOSTS) -> list[str]:
    """Returns the hosts of a host list, in order.

    Ranges are counted before they are written out, so a typing error takes no memory.

    Args:
        text: the list. White space and line ends separate items as commas do.
        most: the largest number of hosts.

    Raises:
        HostlistFault: the text is not a host list, or has more hosts.
    """
    most = min(most, MOST_HOSTS)
    hosts: list[str] = []
    for item in _items(text):
        left = most - len(hosts)
        if left < 1:
            raise _too_many(most)
        parts = list[list[str]]()
        for part in re.split(r"(\[[^\[\]]*\])", item):
            if part:
                parts.append(_choices(part, left, most))
                # Further brackets multiply the number of hosts, so each has less room.
                left //= len(parts[-1])
        hosts += map("".join, product(*parts))
    if not hosts:
        raise HostlistFault("has no hosts", "write e.g. nid[00000-00063]")
    return hosts


def fold(hosts: Iterable[str]) -> str:
    """Returns a short host list of these hosts, in the same order."""
    items: list[str] = []
    prefix, ranges = "", list[tuple[str, str]]()
    for host in hosts:
        match = _NUMBERED.fullmatch(host)
        if match is None:
            items += _folded(prefix, ranges)
            items.append(host)
            prefix, ranges = "", []
        elif ranges and match[1] == prefix:
            first, last = ranges[-1]
            following = str(int(last) + 1).zfill(len(first))
            if match[2] == following:
                ranges[-1] = (first, following)
            else:
                ranges.append((match[2], match[2]))
        else:
            items += _folded(prefix, ranges)
            prefix, ranges = match[1], [(match[2], match[2])]
    return ",".join([*items, *_folded(prefix, ranges)])


def tasks_per_node(text: str) -> list[int]:
    """Returns the number of tasks of each node: ``4(x2),2`` is 4, 4, 2.

    Raises:
        HostlistFault: the text is not of this form.
    """
    tasks: list[int] = []
    for part in text.split(","):
        match = _REPEATED.fullmatch(part.strip())
        if match is None or len(match[1]) > 9 or len(match[2] or "") > 9:
            message = f"has {part.strip()[:40]!r}, which is not a number of tasks"
            raise HostlistFault(message, "write e.g. 4(x2),2")
        count, nodes = int(match[1]), int(match[2] or 1)
        if count == 0 or nodes == 0:
            raise HostlistFault("has 0 tasks or nodes", "write numbers from 1 on")
        if len(tasks) + nodes > MOST_HOSTS:
            raise HostlistFault(f"has more than {MOST_HOSTS:,} nodes", "shorten the list")
        tasks += [count] * nodes
    return tasks


def _folded(prefix: str, ranges: list[tuple[str, str]]) -> list[str]:
    """Returns the item of hosts with the same prefix; none without hosts."""
    if not ranges:
        return []
    parts = [first if first == last else f"{first}-{last}" for first, last in ranges]
    single = len(parts) == 1 and "-" not in parts[0]
    return [f"{prefix}{parts[0]}" if single else f"{prefix}[{','.join(parts)}]"]


def _items(text: str) -> Iterator[str]:
    """Yields the items of a list. Commas and white space inside brackets do not separate items."""
    depth, start = 0, 0
    for place, letter in enumerate(text):
        if letter == "[":
            depth += 1
        elif letter == "]":
            depth -= 1
        if depth not in (0, 1):
            message = "has a ] without [" if depth < 0 else "has a [ inside brackets"
            raise HostlistFault(message, "write e.g. nid[00000-00063]")
        if depth == 0 and (letter == "," or letter.isspace()):
            if place > start:
                yield text[start:place]
            start = place + 1
    if depth:
        raise HostlistFault("has a [ without ]", "write e.g. nid[00000-00063]")
    if start < len(text):
        yield text[start:]


def _too_many(most: int) -> HostlistFault:
    return HostlistFault(f"has more than {most:,} hosts", "shorten the list")


def _choices(part: str, left: int, most: int) -> list[str]:
    """Returns the texts of a part of an item: one, or those of its ranges in brackets.

    Raises:
        HostlistFault: the part is not of this form, or has more texts than `left`, the number for
            which the list of at most `most` hosts still has room.
    """
    if not part.startswith("["):
        return [part]
    found: list[str] = []
    for text in part[1:-1].split(","):
        match = _RANGE.fullmatch(text.strip())
        if match is None or len(match[1]) > 18 or len(match[2] or "") > 18:
            message = f"has {text.strip()[:40]!r}, which is neither a number nor a range"
            raise HostlistFault(message, "write e.g. [00000-00063,00070]")
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first:
            message = f"has the range {match[0]}, which ends before it starts"
            raise HostlistFault(message, f"write {match[2]}-{match[1]}")
        if len(found) + last - first >= left:
            raise _too_many(most)
        found += [str(number).zfill(len(match[1])) for number in range(first, last + 1)]
    return found
