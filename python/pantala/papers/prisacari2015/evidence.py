"""The results of the study: one row per run, measured and predicted values side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from pantala.papers.prisacari2015.model import Prediction, bounds, estimate, predict
from pantala.papers.prisacari2015.runs import (
    CONFIGURATIONS,
    LATENCY,
    PATTERNS,
    Configuration,
    Size,
    Spec,
)
from pantala.studies.simulate import Record

__all__ = ["Evidence", "Result", "results", "table"]


@dataclass(frozen=True)
class Result:
    """A run with its measured values and the prediction of the exact model.

    Attributes:
        spec: the run.
        record: its record; see `Point.measure`.
        prediction: the prediction of the exact model.
        between_groups: accepted throughput of the nodes whose packets leave their group. It differs
            from the throughput of all nodes under bit complement, whose middle group sends to
            itself.
    """

    spec: Spec
    record: Record
    prediction: Prediction
    between_groups: float

    @property
    def accepted(self) -> float:
        """Throughput as a fraction of the injection bandwidth of all nodes that send."""
        return float(self.record["accepted"])

    @property
    def local_bytes(self) -> float:
        """Bytes over local links for each byte delivered."""
        return float(self.record["local_bytes"] / self.record["delivered_bytes"])


def results(specs: Sequence[Spec], records: Mapping[str, Record], seed: int) -> list[Result]:
    """Joins records and predictions."""
    predicted: dict[tuple[Any, ...], Prediction] = {}
    found = []
    for spec in specs:
        nodes = spec.scenario(seed).resolve()["jobs"][0]["nodes"]
        # A variant that changes no path has the paths of the run without the change.
        same_paths = spec.variant in (*LATENCY, "speedup", "oldest_first", "messages")
        paths = (spec.size, spec.pattern, spec.configuration, "" if same_paths else spec.variant)
        if paths not in predicted:
            predicted[paths] = predict(spec, nodes)
        record = records[spec.key]
        found.append(Result(spec, record, predicted[paths], _between_groups(spec, record, nodes)))
    return found


def _between_groups(spec: Spec, record: Record, nodes: Sequence[int]) -> float:
    """Returns the accepted throughput of nodes whose packets leave their group; see `Result`."""
    accepted = float(record["accepted"])
    if spec.pattern != "bit_complement" or spec.variant == "no_middle":
        return accepted
    size = spec.size
    middle = nodes[size.groups // 2 * size.group_nodes] // size.group_nodes
    by_group = record["delivered_bytes_by_group"]
    share = 1 - by_group[middle] / sum(by_group)
    return float(accepted * share * size.groups / (size.groups - 1))


class Evidence:
    """The results without variants, or the results at other latencies, for queries."""

    def __init__(self, found: Sequence[Result], variant: str = "") -> None:
        """Takes the results of a variant; without a name, the results without variants."""
        self.variant = variant
        self._all = list(found)
        mine = [result for result in found if result.spec.variant == variant]
        self._by_run = {(r.spec.size, r.spec.pattern, r.spec.configuration): r for r in mine}

    @cached_property
    def sizes(self) -> list[Size]:
        """The sizes, rising, at which all patterns were run under all configurations."""
        sizes = sorted({size for size, _, _ in self._by_run})
        return [
            s
            for s in sizes
            if all((s, p, c) in self._by_run for p in PATTERNS for c in CONFIGURATIONS)
        ]

    def get(self, size: Size, pattern: str, configuration: Configuration) -> Result:
        """Returns a result."""
        return self._by_run[size, pattern, configuration]

    def of(
        self, configuration: Configuration, patterns: Sequence[str] = tuple(PATTERNS)
    ) -> Iterator[Result]:
        """Yields all results of a configuration, by pattern, then by size."""
        for pattern in patterns:
            found = [
                r for (_, p, c), r in self._by_run.items() if (p, c) == (pattern, configuration)
            ]
            yield from sorted(found, key=lambda result: result.spec.size)

    def variants(self, name: str) -> list[Result]:
        """Returns the results of a variant."""
        return [result for result in self._all if result.spec.variant == name]


def table(found: Sequence[Result]) -> pl.DataFrame:
    """Returns the table results.parquet: one row per run.

    Throughputs and bounds are fractions of the injection bandwidth.
    """
    rows = []
    for result in found:
        spec, record, size = result.spec, result.record, result.spec.size
        low, high = bounds(size)
        rows.append(
            {
                "run": spec.key,
                "variant": spec.variant,
                "p": size.p,
                "a": size.a,
                "h": size.h,
                "nodes": size.nodes,
                "routers": size.routers,
                "pattern": spec.pattern,
                "configuration": spec.configuration.key,
                "routing": spec.configuration.routing,
                "placement": (
                    "nodes" if spec.variant == "no_middle" else spec.configuration.placement
                ),
                "accepted": result.accepted,
                "half_width_99": record["half_width"],
                "precise": record["precise"],
                "steady": record["steady"],
                "accepted_between_groups": result.between_groups,
                "equation_1_low": low,
                "equation_1_high": high,
                "equation_4": estimate(size),
                "exact": result.prediction.saturation,
                "exact_between_groups": result.prediction.between_groups,
                "simulated_ns": record["simulated_ns"],
                "warm_up_ns": record["warm_up_ns"],
                "packets": record["packets"],
                "link_hops_mean": record["link_hops_mean"],
                "local_bytes_per_byte": result.local_bytes,
                "local_utilization_max": record["local_utilization_max"],
                "global_utilization_max": record["global_utilization_max"],
            }
        )
    return pl.DataFrame(rows)
