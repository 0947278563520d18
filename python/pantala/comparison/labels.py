"""Metrics in words, and the units of their values."""

from __future__ import annotations

__all__ = ["label_of", "unit_of"]

_LABELS = {
    "communication_time_mean_ns": "communication time",
    "communication_time_max_ns": "communication time of the slowest rank",
    "execution_time_ns": "run time",
    "packet_latency_mean_ns": "packet latency",
    "packet_latency_p99_ns": "p99 packet latency",
    "accepted_throughput": "accepted throughput",
    "slowdown": "slowdown",
    "packet_latency_slowdown": "slowdown of latency",
}
#: The ends of the names of metrics, and their units.
_UNITS = {"_ns": "ns", "_bytes": "B", "_gb_per_s": "GB/s"}


def label_of(metric: str) -> str:
    """Returns a metric in words; its name if it has no short words."""
    return _LABELS.get(metric, metric)


def unit_of(metric: str) -> str:
    """Returns the unit of a metric's values: ``ns``, ``B``, ``GB/s``; empty if it has none."""
    return next((unit for end, unit in _UNITS.items() if metric.endswith(end)), "")
