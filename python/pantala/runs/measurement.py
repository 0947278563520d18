"""Measurements of a window in the store: they have no tables, and run.json holds their values."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pantala.core.extension import core
from pantala.files.atomic_file import write_text
from pantala.files.run_directory import RUN_FILE
from pantala.store.identity import canonical_text, id_of_text
from pantala.store.run_store import RunStore

__all__ = ["stored_measurement"]


def stored_measurement(
    store: RunStore,
    resolved: Mapping[str, Any],
    window: Mapping[str, Any],
    measure: Callable[[], dict[str, Any]],
    waiting: Callable[[], None] = lambda: None,
) -> dict[str, Any]:
    """Returns the values of a measurement from the store, or measures and stores them.

    Args:
        store: the store.
        resolved: the resolved plan.
        window: the settings of the measurement, which are part of its identity.
        measure: measures; see `pantala.core.plan.Plan.measure`.
        waiting: called about every second while another process measures the same; may raise.

    Raises:
        RunDirectoryError: the store cannot be written.
    """
    text = canonical_text(resolved) + json.dumps({"window": window}, sort_keys=True)

    def write(directory: Path) -> None:
        document = _document(resolved, window, measure())
        write_text(directory / RUN_FILE, json.dumps(document) + "\n")

    values: dict[str, Any] = store.obtain(id_of_text(text), (), write, waiting)["measured"]
    return values


def _document(
    resolved: Mapping[str, Any], window: Mapping[str, Any], measured: dict[str, Any]
) -> dict[str, Any]:
    cost = measured["bench"]
    return {
        "pantala": core().VERSION,
        "complete": True,
        "simulated_ns": (window["warmup_ps"] + window["measure_ps"]) / 1000,
        "result_hash": cost["result_hash"],
        "counters": {
            "packets_delivered": cost["packets"],
            "packet_hops": cost["packet_hops"],
        },
        "provenance": {
            key: cost[key] for key in ("setup_seconds", "wall_seconds", "peak_rss_bytes")
        },
        "window": window,
        "measured": measured,
        "plan": dict(resolved),
    }
