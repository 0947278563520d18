"""The results of one seed: throughput and load of each run, by machine, pattern, configuration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import polars as pl

from pantala.papers.prisacari2015.study.networks import (
    CONFIGURATIONS,
    PATTERNS,
    SIZES,
    Size,
    traffic,
)
from pantala.studies.evidence import THROUGHPUTS, Evidence

__all__ = ["Result", "Results", "read_results"]

_KEYS = ("seed", "traffic", "configuration")
_TRAFFIC = {traffic(pattern, size): (size, pattern) for size in SIZES for pattern in PATTERNS}


@dataclass(frozen=True)
class Result:
    """The results of a run.

    Attributes:
        size: the machine.
        pattern: the pattern.
        configuration: the configuration.
        accepted: throughput as a fraction of the injection bandwidth of all nodes.
        relative: half the width of its 99 % confidence interval as a share of it.
        steady: whether it has no drift.
        simulated_ns: the simulated time.
        local_bytes: bytes over local links for each byte delivered.
        remote_busy: the share of time in which the busiest remote link sends.
        between_groups: throughput of the nodes whose packets leave their group, where rank i is on
            node i. It differs from `accepted` under bit complement: the middle group, as the number
            of groups is odd, sends to itself.
    """

    size: Size
    pattern: str
    configuration: str
    accepted: float
    relative: float = 0.0
    steady: bool = True
    simulated_ns: float = 0.0
    local_bytes: float = 0.0
    remote_busy: float = 0.0
    between_groups: float = 0.0


@dataclass
class Results:
    """The results of one seed.

    Attributes:
        found: the results of Figure 3.
        near: the throughput of shift by one group under ValiantRestricted, by machine.
    """

    found: list[Result] = field(default_factory=list)
    near: Mapping[Size, float] = field(default_factory=dict)

    @cached_property
    def _by_run(self) -> dict[tuple[Size, str, str], Result]:
        return {(each.size, each.pattern, each.configuration): each for each in self.found}

    @cached_property
    def sizes(self) -> list[Size]:
        """The sizes, rising, at which all patterns were run under all configurations."""
        return [
            size
            for size in sorted({each.size for each in self.found})
            if all((size, p, c) in self._by_run for p in PATTERNS for c in CONFIGURATIONS)
        ]

    def get(self, size: Size, pattern: str, configuration: str) -> Result:
        """Returns a result."""
        return self._by_run[size, pattern, configuration]

    def of(self, configuration: str, patterns: Iterable[str] = PATTERNS) -> Iterator[Result]:
        """Yields the results of a configuration, by pattern, then by size."""
        for pattern in patterns:
            for size in self.sizes:
                yield self.get(size, pattern, configuration)


@lru_cache(maxsize=1)
def read_results(evidence: Evidence) -> list[Results]:
    """Returns the results of each seed of the evidence."""
    rows = _rows(evidence)
    near = evidence.rows("near_shift", THROUGHPUTS)
    return [
        Results(
            [_result(row) for row in rows if row["seed"] == seed],
            {
                _TRAFFIC[row["traffic"]][0]: row["accepted"]
                for row in near.iter_rows(named=True)
                if row["seed"] == seed
            },
        )
        for seed in evidence.seeds
    ]


def _rows(evidence: Evidence) -> list[dict[str, object]]:
    """Returns a row for each run of Figure 3: throughput, traffic and load of links."""
    throughputs = evidence.rows("throughput", THROUGHPUTS)
    if throughputs.is_empty():
        return []

    def links(kind: str, *columns: str) -> pl.DataFrame:
        return evidence.chosen("throughput", "links", [*_KEYS[1:], *columns], {"class": kind})

    local = links("local", "bytes").group_by(*_KEYS).agg(local=pl.col("bytes").sum())
    remote = links("global", "utilization").group_by(*_KEYS)
    by_group = links("ejection", "source_group", "bytes").group_by(*_KEYS, "source_group")
    jobs = evidence.rows("throughput", "jobs").select(*_KEYS, "delivered_bytes")
    joined = throughputs
    tables = (
        jobs,
        local,
        remote.agg(remote_busy=pl.col("utilization").max()),
        by_group.agg(pl.col("bytes").sum())
        .sort("source_group")
        .group_by(*_KEYS, maintain_order=True)
        .agg(by_group="bytes"),
    )
    for table in tables:
        joined = joined.join(table, on=_KEYS)
    return joined.to_dicts()


def _result(row: Mapping[str, object]) -> Result:
    size, pattern = _TRAFFIC[str(row["traffic"])]
    accepted = _number(row["accepted"])
    between = accepted
    if pattern == "bit_complement":
        by_group = row["by_group"]
        assert isinstance(by_group, list)
        share = 1 - by_group[size.groups // 2] / sum(by_group)
        between = accepted * share * size.groups / (size.groups - 1)
    return Result(
        size,
        pattern,
        str(row["configuration"]),
        accepted,
        _number(row["relative"]),
        bool(row["steady"]),
        _number(row["simulated_ns"]),
        _number(row["local"]) / _number(row["delivered_bytes"]),
        _number(row["remote_busy"]),
        between,
    )


def _number(value: object) -> float:
    assert isinstance(value, int | float)
    return float(value)
