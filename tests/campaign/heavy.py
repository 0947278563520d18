"""The inputs of the part `load`: large machines, logs, experiments, stores, runs and traces."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from campaign.victims import PANTALA

__all__ = ["LOADS", "Load"]

_RANKS = 64
#: A file can have 65,000 names on ext4.
_MOST_LINKS = 60_000
#: About the bytes of a step of the ring in GOAL.
_STEP_BYTES = 120
_MACHINES = {2_550: (5, 10, 5, 51), 40_200: (10, 20, 10, 201), 1_025_156: (22, 46, 22, 1013)}
_TRAFFIC = """\
name = "load"
routing = "minimal"
stop = {{ duration = "{stop}" }}
record = {{ window = "500 ns"{record} }}
machine = {{ preset = "kang2022", topology = {{ p = {p}, a = {a}, h = {h}, g = {g} }} }}
[[jobs]]
name = "all"
ranks = {ranks}
placement = "contiguous"
workload = {{ kind = "pattern", pattern = "uniform", load = 0.2 }}
"""


@dataclass(frozen=True)
class Load:
    """Something large.

    Attributes:
        sizes: the sizes to measure, in order.
        unit: what the sizes count.
        make: makes the input of a size in an empty folder, and returns the command.
    """

    sizes: tuple[int, ...]
    unit: str
    make: Callable[[int, Path], list[str]]


def _scenario(folder: Path, nodes: int, stop: str = "1 us", record: str = "") -> Path:
    p, a, h, g = _MACHINES.get(nodes, (2, 4, 2, 9))
    file = folder / "load.toml"
    file.write_text(_TRAFFIC.format(p=p, a=a, h=h, g=g, ranks=p * a * g, stop=stop, record=record))
    return file


def _checked(nodes: int, folder: Path) -> list[str]:
    return [str(PANTALA), "run", str(_scenario(folder, nodes)), "--dry-run"]


def _simulated(nodes: int, folder: Path) -> list[str]:
    file = _scenario(folder, nodes, "500 ns")
    return [str(PANTALA), "run", str(file), "--no-report", "--quiet", "--out", str(folder / "out")]


def _job_log(jobs: int, folder: Path) -> list[str]:
    """Writes a log of jobs, of which a handful run at the time of the snapshot."""
    lines = ["JobID|JobName|Start|End|NodeList"]
    for job in range(jobs):
        now = job % max(jobs // 8, 1) == 0
        day = "2026-05-01" if now else f"2026-04-{1 + job % 28:02d}"
        first = 8 * (job // max(jobs // 8, 1)) % 64
        nodes = f"nid[{first:05d}-{first + 7:05d}]" if now else "nid[00000-00007]"
        lines.append(f"{job}|app-{job % 50}|{day}T08:00:00|{day}T18:00:00|{nodes}")
    (folder / "jobs.sacct").write_text("\n".join(lines) + "\n")
    (folder / "log.toml").write_text(
        'name = "log"\nrouting = "minimal"\n'
        'machine = { preset = "kang2022", topology = { p = 2, a = 4, h = 2, g = 9 } }\n'
        'stop = { duration = "2 us" }\n'
        '[snapshot]\nfile = "jobs.sacct"\nat = "2026-05-01T12:00:00"\n'
        'applications = [{ match = "*", workload = { kind = "uniform_random" } }]\n'
    )
    return [str(PANTALA), "check", str(folder / "log.toml")]


def _sweep(runs: int, folder: Path, *more: str) -> list[str]:
    file = _scenario(folder, 72)
    out = str(folder / "store")
    return [str(PANTALA), "sweep", str(file), "--seeds", str(runs), "--out", out, *more]


def _dry(runs: int, folder: Path) -> list[str]:
    return _sweep(runs, folder, "--dry-run")


def _stored(runs: int, folder: Path) -> list[str]:
    """Makes a store of finished runs: one is simulated, the others are copies with other seeds."""
    from pantala.experiments.description import describe
    from pantala.experiments.runner import Sweep
    from pantala.scenario import Scenario

    command = _sweep(runs, folder)
    subprocess.run(_sweep(1, folder, "--quiet"), check=True)
    store = folder / "store"
    first = next(store.glob("runs/*/*"))
    document = json.loads((first / "run.json").read_text())
    scenario = Scenario.from_toml(folder / "load.toml")
    made = Sweep(describe(scenario, seeds=runs), store)
    tables = first / "tables.zip"
    for seed, run in enumerate(made.listing.runs, start=1):
        path = store / "runs" / run[:2] / run
        if path != first:
            path.mkdir(parents=True)
            if seed % _MOST_LINKS == 0:
                shutil.copyfile(tables, path / "tables.zip")
                tables = path / "tables.zip"
            else:
                os.link(tables, path / "tables.zip")
            document["plan"]["seed"] = seed
            (path / "run.json").write_text(json.dumps(document))
    return command


def _listed(runs: int, folder: Path) -> list[str]:
    """Returns the command that lists a store whose runs are in its index."""
    subprocess.run([*_stored(runs, folder), "--quiet"], check=True, stdout=subprocess.DEVNULL)
    return [str(PANTALA), "status", str(folder / "store")]


def _compared(runs: int, folder: Path) -> list[str]:
    store = _listed(runs, folder)[-1]
    other = folder / "other"
    subprocess.run([*_sweep(4, folder, "--quiet")[:-3], "--out", str(other), "--quiet"], check=True)
    return [str(PANTALA), "compare", store, str(other)]


def _large_run(megabytes: int, folder: Path) -> Path:
    """Makes a run whose table of messages or packets takes this many megabytes."""
    run = folder / "run"
    file = _scenario(folder, 72, "20 us", ', packets = "all"')
    subprocess.run([PANTALA, "run", file, "--no-report", "--quiet", "--out", run], check=True)
    table = run / "packets.parquet"
    frame = pl.read_parquet(table)
    times = max(1, round(megabytes * 1e6 / table.stat().st_size))
    from pyarrow import parquet  # type: ignore[import-untyped]

    rows = frame.to_arrow()
    schema = parquet.read_schema(table)
    with parquet.ParquetWriter(run / "new", schema, compression="zstd") as writer:
        for _ in range(times):
            writer.write_table(rows.cast(schema))
    (run / "new").replace(table)
    document = json.loads((run / "run.json").read_text())
    document["tables"]["packets"] = frame.height * times
    (run / "run.json").write_text(json.dumps(document))
    return run


def _reported(megabytes: int, folder: Path) -> list[str]:
    return [str(PANTALA), "report", str(_large_run(megabytes, folder))]


def _loaded(megabytes: int, folder: Path) -> list[str]:
    run = _large_run(megabytes, folder)
    text = "import sys, pantala as pt; run = pt.load(sys.argv[1]); print(run.jobs.collect())"
    return [sys.executable, "-c", text, str(run)]


def _replayed(megabytes: int, folder: Path) -> list[str]:
    """Makes a GOAL schedule of a ring of 64 ranks, and replays it."""
    steps = megabytes * 1_000_000 // _RANKS // _STEP_BYTES
    with (folder / "ring.goal").open("w") as file:
        file.write(f"num_ranks {_RANKS}\n")
        for rank in range(_RANKS):
            right, left = (rank + 1) % _RANKS, (rank - 1) % _RANKS
            file.write(f"rank {rank} {{\n")
            for step in range(steps):
                lines = f"s{step}: send 64b to {right} tag 0\nr{step}: recv 64b from {left} tag 0\n"
                if step:
                    lines += f"s{step} requires r{step - 1}\nr{step} requires s{step - 1}\n"
                file.write(lines)
            file.write("}\n")
    (folder / "trace.toml").write_text(
        'name = "trace"\nrouting = "minimal"\n'
        'machine = { preset = "kang2022", topology = { p = 2, a = 4, h = 2, g = 9 } }\n'
        "record = { messages = false }\n"
        '[[jobs]]\nname = "ring"\nworkload = { kind = "trace", path = "ring.goal" }\n'
    )
    out = str(folder / "out")
    return [str(PANTALA), "run", str(folder / "trace.toml"), "--no-report", "-q", "--out", out]


def has_room(folder: Path, size: int, unit: str) -> bool:
    """Returns whether the disk has room for a size, with a margin."""
    return unit != "MB" or shutil.disk_usage(folder).free > 3e6 * size


LOADS = {
    "dry run of a machine": Load((2_550, 40_200, 1_025_156), "nodes", _checked),
    "500 ns of a machine": Load((2_550, 40_200, 1_025_156), "nodes", _simulated),
    "snapshot of a job log": Load((1_000, 10_000, 100_000), "jobs", _job_log),
    "sweep --dry-run": Load((100, 1_000, 10_000), "runs", _dry),
    "sweep of finished runs": Load((100, 1_000, 10_000), "runs", _stored),
    "status of a store": Load((100, 1_000, 10_000, 100_000), "runs", _listed),
    "compare a store with 4 runs": Load((100, 1_000, 10_000, 100_000), "runs", _compared),
    "report of a run directory": Load((10, 100, 1_000, 5_000), "MB", _reported),
    "pt.load of a run directory": Load((10, 100, 1_000, 5_000), "MB", _loaded),
    "replay of a GOAL schedule": Load((2, 20, 200, 2_000), "MB", _replayed),
}
