"""The numbers behind Figure 3, and the variants: throughput in % of the injection bandwidth."""

from __future__ import annotations

from functools import lru_cache

import polars as pl

from pantala.papers.prisacari2015.study.model import estimate, predict
from pantala.papers.prisacari2015.study.networks import (
    CONFIGURATIONS,
    PATTERNS,
    Size,
    changes_of,
    configuration,
    scenario,
    traffic,
)
from pantala.papers.prisacari2015.study.results import read_results
from pantala.papers.prisacari2015.study.variants import SIZE
from pantala.scenario import Scenario
from pantala.studies.evidence import THROUGHPUTS, Evidence


@lru_cache
def exact(size: Size, pattern: str, name: str, seed: int) -> float:
    """Returns the throughput at which the first link is full, by the exact loads."""
    routing, placement = CONFIGURATIONS[name]
    if placement == "contiguous":
        return predict(size, pattern, routing).saturation
    changes = changes_of(pattern, size) | configuration(name) | {"seed": seed}
    plan = Scenario.from_dict(scenario("exact"), changes=changes).resolve()
    return predict(size, pattern, routing, tuple(plan["jobs"][0]["nodes"])).saturation


def figure_3(evidence: Evidence) -> pl.DataFrame:
    """Returns measured and exact throughput of the first seed, by pattern and size."""
    results = read_results(evidence)[0]
    columns: dict[str, list[object]] = {
        name: [] for name in ("pattern", "(p, a, h)", "nodes", "3/(4p)")
    }
    columns |= {text: [] for name in CONFIGURATIONS for text in (name, f"{name}, exact")}
    for pattern in PATTERNS:
        for size in results.sizes:
            columns["pattern"].append(pattern)
            columns["(p, a, h)"].append(str(size))
            columns["nodes"].append(size.nodes)
            columns["3/(4p)"].append(100 * estimate(size))
            for name in CONFIGURATIONS:
                found = results.get(size, pattern, name).accepted
                columns[name].append(100 * found)
                columns[f"{name}, exact"].append(
                    100 * exact(size, pattern, name, evidence.seeds[0])
                )
    return pl.DataFrame(columns)


def variants(evidence: Evidence) -> pl.DataFrame:
    """Returns throughput of the variants, and without the change, for the first seed."""
    rows = evidence.rows("variants", THROUGHPUTS)
    base = evidence.rows("throughput", THROUGHPUTS)
    if rows.is_empty() or base.is_empty():
        return pl.DataFrame({"variant": [], "measured": [], "as is": []})
    first = pl.col("seed") == evidence.seeds[0]
    plain = {
        (name, case): value
        for name, case, value in base.filter(first)
        .select("traffic", "configuration", "accepted")
        .iter_rows()
    }
    found = rows.filter(first).select("variant", measured=100 * pl.col("accepted"))
    without = []
    for variant in found["variant"]:
        pattern, _, name = variant.partition(": ")[2].partition(", ")
        value = plain.get((traffic(pattern, SIZE), name))
        without.append(None if value is None else 100 * value)
    return found.with_columns(pl.Series("as is", without, dtype=pl.Float64))


TABLES = {"figure-3": figure_3, "variants": variants}
