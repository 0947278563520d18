"""The readers of the Python package: their seeds, their damage, and what follows the reading."""

from __future__ import annotations

import json
import random
import shutil
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pantala as pt
from campaign.damage import damaged_bytes, damaged_json, damaged_text
from campaign.reader_seeds import (
    CODES,
    EMBER,
    EXPERIMENTS,
    JOB_LOGS,
    SCENARIOS,
    WRONG_EXPERIMENTS,
)
from campaign.toml_text import toml_text
from support import ROOT, SMALL

__all__ = ["PROGRAM", "READERS", "Reader"]

#: Nodes of the largest machine that is resolved: a larger one costs what its numbers say.
LARGEST = 2_000

_SCENARIO = (
    SMALL
    + """
[stop]
duration = "10 us"
[record]
window = "1 us"
packets = "sampled"
[mpi]
eager_threshold = "12 kB"
[router]
input_buffer = 120
"""
)
_EXPERIMENT = """\
name = "e"
scenario = "small.toml"
seeds = 2
keep = ["links"]
[[axes]]
"routing.algorithm" = ["minimal", "valiant"]
[[axes]]
"jobs.fft.ranks" = [6, 6]
"""
_SWF = "; Version: 2\n; UnixStartTime: 1000000\n" + "".join(
    f"{n} {n * 10} 0 {900 + n} {n + 1} -1 -1 {n + 1} -1 -1 1 1 1 1 1 1 -1 -1\n" for n in range(5)
)
_LINKS = "source_router,source_port,target_router,target_port,class\n" + "".join(
    f"{a},{b},{c},{d},global\n" for a, b, c, d in ((0, 5, 4, 6), (1, 5, 8, 6), (2, 5, 12, 6))
)
PROGRAM = """\
def program(mpi, bytes=8):
    other = mpi.rank ^ 1
    for step in range(3):
        request = mpi.isend(other, bytes, tag=step)
        mpi.recv(other, bytes, tag=step)
        mpi.wait(request)
    mpi.compute("1 us")
    mpi.allreduce(8)
"""


@dataclass(frozen=True)
class Reader:
    """A reader.

    Attributes:
        make: writes the input of a case into an empty folder, and returns its file and content.
        read: reads it, and uses what it read.
        every: it is tried at one case in this many; slow readers start processes.
        bound: the longest time, in seconds.
    """

    make: Callable[[Path, random.Random], tuple[Path, bytes]]
    read: Callable[[Path], None]
    every: int = 1
    bound: int = 10


def _text(name: str, seeds: Callable[[], list[str]], keep: int = 0) -> Any:
    def make(folder: Path, draws: random.Random) -> tuple[Path, bytes]:
        data = damaged_text(seeds(), draws, keep)
        (folder / name).write_bytes(data)
        return folder / name, data

    return make


@cache
def _scenarios() -> list[str]:
    files = ("quickstart", "interference", "patterns", "snapshot", "aries", "long_run")
    texts = [_SCENARIO, SMALL, *((ROOT / f"examples/{name}.toml").read_text() for name in files)]
    # Every tenth of those drawn from the schema: all machines, routings, placements and workloads.
    lines = (ROOT / "tests/scenarios/scenarios.jsonl").read_text().splitlines()[::10]
    return texts + SCENARIOS + [toml_text(json.loads(line)["scenario"]) for line in lines]


def _resolved(scenario: pt.Scenario) -> None:
    scenario.plan()
    if scenario.machine.nodes <= LARGEST and sum(job.ranks or 0 for job in scenario.jobs) < 10_000:
        scenario.resolve()


def _scenario(path: Path) -> None:
    _resolved(pt.Scenario.from_toml(path))


def _experiment(path: Path) -> None:
    from pantala.experiments.description import describe, read_experiment

    (path.parent / "small.toml").write_text(SMALL)
    read = read_experiment(path)
    if read is not None:
        made = describe(read, source=str(path), folder=path.parent)
        made.document()
        made.digest()


def _ember(path: Path) -> None:
    _resolved(pt.Scenario.from_ember(path))


def _job_log(path: Path) -> None:
    tables = tomllib.loads((ROOT / "examples/snapshot.toml").read_text())
    log = path.read_text(errors="replace").split("\n", 1)[0]
    usual = "2026-05-01T12:00:00" if "|" in log else 300
    # One time in five is of another kind, or one at which nothing ran.
    at = {0: "1970-01-12T13:51:40", 1: 1_000_300, 2: "noon"}.get(path.stat().st_size % 15, usual)
    tables["snapshot"] |= {"file": str(path), "at": at}
    _resolved(pt.Scenario.from_dict(tables))


