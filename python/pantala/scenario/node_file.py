"""Files with node numbers: the nodes of a job, in the order of its ranks."""

from __future__ import annotations

import re

from pantala.errors import show
from pantala.files.input_file import LARGE_TEXT, read_text, unreadable
from pantala.models.validation import fault

__all__ = ["nodes_in"]

_ITEM = re.compile(r"(\d{1,20})(?:-(\d{1,20}))?", re.ASCII)
#: More nodes than any machine has; a longer range is a typing error.
_MOST = 10_000_000
_LARGEST = 2**32 - 1


def nodes_in(path: str) -> list[int]:
    """Returns the node numbers in a file, in order.

    Raises:
        PydanticCustomError: the file cannot be read, or a line has something else than nodes. The
            fault is below the keys ``nodes.file``.
    """
    try:
        lines = read_text(path, most=LARGE_TEXT).splitlines()
    except OSError as error:
        raise fault(*unreadable(error), "nodes", "file") from None
    except UnicodeDecodeError:
        raise fault("is not a text file", "name a file with nodes", "nodes", "file") from None
    nodes: list[int] = []
    for number, line in enumerate(lines, start=1):
        for item in line.partition("#")[0].replace(",", " ").split():
            match = _ITEM.fullmatch(item)
            first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
            if len(nodes) + last - first >= _MOST or last > _LARGEST:
                message = (
                    f"line {number} has {show(item)}, which is beyond the nodes of any machine"
                )
                raise fault(message, "write nodes of the machine", "nodes", "file")
            if last < first:
                message = f"line {number} has {show(item)}, which is neither a node nor a range"
                raise fault(message, "write e.g. 12 or 16-23", "nodes", "file")
            nodes += range(first, last + 1)
    if not nodes:
        raise fault("has no nodes", "write node numbers such as 0-15", "nodes", "file")
    return nodes
