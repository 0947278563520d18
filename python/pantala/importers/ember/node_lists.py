"""Node lists: ``[NID_LIST]`` with nodes, ranges and generators, in their order.

Rank r of a job is on node number r div k of its list, with k ranks per node (`[NUM_CORES]`).

Source: the script that runs SST's load files keeps the order of the list (globalToLocalNidMap).
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field

from pantala.errors import nearest
from pantala.importers.ember.items import Item
from pantala.importers.place import Place

__all__ = ["NodeLists"]

#: The seed of Ember's Random generator.
_SEED = 0xF00DBEEF
_GENERATED = re.compile(r"(?:generateNidList=)?generateNidList(\w*)\((.*)\)")
_ARGUMENTS = {
    "Range": "start,length",
    "Interval": "start,length,interval",
    "Random": "total,start,length",
    "Group": "start,groups,nodes per group,interval",
    "QOS": "total,class,allocation,...",
}
_ALLOCATIONS = {
    "linear": "length",
    "interval": "start,interval[,length]",
    "random": "length[,seed]",
    "random-linear": "length[,seed]",
}
_LARGEST = 10_000_000


@dataclass
class NodeLists:
    """The node lists of a load file, read in order.

    The generator QOS takes its nodes from those that earlier lists of QOS have left.
    """

    _free: list[int] | None = None
    _random: random.Random = field(default_factory=lambda: random.Random(_SEED))

    def read(self, item: Item) -> tuple[int, ...]:
        """Returns the nodes of a list.

        Raises:
            ScenarioError: the list is not valid, or names a node twice.
        """
        place = item.words[0].place if item.words else item.place
        text = "".join(word.text for word in item.words)
        if not text:
            raise place.error("[NID_LIST] is empty", "write e.g. [NID_LIST] 0-63")
        match = _GENERATED.fullmatch(text)
        if match:
            nodes = self._generated(match[1], match[2].split(","), place)
        elif text[0].isdigit():
            nodes = [node for part in text.split(",") for node in _range(part, item)]
        else:
            remedy = "write nodes and ranges, e.g. 0-13,20, or generateNidListRange(0,64)"
            raise place.error(f"[NID_LIST] {_cut(text)}: is not a node list", remedy)
        seen: set[int] = set()
        for node in nodes:
            if node in seen:
                message = f"[NID_LIST] names node {node} twice"
                raise place.error(message, "list each node once; [NUM_CORES] sets ranks per node")
            seen.add(node)
        if not nodes:
            raise place.error(f"[NID_LIST] {_cut(text)}: has no nodes", "ask for at least one node")
        return tuple(nodes)

    def _generated(self, name: str, words: list[str], place: Place) -> list[int]:
        if name not in _ARGUMENTS:
            close = nearest(name, _ARGUMENTS)
            known = ", ".join(f"generateNidList{each}" for each in _ARGUMENTS)
            remedy = f"did you mean generateNidList{close}?" if close else f"known: {known}"
            raise place.error(f"generateNidList{name} is not a generator of nodes", remedy)
        if name == "QOS":
            return self._of_class(words, place)
        wanted = _ARGUMENTS[name]
        numbers = _numbers(f"generateNidList{name}", words, wanted, place)
        if len(numbers) != wanted.count(",") + 1:
            message = f"generateNidList{name} takes {wanted.count(',') + 1} numbers, not"
            form = f"write generateNidList{name}({wanted})"
            raise place.error(f"{message} {len(numbers)}", form)
        if name == "Range":
            start, length = numbers
            return list(range(start, start + length))
        if name == "Interval":
            start, length, interval = numbers
            return [start + interval * number for number in range(length)]
        if name == "Group":
            start, groups, each, interval = numbers
            if groups * each > _LARGEST:
                message = f"generateNidListGroup: {groups} groups of {each}: no machine is so large"
                raise place.error(message, "check the numbers")
            return [
                start + interval * group + node for group in range(groups) for node in range(each)
            ]
        total, start, length = numbers
        nodes = random.Random(_SEED).sample(range(total), total)[start : start + length]
        return _enough(nodes, length, total - start, place)

    def _of_class(self, words: list[str], place: Place) -> list[int]:
        """Returns the nodes of the generator QOS for the one traffic class that Pantala has."""
        form = f"write generateNidListQOS({_ARGUMENTS['QOS']})"
        if len(words) < 4:
            raise place.error(f"generateNidListQOS takes 4 words or more, not {len(words)}", form)
        total, kind = _numbers("generateNidListQOS", words[:2], _ARGUMENTS["QOS"], place)
        if kind != 0:
            message = f"generateNidListQOS asks for traffic class {kind}; Pantala has only class 0"
            raise place.error(message, "write class 0 if all jobs can share one class")
        allocation = words[2]
        if allocation not in _ALLOCATIONS:
            close = nearest(allocation, _ALLOCATIONS)
            hint = f"did you mean {close}? " if close else ""
            remedy = f"{hint}choose one of {', '.join(_ALLOCATIONS)}"
            raise place.error(f"generateNidListQOS: {allocation} is not an allocation", remedy)
        wanted = _ALLOCATIONS[allocation]
        numbers = _numbers(f"generateNidListQOS {allocation}", words[3:], wanted, place)
        least = wanted.split("[")[0].count(",") + 1
        if not least <= len(numbers) <= wanted.count(",") + 1:
            message = f"generateNidListQOS {allocation} takes {wanted}, not {len(numbers)} numbers"
            raise place.error(message, form)
        if self._free is None:
            self._free = list(range(total))
        free = self._free
        if allocation == "interval":
            return _every(free, *numbers, place=place)
        if allocation == "linear":
            free.sort()
        else:
            if len(numbers) == 2:
                self._random.seed(numbers[1])
            self._random.shuffle(free)
        nodes = _enough(free[: numbers[0]], numbers[0], len(free), place)
        self._free = free[numbers[0] :]
        return sorted(nodes) if allocation == "random-linear" else nodes


def _every(
    free: list[int], start: int, interval: int, length: int | None = None, *, place: Place
) -> list[int]:
    """Takes every `interval`-th node from the sorted free nodes, up to `length` or to the end."""
    if interval < 1:
        raise place.error(f"the interval {interval} is less than 1", "write 1 or more")
    free.sort()
    nodes = free[start::interval][:length]
    taken = set(nodes)
    free[:] = [node for node in free if node not in taken]
    return nodes


def _enough(nodes: list[int], wanted: int, left: int, place: Place) -> list[int]:
    if len(nodes) < wanted:
        message = f"[NID_LIST] asks for {wanted} nodes, but only {max(left, 0)} are left"
        raise place.error(message, "ask for fewer nodes, or raise the total")
    return nodes


def _range(part: str, item: Item) -> range:
    """Returns the nodes of a part of a list: ``7`` or ``0-13``."""
    match = re.fullmatch(r"(\d+)(?:-(\d+))?", part)
    if match is None or len(part) > 20:
        place = _place_of(part, item)
        shown = f"'{_cut(part)}'" if part else "an empty part"
        message = f"[NID_LIST] has {shown}, which is neither a node nor a range"
        raise place.error(message, "write nodes and ranges with commas between them, e.g. 0-13,20")
    first, last = int(match[1]), int(match[2] or match[1])
    if last < first:
        message = f"[NID_LIST] {part}: the range ends before it starts"
        raise _place_of(part, item).error(message, f"write {last}-{first}")
    if last > _LARGEST:
        message = f"[NID_LIST] {part}: no machine has so many nodes"
        raise _place_of(part, item).error(message, "check the number")
    return range(first, last + 1)


def _place_of(part: str, item: Item) -> Place:
    return next((word.place for word in item.words if part and part in word.text), item.place)


def _numbers(name: str, words: list[str], wanted: str, place: Place) -> list[int]:
    for word in words:
        if not word.isdecimal() or int(word) > _LARGEST:
            message = f"{name}: '{_cut(word)}' is not a number of nodes"
            raise place.error(message, f"write {name}({wanted}) with whole numbers")
    return [int(word) for word in words]


def _cut(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:37]}..."
