"""Run directories made by hand: real plans, and tables whose numbers a test chooses."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import polars as pl

from pantala.catalogue.tables import TABLES
from sweeps import scenario

__all__ = ["write_run"]


@cache
def _plan() -> str:
    return json.dumps(scenario().resolve())


def write_run(
    directory: Path,
    jobs: Mapping[str, Mapping[str, Any]],
    *,
    seed: int = 1,
    reason: str = "finished",
    plan: Mapping[str, Any] | None = None,
    without: tuple[str, ...] = (),
) -> Path:
    """Writes the directory of a run of jobs with the plan's ranks and zero in every other column.

    Args:
        directory: the directory.
        jobs: by job, columns of the table jobs.
        seed: the seed of the plan.
        reason: how the run ended; all jobs end in a run that is ``finished``.
        plan: keys to replace at the top of the plan.
        without: columns that the table jobs lacks.
    """
    made = json.loads(_plan()) | {"seed": seed} | dict(plan or {})
    halo = made["jobs"][0]
    made["jobs"] = [{**halo, "name": name} for name in jobs]
    complete = reason == "finished"
    document = {
        "pantala": "0.1.0",
        "plan": made,
        "complete": complete,
        "reason": reason,
        "simulated_ns": 1000.0,
        "counters": {"packets_delivered": 10, "packet_hops": 30},
        "result_hash": sha256(json.dumps([jobs, reason], default=dict).encode()).hexdigest(),
        "tables": {},
    }
    directory.mkdir(parents=True)
    schema = TABLES["jobs"].polars_schema
    zero: dict[str, Any] = {
        name: "" if kind == pl.String else 0 if kind.is_integer() else 0.0
        for name, kind in schema.items()
    }
    rows = [
        {
            **zero,
            "job": number,
            "name": name,
            "ranks": halo["ranks"],
            "complete": complete,
            **columns,
        }
        for number, (name, columns) in enumerate(jobs.items())
    ]
    pl.DataFrame(rows, schema, strict=False).drop(without).write_parquet(
        directory / TABLES["jobs"].file
    )
    pl.DataFrame(schema=TABLES["links"].polars_schema).write_parquet(
        directory / TABLES["links"].file
    )
    (directory / "run.json").write_text(json.dumps(document))
    return directory
