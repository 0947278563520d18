"""The identity of a run: a hash of everything in its plan that can change its results."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

__all__ = [
    "RESULTS_VERSION",
    "SWITCHES",
    "canonical_plan",
    "canonical_text",
    "covers",
    "id_of_text",
    "run_id",
]

#: The version of results. Raise it with every change that changes a value of a run of an equal
#: plan: stored runs of an earlier version then count as missing. A test compares the results of
#: some plans with the version.
RESULTS_VERSION = 3

#: Keys of a plan that change no value of any table: labels, and values that follow from others.
_LABELS = frozenset({"name", "assumptions", "derived"})
#: Keys of a job that its resolved nodes replace.
_PLACED = frozenset({"placement"})

#: The key of a plan's record that switches a table on, and the value without the table. Such a
#: table changes no other one.
SWITCHES: Mapping[str, tuple[str, Any]] = MappingProxyType(
    {
        "packets": ("packets", "off"),
        "messages": ("messages", False),
        "iterations": ("iterations", False),
        "link_windows": ("link_windows", False),
    }
)

#: The version of the results of workloads whose front end has changed since `RESULTS_VERSION` was
#: raised, by kind. Raise it in place of that one if runs without such a workload stay the same.
_WORKLOAD_VERSIONS: Mapping[str, int] = MappingProxyType({"ncptl": 2})

#: Keys of the router that plans of earlier versions lack, and the values that these have.
_LATER_ROUTER_KEYS: Mapping[str, Any] = MappingProxyType({"link_order": "round_robin"})

_SWITCHED = frozenset(key for key, _ in SWITCHES.values())

#: Digits of a run's identity. With 80 bits, two of a billion runs share an identity with a
#: probability below one in a million.
_DIGITS = 20


def canonical_plan(resolved: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the parts of a resolved plan that determine the results of its run.

    Args:
        resolved: a plan whose jobs have their nodes.
    """
    kept = {key: value for key, value in resolved.items() if key not in _LABELS}
    kept["jobs"] = [
        {key: value for key, value in job.items() if key not in _PLACED}
        | {"workload": _versioned(job["workload"])}
        for job in resolved["jobs"]
    ]
    kept["record"] = {
        key: value for key, value in resolved["record"].items() if key not in _SWITCHED
    }
    kept["router"] = {
        key: value
        for key, value in resolved["router"].items()
        if key not in _LATER_ROUTER_KEYS or value != _LATER_ROUTER_KEYS[key]
    }
    if resolved["record"]["packets"] not in ("off", "sampled"):
        kept["record"]["packets"] = resolved["record"]["packets"]
    # The plan names this file by its path only.
    table = (resolved.get("derived") or {}).get("q_table_sha256")
    return kept if table is None else kept | {"q_table_sha256": table}


def _versioned(workload: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the workload of a job with the version of its kind's results, if it has one."""
    version = _WORKLOAD_VERSIONS.get(workload["kind"])
    return workload if version is None else {**workload, "results_version": version}


def covers(stored: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Returns whether a run has the tables that a record asks for.

    Args:
        stored: the record of the run's plan.
        wanted: the record of a plan with the same identity.
    """
    return all(wanted[key] in (off, stored.get(key)) for key, off in SWITCHES.values())


def canonical_text(resolved: Mapping[str, Any]) -> str:
    """Returns the text that determines the identity of the run of a resolved plan."""
    made_of = [RESULTS_VERSION, canonical_plan(resolved)]
    return json.dumps(made_of, sort_keys=True, separators=(",", ":"))


def id_of_text(text: str) -> str:
    """Returns the identity of the run of a canonical text, in hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def run_id(resolved: Mapping[str, Any]) -> str:
    """Returns the identity of the run of a resolved plan, in hexadecimal digits."""
    return id_of_text(canonical_text(resolved))
