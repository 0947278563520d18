"""Times of a record that lie beyond the end of a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["long_windows", "packets_from"]

#: Keys of record with the length of a window.
_WINDOWS = (
    "window",
    "link_window",
    "routing_windows",
    "latency_windows",
    "nic_windows",
    "call_windows",
)
#: The default of `record.window` and `record.blame.window`, in ps. Nobody chose it for the run.
_DEFAULT_WINDOW = 10_000_000


def long_windows(record: Mapping[str, Any], end_ns: float) -> Iterator[tuple[str, float]]:
    """Yields the keys of record whose window is longer than a run, with its length in ns.

    Defaults are left out.

    Args:
        record: the record of a plan.
        end_ns: the end of the run.
    """
    lengths = [(key, record.get(f"{key}_ps", 0)) for key in _WINDOWS]
    window = record.get("window_ps", 0)
    # The default of link_window is window, or ten times as long.
    lengths = [each for each in lengths if each not in _of_links(window)]
    lengths.append(("blame.window", (record.get("blame") or {}).get("window_ps", 0)))
    for table in ("ports", "system", "routers"):
        windows = (record.get(table) or {}).get("windows_ps", ())
        lengths += [(f"{table}.windows", window) for window in windows]
    for key, length in lengths:
        if length != _DEFAULT_WINDOW and length / 1000 > end_ns:
            yield f"record.{key}", length / 1000


def packets_from(record: Mapping[str, Any], end_ns: float) -> float:
    """Returns the begin of the record of packets in ns if it is after the end of a run, else 0.

    Args:
        record: the record of a plan.
        end_ns: the end of the run.
    """
    recorded = record.get("packets") != "off"
    begin: float = record.get("packet_from_ps", 0) / 1000
    return begin if recorded and begin > end_ns else 0.0


def _of_links(window: int) -> tuple[tuple[str, int], ...]:
    return ("link_window", window), ("link_window", 10 * window)
