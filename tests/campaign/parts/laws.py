"""Physical laws hold in every run: odd ones, and drawn ones.

Each case is an odd scenario (cut off, one rank, no traffic, a late job, failed links, saturated,
skipped time, coarse, many small jobs, hostile names, interference, repeating) or a drawn one.
Queries of its tables check that packets and bytes are conserved by job and link class, that no
packet is faster than the closed form of its path, that its waits are its latency minus that form,
that a link never carries more than its bandwidth in a window and never starts a packet before the
end of the one before it, and that blame sums to the measured waiting. Where time was skipped, the
laws hold for the simulated epochs.

A job alone in an interference experiment must equal a plain run of that job on its nodes, value
for value. A run on the nodes that a symmetry of the machine gives (all groups rotated, or the
nodes of each router, if the links allow no rotation) must give the same distribution: a two-sample
Kolmogorov-Smirnov test of packet latencies' means over 12 seeds each, at a level of one in
100,000.
"""

from __future__ import annotations

import json
import shutil
import warnings
from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import polars as pl
from scipy.stats import ks_2samp

import pantala as pt
from campaign.drawn import drawn
from campaign.odd import KINDS, odd
from campaign.run_laws import LAWS
from campaign.stretch import Stretch
from campaign.tables_of import Tables

TITLE = "Laws"
COLUMNS = {"runs": "checked", "failures": "failures"}
CASES = 120
_LEVEL = 1e-5
_SEEDS = 12
_ALONE, _SYMMETRY = "a job alone", "symmetry of the machine"
#: Every packet with its path, and the waits.
_RECORD = {"packets": "all", "packet_paths": True, "blame": {"window": "10 us"}}


def run(stretch: Stretch) -> None:
    """Checks odd and drawn scenarios in turn until the time or the cases are over."""
    for case in stretch.cases(upto=CASES):
        kind, tables = scenario(stretch.seed, case)
        out = stretch.scratch / str(case)
        if tables is not None:
            for law, broken in checked(tables, out, symmetry=case % 3 == 0):
                stretch.add(law, runs=1)
                for text in broken:
                    stretch.failure(law, case, f"{kind}: {text}")
        shutil.rmtree(out, ignore_errors=True)


