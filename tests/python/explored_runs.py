"""A small experiment that records everything that the explorer shows."""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
from functools import cache
from pathlib import Path

import duckdb
import polars as pl

import pantala as pt
from pantala.explorer.sql import filled, queries_of
from pantala.explorer.subject import Subject

__all__ = ["HOSTILE", "asked", "explored", "hostile"]

#: A name that is markup, a quotation of SQL and a closing tag at once.
HOSTILE = "</script><img src=x onerror=alert(1)>'\"&"


def explored(directory: Path) -> Path:
    """Returns a copy of the experiment: 72 nodes, two jobs alone and together."""
    shutil.copytree(_experiment(), directory, dirs_exist_ok=True, symlinks=True)
    return directory


def hostile(directory: Path) -> Path:
    """Returns the experiment, forged: `HOSTILE` is the name of its first job."""
    explored(directory)
    for run in directory.glob("runs/*/*"):
        document = json.loads((run / "run.json").read_text(encoding="utf-8"))
        for job in document["plan"]["jobs"]:
            job["name"] = HOSTILE if job["name"] == "cube" else job["name"]
        (run / "run.json").write_text(json.dumps(document), encoding="utf-8")
        jobs = pl.read_parquet(run / "jobs.parquet")
        jobs = jobs.with_columns(pl.col("name").replace("cube", HOSTILE))
        jobs.write_parquet(run / "jobs.parquet")
    slowdown = pl.read_parquet(directory / "slowdown.parquet")
    slowdown = slowdown.with_columns(pl.col("name").replace("cube", HOSTILE))
    slowdown.write_parquet(directory / "slowdown.parquet")
    return directory


def asked(subject: Subject, view: str, **values: object) -> pl.DataFrame:
    """Returns the answer of DuckDB to the query of a view, by default on the whole first run."""
    run = subject.run(0)
    end = run.document["simulated_ns"]
    whole = {"dir": run.path, "from": 0, "to": end, "end": end, "window": 1000, "most": 12}
    given = whole | values
    given.setdefault("time", given["to"] - given["from"])
    found = duckdb.execute(filled(view, given, queries_of(run)))
    names = [column[0] for column in found.description]
    return pl.DataFrame(found.fetchall(), names, orient="row", infer_schema_length=None)


@cache
def _experiment() -> Path:
    directory = Path(tempfile.mkdtemp(prefix="pantala-tests-"))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    pt.run(_scenario(), out=directory, overwrite=True, report=False)
    return directory


def _scenario() -> pt.Scenario:
    halo = {"kind": "halo3d", "message": "16 KiB", "start_delay": "0 ns"}
    return pt.Scenario.from_dict(
        {
            "name": "explored",
            "interference": True,
            "machine": {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}},
            "routing": "ugal_g",
            "record": {
                "window": "1 us",
                "packets": "sampled",
                "packet_sample": 20,
                "packet_paths": True,
                "routing_windows": "1 us",
                "latency_windows": "1 us",
                "blame": {"window": "1 us", "groups": True, "links": 40},
                "call_windows": "1 us",
                "call_events": {},
                "ports": {"windows": ["1 us"], "split": ["vc"]},
            },
            "jobs": [
                {
                    "name": "cube",
                    "ranks": 36,
                    "placement": "random",
                    "workload": halo | {"grid": [3, 3, 4], "iterations": 2},
                },
                {
                    "name": "halo",
                    "ranks": 32,
                    "placement": "random",
                    "workload": halo | {"grid": [2, 4, 4], "iterations": 3},
                },
            ],
        }
    )
