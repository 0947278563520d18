"""Former names of keys, values, metrics and options, so that an error can state the new name."""

from __future__ import annotations

__all__ = ["now_called"]

#: The new name by former name.
_KEYS = {
    "channels": "vc_map",
    "copy_per_byte": "send_copy_per_byte and receive_copy_per_byte",
    "hand_over": "flow_control and serialization",
    "inside_group": "intra_group",
    "law": "distribution",
    "sites": "lattice",
    "spread": "port_assignment",
    "switching": "flow_control",
    "wiring": "global_arrangement",
    "wiring_seed": "global_arrangement_seed",
}
_VALUES = {"beside": "valiant", "climbing": "ascending"}
_OPTIONS = {
    "--jobs": "--workers",
    "-j": "-w",
    "--spread": "--port-assignment",
    "--wiring": "--global-arrangement",
    "--wiring-seed": "--global-arrangement-seed",
}
_METRICS = {
    f"{links}_load_{statistic}": f"{links}_utilization_{statistic}"
    for links in ("local", "row", "column", "global")
    for statistic in ("mean", "max")
} | {
    f"pair_latency_{statistic}_ns": f"request_response_latency_{statistic}_ns"
    for statistic in ("mean", "p50", "p95", "p99")
}
_NOW = _KEYS | _VALUES | _OPTIONS | _METRICS


def now_called(former: str, known: object = None) -> str | None:
    """Returns the remedy for a name that was renamed, such as "it is now called 'vc_map'".

    Args:
        former: the given name.
        known: a container of the valid names, if there is one. The remedy counts only if the new
            name, or one of several new names, is among them.

    Returns:
        The remedy, or None if the name was not renamed.
    """
    new = _NOW.get(former)
    if new is None:
        return None
    names = new.split(" and ")
    if known is not None and not any(name in known for name in names):  # type: ignore[operator]
        return None
    now = "it is now called" if len(names) == 1 else "it is now split into"
    return f"{now} {' and '.join(repr(name) for name in names)}"