def scenario(seed: int, case: int) -> tuple[str, dict[str, Any] | None]:
    """Returns the kind and the tables of a case; None for a drawing that led to none."""
    if case % 2 == 0:
        return odd(seed, case // 2)
    tables = drawn(seed, case)
    if tables is None:
        return "drawn", None
    wanted = deepcopy(tables)
    wanted["record"] = {**(tables.get("record") or {}), **_RECORD}
    for choice in (wanted, tables):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                pt.Scenario.from_dict(choice).resolve()
            except pt.PantalaError:
                continue
        return "drawn", choice
    return "drawn", None


def checked(
    tables: Mapping[str, Any], out: Path, symmetry: bool = False
) -> Iterator[tuple[str, list[str]]]:
    """Runs a scenario; yields each law with what breaks it."""
    try:
        directories = _run(tables, out / "run")
    except (pt.ScenarioError, pt.SimulationError):
        return  # a rule that only a run checks, or ranks that wait for each other
    for directory in directories.values():
        opened = Tables(directory)
        try:
            for name, law in LAWS.items():
                yield name, list(law(opened))
        finally:
            opened.close()
    for job in tables["jobs"] if tables.get("interference") is True else ():
        if (alone := directories.get(f"alone-{job['name']}")) is not None:
            try:
                broken = list(_plain(tables, job, alone, out / f"plain-{job['name']}"))
            except pt.ScenarioError:
                continue  # keys that name the other jobs
            yield _ALONE, broken
    if symmetry and "run" in directories and "skip" not in tables:
        moved = _moved(tables, directories["run"])
        if moved is not None:
            yield _SYMMETRY, list(_distribution(*moved, out / "moved"))


def _run(tables: Mapping[str, Any], out: Path) -> dict[str, Path]:
    """Runs a scenario; returns the run directory of each part."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = pt.run(pt.Scenario.from_dict(tables), out=out, report=False, progress=False)
    if isinstance(found, pt.Run):
        return {"run": out}
    return {part: (out / part).resolve() for part in found.parts}


def _plain(
    tables: Mapping[str, Any], job: Mapping[str, Any], alone: Path, out: Path
) -> Iterator[str]:
    """Compares a job alone in an experiment with a plain run of it on the same nodes."""
    document = json.loads((alone / "run.json").read_text())
    ranks = pl.read_parquet(alone / "ranks.parquet").sort("rank")
    nodes = ranks["node"].unique(maintain_order=True).to_list()
    plain = {key: value for key, value in tables.items() if key != "interference"}
    plain["jobs"] = [dict(job) | {"placement": {"kind": "nodes", "nodes": nodes}}]
    directory = _run(plain, out)["run"]
    for name in document["tables"]:
        one, other = (
            pl.read_parquet(each / f"{name}.parquet").drop(
                "job", "victim", "aggressor", strict=False
            )
            for each in (alone, directory)
        )
        if not one.equals(other):
            yield f"{job['name']}: the table {name} differs from a plain run's"


def _moved(
    tables: Mapping[str, Any], directory: Path
) -> tuple[dict[str, Any], dict[str, Any], str] | None:
    """Returns a scenario on its nodes, and on the nodes that a symmetry of its machine gives."""
    if "failed_links" in tables["machine"].get("topology", {}) or any(
        "count" in job or "ranks" not in job for job in tables["jobs"]
    ):
        return None
    run = Tables(directory)
    topology = run.plan["topology"]
    # Synthetic traffic has no rows of ranks, but its packets name their ranks and nodes.
    ranks = run.rows(
        "select job, rank, node from ranks union select job, rank, source_node from packets"
        " union select job, destination_rank, destination_node from packets order by 1, 2"
    )
    per_group, p = topology["a"] * topology["p"], topology["p"]
    nodes = per_group * topology["g"]
    pairs = run.rows(
        "select source_router, target_router, count(*) from links"
        " where source_router is not null and target_router is not null group by all"
    )
    run.close()
    links = set(pairs)
    a, g = topology["a"], topology["g"]
    turned = {((s + a) % (a * g), (t + a) % (a * g), n) for s, t, n in pairs}
    rotation = turned == links

    def itself(node: int) -> int:
        return node

    def image(node: int) -> int:
        return int((node + per_group) % nodes if rotation else node // p * p + (node + 1) % p)

    placed: list[list[dict[str, Any]]] = [[], []]
    for number, job in enumerate(tables["jobs"]):
        own = list(dict.fromkeys(node for each, _, node in ranks if each == number))
        if len(own) != job["ranks"]:
            return None  # several ranks of a node, or a rank that is not known
        for jobs, map_ in zip(placed, (itself, image), strict=True):
            place = {"kind": "nodes", "nodes": [map_(node) for node in own]}
            jobs.append(dict(job) | {"placement": place})
    here, there = (dict(tables) | {"jobs": jobs} for jobs in placed)
    return here, there, "groups rotated" if rotation else "nodes of a router exchanged"


def _distribution(
    here: Mapping[str, Any], there: Mapping[str, Any], how: str, out: Path
) -> Iterator[str]:
    """Compares the mean packet latency of each job over seeds on both sets of nodes."""
    found: list[list[list[float]]] = []
    for side, tables in enumerate((here, there)):
        rows = []
        for seed in range(_SEEDS):
            seeded = dict(tables) | {"seed": 1000 * (side + 1) + seed}
            (directory,) = _run(seeded, out / f"{side}-{seed}").values()
            jobs = pl.read_parquet(directory / "jobs.parquet").sort("job")
            rows.append([value or 0.0 for value in jobs["packet_latency_mean_ns"]])
        found.append(rows)
    for job, name in enumerate(each["name"] for each in here["jobs"]):
        one, two = ([row[job] for row in side] for side in found)
        value = float(ks_2samp(one, two).pvalue)
        if value < _LEVEL:
            yield f"{how}: {name} has another distribution of packet latency (p = {value:.1e})"


def sample() -> list[tuple[str, dict[str, Any]]]:
    """Returns one odd scenario of each kind."""
    return [odd(1, case) for case in range(len(KINDS))]