def _links(path: Path) -> None:
    from pantala.scenario.link_files import failed_links_in, links_in

    if path.name.startswith("failed"):
        failed_links_in(str(path), "topology.failed_links")
    else:
        links_in(str(path), "topology.links_file")


def _link_file(folder: Path, draws: random.Random) -> tuple[Path, bytes]:
    kind = draws.choice(("links.csv", "failed.txt", "failed.csv"))
    seeds = [_LINKS] if kind.endswith(".csv") else ["0:5\n1:5 # a comment\n2-12\n", "3:5 3-9"]
    data = damaged_text(seeds, draws, 20)
    (folder / kind).write_bytes(data)
    return folder / kind, data


def _link_table(folder: Path, draws: random.Random) -> tuple[Path, bytes]:
    import polars as pl

    path = folder / "links.parquet"
    packed: Any = draws.choice(("zstd", "uncompressed"))
    pl.read_csv(_LINKS.encode()).write_parquet(path, compression=packed)
    data = damaged_bytes(path.read_bytes(), draws)
    path.write_bytes(data)
    return path, data


def _nodes(path: Path) -> None:
    tables = tomllib.loads(SMALL)
    tables["jobs"][0]["placement"] = {"kind": "nodes", "nodes": {"file": str(path)}}
    pt.Scenario.from_dict(tables).resolve()


#: What Slurm says of a job, by the name of the file that is damaged.
_SLURM = {
    "nodes": ["nid[00000-00005]", "nid00[1,3-5],nid7,nid[08]", "a-[1-2]b[3-4],c5 d6"],
    "hosts": ["nid[00000-00071]", "a[00-35] b[00-35]"],
    "tasks_per_node": ["1(x6)", "2(x2),1(x2)", "4,2"],
}


def _slurm(folder: Path, draws: random.Random) -> tuple[Path, bytes]:
    key = draws.choice(tuple(_SLURM))
    data = damaged_text(_SLURM[key], draws)
    (folder / key).write_bytes(data)
    return folder / key, data


def _hosts(path: Path) -> None:
    tables = tomllib.loads(SMALL)
    given: dict[str, Any] = {"kind": "slurm", "nodes": "nid[00000-00005]"}
    given[path.name] = {"file": str(path)}
    if path.name == "tasks_per_node":
        text = path.read_text(errors="replace")
        given |= {"tasks_per_node": text, "nodes": f"nid[0-{text.count(',')}]"}
    tables["jobs"][0]["placement"] = given
    pt.Scenario.from_dict(tables).resolve()


def _codes(folder: Path, draws: random.Random) -> tuple[Path, bytes]:
    good = draws.choice(CODES)
    for name, content in good.items():
        text = content if isinstance(content, str) else json.dumps(content)
        (folder / name).write_text(text)
    name = draws.choice(tuple(good))
    content = good[name]
    if isinstance(content, str):
        data = damaged_text([content], draws, 4)
    else:
        data = damaged_json([content], draws)
    (folder / name).write_bytes(data)
    return folder / name, data


def _codes_read(path: Path) -> None:
    from pantala.importers.codes import CodesFiles, codes_scenario

    def named(name: str) -> Path | None:
        return path.parent / name if (path.parent / name).exists() else None

    files = CodesFiles(
        path.parent / "jobs.conf",
        named("a.conf"),
        timer=named("timer.conf"),
        period=named("period.conf") if path.name == "period.conf" else None,
    )
    made = codes_scenario(files, 25_000_000_000)
    scenario = pt.Scenario.from_dict(made.tables)
    made.check_nodes(scenario.machine.nodes, "kang2022")


def _ncptl(path: Path) -> None:
    tables = tomllib.loads(SMALL)
    tables["jobs"][0]["workload"] = {"kind": "ncptl", "file": str(path)}
    pt.Scenario.from_dict(tables).resolve()


def _python_program(path: Path) -> None:
    tables = tomllib.loads(SMALL)
    # A loop of 2^63 steps is refused at the limit, which takes a minute at its default.
    limit = 1_000_000
    workload = {"kind": "python", "file": str(path), "operations_limit": limit}
    tables["jobs"][0]["workload"] = workload
    pt.Scenario.from_dict(tables).resolve()


