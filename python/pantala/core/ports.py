"""The ports of routers, as the core numbers them, and the links that have failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import takewhile
from typing import Any

from pantala.core import native
from pantala.text.amounts import counted

__all__ = ["failed_counts", "failed_words", "port_counts"]

#: Keys that change no port.
_LINKS = ("global_links", "failed_links", "links_file", "link_failures")


def port_counts(topology: Mapping[str, Any]) -> dict[str, int]:
    """Returns the number of ports of a router by link class, in the order of the ports.

    Args:
        topology: `topology` of a plan.

    Raises:
        PlanError: no such network can be built.
    """
    numbers = {key: value for key, value in topology.items() if key not in _LINKS}
    table = native.ports(numbers | {"global_links": []})
    first = takewhile(lambda row: row[0] == 0, zip(table["router"], table["class"], strict=True))
    return dict(Counter(name for _, name in first))


def failed_counts(topology: Mapping[str, Any]) -> dict[str, int]:
    """Returns the number of failed links by link class, without classes that have none.

    Args:
        topology: `topology` of a plan.

    Raises:
        PlanError: no such network can be built.
    """
    table = native.ports(dict(topology))
    ends = Counter(
        name for name, failed in zip(table["class"], table["failed"], strict=True) if failed
    )
    return {name: ends[name] // 2 for name in sorted(ends)}


def failed_words(failed: Mapping[str, int]) -> str:
    """Returns the numbers of failed links in words: "3 local links and 1 global link".

    Args:
        failed: the number by link class, as in `derived.failed_links` of a resolved plan.
    """
    return " and ".join(counted(count, f"{name} link") for name, count in failed.items())
