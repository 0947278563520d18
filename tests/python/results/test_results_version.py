"""Results of equal plans change only with the version of results.

After a change of results, raise `pantala.store.identity.RESULTS_VERSION`, run ``make snapshots``,
and describe the change in CHANGELOG.md.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from pantala.core.plan import Plan
from pantala.experiments.description import KEEP
from pantala.results.run import Run
from pantala.store.identity import RESULTS_VERSION
from support import SNAPSHOTS
from sweeps import scenario

pytestmark = pytest.mark.native

SNAPSHOT = SNAPSHOTS / "results-version.json"

#: Changes of the small scenario: a plan for each part of the model that has results of its own.
PLANS: Mapping[str, Mapping[str, Any]] = {
    "minimal": {},
    "ugal_n": {"routing.algorithm": "ugal_n"},
    "par": {"routing.algorithm": "par"},
    "q_adaptive": {"routing.algorithm": "q_adaptive"},
    "sst router and mpi": {"machine.router": "sst_sc22", "mpi": "sst_sc22"},
    "pattern": {
        "jobs.1.workload": {"kind": "pattern", "pattern": "uniform", "load": 0.3},
        "stop.duration": "20 us",
    },
}


def hashes() -> dict[str, dict[str, str]]:
    """Returns a hash of the values of each column, by plan and by table and column."""
    return {
        name: _hashes(scenario().replace(changes).resolved_plan())
        for name, changes in PLANS.items()
    }


def _hashes(plan: Plan) -> dict[str, str]:
    with tempfile.TemporaryDirectory() as directory:
        plan.run(Path(directory))
        run = Run(directory)
        tables = {table: getattr(run, table).collect() for table in KEEP}
    return {
        f"{table}.{column}": _hash(frame[column])
        for table, frame in tables.items()
        for column in frame.columns
    }


def _hash(values: pl.Series) -> str:
    return hashlib.sha256(json.dumps(values.to_list(), default=str).encode()).hexdigest()[:12]


def test_results_are_those_of_their_version() -> None:
    recorded = json.loads(SNAPSHOT.read_text())
    again = "run make snapshots"
    assert recorded["version"] == RESULTS_VERSION, f"the version was raised: {again}"
    found = hashes()
    for plan, columns in recorded["plans"].items():
        # A new column changes no result.
        changed = [name for name, value in columns.items() if found[plan].get(name) != value]
        assert not changed, f"{plan}: {changed}: raise RESULTS_VERSION and {again}"


if __name__ == "__main__":
    document = {"version": RESULTS_VERSION, "plans": hashes()}
    SNAPSHOT.write_text(json.dumps(document, indent=1) + "\n")