@cache
def _run_files() -> dict[str, bytes]:
    import tempfile

    from small_runs import small_run

    folder = Path(tempfile.mkdtemp(prefix="pantala-seed-"))
    small_run(folder)
    found = {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}
    shutil.rmtree(folder)
    return found


@cache
def _document() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_run_files()["run.json"])
    return found


def _run_with(file: str | None) -> Callable[[Path, random.Random], tuple[Path, bytes]]:
    def make(folder: Path, draws: random.Random) -> tuple[Path, bytes]:
        files = _run_files()
        tables = sorted(name for name in files if name.endswith(".parquet"))
        name = file or draws.choice(tables)
        if name == "run.json":
            data = damaged_json([_document()], draws)
        else:
            data = damaged_bytes(files[name], draws)
        for other, content in files.items():
            (folder / other).write_bytes(data if other == name else content)
        return folder / name, data

    return make


def _run(path: Path) -> None:
    """Opens a run, reads its tables, and computes what a summary shows."""
    from pantala.catalogue.tables import TABLES

    run = pt.load(path.parent)
    if not isinstance(run, pt.Run):
        return
    _ = (run.name, run.complete, run.coarsened, run.caveats, run.job_names)
    run.jobs.collect()
    for table in TABLES:
        frame = getattr(run, table, None)
        if frame is not None:
            frame.collect()
    run.metric("communication_time_mean_ns", job=run.job_names[0])
    repr(run)


def _otf2(folder: Path, draws: random.Random) -> tuple[Path, bytes]:
    trace = folder / "trace"
    shutil.copytree(_otf2_seed(), trace)
    files = sorted(file for file in trace.rglob("*") if file.is_file())
    file = draws.choice(files)
    data = damaged_bytes(file.read_bytes(), draws)
    file.write_bytes(data)
    return trace / "traces.otf2", data


@cache
def _otf2_seed() -> Path:
    import tempfile

    from otf2_traces import Tracer, traced

    folder = Path(tempfile.mkdtemp(prefix="pantala-seed-"))

    def write(tracer: Tracer) -> None:
        tracer.call(0, "MPI_Send", ("mpi_send", (1, tracer.world, 3, 9)))
        tracer.call(1, "MPI_Recv", ("mpi_recv", (0, tracer.world, 3, 9)))
        for rank in range(2):
            tracer.collective(rank, "Allreduce", tracer.world, 2**32 - 1, 16, 16)

    return traced(folder, 2, write).parent


def _otf2_read(path: Path) -> None:
    from pantala.traces.otf2.isolated_process import convert_apart

    out = path.parent / "out.operations"
    convert_apart(path, out, compute=True, compute_scale=1.0)


def _example(*names: str) -> Callable[[], list[str]]:
    return lambda: [(ROOT / "examples" / name).read_text() for name in names]


#: The readers by name.
READERS: dict[str, Reader] = {
    "scenario": Reader(_text("s.toml", _scenarios, 16), _scenario),
    "experiment": Reader(
        _text(
            "e.toml",
            lambda: [
                _EXPERIMENT,
                *EXPERIMENTS,
                *WRONG_EXPERIMENTS,
                *_example("experiments/protect.toml")(),
            ],
            10,
        ),
        _experiment,
    ),
    "load file of Ember": Reader(
        _text("x.load", lambda: [*EMBER, *_example("ember.load")()]), _ember
    ),
    "job log": Reader(
        _text("jobs.log", lambda: [_SWF, *JOB_LOGS, *_example("logs/jobs.sacct")()], 30), _job_log
    ),
    "file of links": Reader(_link_file, _links),
    "links in Parquet": Reader(_link_table, _links, every=50, bound=60),
    "file of nodes": Reader(
        _text("nodes.txt", lambda: ["0-5\n", "0, 1 2 # three\n7-8 11\n"], 1), _nodes
    ),
    "host list": Reader(_slurm, _hosts),
    "files of CODES": Reader(_codes, _codes_read),
    "coNCePTuaL in a scenario": Reader(
        _text("p.ncptl", _example("programs/ping_pong.ncptl"), 30), _ncptl
    ),
    "run.json": Reader(_run_with("run.json"), _run, every=5),
    "tables of a run": Reader(_run_with(None), _run, every=5),
    "Python program": Reader(
        _text("p.py", lambda: [PROGRAM], 10), _python_program, every=50, bound=60
    ),
    "OTF2": Reader(_otf2, _otf2_read, every=50, bound=60),
}
