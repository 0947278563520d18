"""Jobs that are drawn per seed, such as those of a background: equal names, but other programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from pantala.caveats import Facts
from pantala.text.amounts import join

__all__ = ["drawn_in_words", "drawn_jobs", "without_drawn"]

#: Jobs that a sentence names.
_NAMED = 3


def drawn_jobs(
    cases: pl.DataFrame, axes: Sequence[str], facts: Mapping[str, Facts]
) -> pl.DataFrame:
    """Returns the jobs that are not the same job under all seeds, so that they have no mean.

    They differ in their application or number of ranks, or a seed lacks them.

    Args:
        cases: one row per case and part: the axes, ``part``, ``run``.
        axes: the columns of the axes.
        facts: the facts of each run that is there.

    Returns:
        The axes without ``seed``, ``part``, and ``name``, the job's.
    """
    others = [axis for axis in axes if axis != "seed"]
    keys = [*others, "part"]
    found = []
    for place, rows in cases.group_by(keys, maintain_order=True):
        known = (facts[run].repeating for run in rows["run"] if run in facts)
        programs = [dict(each) for each in known if each is not None]
        for name in dict.fromkeys(name for each in programs for name in each):
            if len({each.get(name) for each in programs}) > 1:
                found.append((*place, name))
    schema = pl.Schema([*((key, cases.schema[key]) for key in keys), ("name", pl.String())])
    return pl.DataFrame(found, schema, orient="row")


def without_drawn(rows: pl.LazyFrame, drawn: pl.DataFrame, name: str = "name") -> pl.LazyFrame:
    """Leaves out the rows of jobs that are drawn per seed.

    Args:
        rows: rows with the axes, ``part``, and the job's name.
        drawn: the result of `drawn_jobs`.
        name: the column of `rows` with the job's name.
    """
    of_jobs = drawn.rename({"name": name})
    return rows.join(
        of_jobs.lazy(), on=of_jobs.columns, how="anti", nulls_equal=True, maintain_order="left"
    )


def drawn_in_words(drawn: pl.DataFrame) -> str:
    """Returns a sentence about the jobs that are left out of means; empty if there are none."""
    names = drawn["name"].unique(maintain_order=True).to_list()
    if not names:
        return ""
    more = len(names) - _NAMED
    shown = join([*names[:_NAMED], f"{more} more"] if more > 0 else names)
    return (
        f"Background jobs are drawn per seed, so they have no mean over seeds: {shown}"
        f" {'is' if len(names) == 1 else 'are'} left out."
    )
