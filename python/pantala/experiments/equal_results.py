"""Seeds whose runs have equal results: they count once, as more of them add nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from pantala.caveats import Facts

__all__ = ["EqualResults"]


@dataclass(frozen=True)
class EqualResults:
    """The runs of an experiment, and which of them have equal results.

    Attributes:
        cases: one row per case and part: ``case``, the axes, ``part``, ``run``.
        axes: the columns of the axes.
        facts: the facts of each run that is there.
    """

    cases: pl.DataFrame
    axes: Sequence[str]
    facts: Mapping[str, Facts]

    @property
    def results(self) -> pl.DataFrame:
        """The hash of the results of each run: ``run``, ``result``; the run itself if unknown."""
        found = [(run, each.result_hash or run) for run, each in self.facts.items()]
        return pl.DataFrame(found, {"run": pl.String, "result": pl.String}, orient="row")

    def distinct(self, frame: pl.LazyFrame, over: str) -> pl.LazyFrame:
        """Leaves out the runs of seeds whose results equal those of an earlier seed.

        Adds ``repeated``: how many seeds of the case and part are left out.
        """
        axes = [axis for axis in self.axes if axis != over]
        alike = [*axes, "part", "result"]
        if over != "seed" or "seed" not in self.axes:
            return frame.with_columns(repeated=pl.lit(0, pl.UInt32))
        cases = self.cases.join(self.results, on="run", maintain_order="left")
        counted = cases.with_columns(
            repeated=(pl.len() - pl.col("result").n_unique()).over([*axes, "part"]).cast(pl.UInt32)
        ).unique(alike, keep="first", maintain_order=True)
        kept = counted.select("case", "part", "repeated").lazy()
        return frame.join(kept, on=["case", "part"], maintain_order="left")

    def distinct_cases(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Leaves out cases whose results in all parts equal those of another seed."""
        axes = [axis for axis in self.axes if axis != "seed"]
        cases = self.cases.join(self.results, on="run", maintain_order="left")
        results = cases.group_by(["case", *axes], maintain_order=True).agg(
            pl.concat_str("part", pl.lit(" "), "result").sort().str.join("\n")
        )
        kept = results.unique([*axes, "part"], keep="first", maintain_order=True)
        return rows.filter(pl.col("case").is_in(kept["case"].to_list()))

    def seed_groups(self) -> list[list[str]]:
        """Returns the runs that differ in their seed only."""
        others = [axis for axis in self.axes if axis != "seed"]
        cases = self.cases.filter(pl.col("run").is_not_null())
        return cases.group_by([*others, "part"], maintain_order=True).agg("run")["run"].to_list()
