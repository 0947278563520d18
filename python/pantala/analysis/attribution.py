"""Who slows whom: slowdowns of pairs of jobs, and the effect of removing a job, as matrices.

`pantala.analysis.slowdown` defines each slowdown. An effect on a victim is

- in pairs: its slowdown with the aggressor as the only other job;
- leave one out: its slowdown with all jobs, over its slowdown with all jobs but the aggressor. This
  is the marginal effect of the aggressor.

Both exceed one if the aggressor slows the victim down. The victim's run alone is the same, so the
second one is also the time with the aggressor over the time without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from types import MappingProxyType
from typing import Any

import polars as pl

from pantala.catalogue.job_sets import TOGETHER, without_name
from pantala.errors import UsageError, nearest
from pantala.text.amounts import counted, join

__all__ = [
    "MEASURES",
    "METHODS",
    "effect_in_words",
    "effects_of",
    "in_plan_order",
    "matrix_of",
    "ratios_text",
    "shown_measures",
    "slowdown_in_words",
]

#: The measures of an effect by the column of the slowdown table.
MEASURES: Mapping[str, str] = MappingProxyType(
    {
        "slowdown": "communication time",
        "message_latency_slowdown": "message latency",
        "packet_latency_slowdown": "packet latency",
        "packet_latency_p99_slowdown": "p99 packet latency",
        "run_time_slowdown": "run time",
        "accepted_throughput_slowdown": "accepted throughput, without over with",
    }
)

#: The methods of an effect, with the meaning of a cell.
METHODS: Mapping[str, str] = MappingProxyType(
    {
        "pairs": "the job of the row beside the job of the column only, over alone",
        "leave_one_out": (
            "the job of the row with all jobs, over all jobs but the job of the column"
        ),
    }
)

#: Jobs that a sentence names.
_NAMED = 3
_SCHEMA = {
    "method": pl.String,
    "victim": pl.String,
    "aggressor": pl.String,
    "measure": pl.String,
    "effect": pl.Float64,
    "compared": pl.String,
    "compared_iterations": pl.UInt32,
}


def effects_of(slowdowns: pl.DataFrame) -> pl.DataFrame:
    """Returns the effect of each job on each other job.

    Args:
        slowdowns: the slowdowns of each job set of one experiment:
            `pantala.analysis.slowdown.slowdowns_of`.

    Returns:
        One row per method, victim, aggressor and measure that the runs allow: ``method`` (a key of
        `METHODS`), ``victim``, ``aggressor``, ``measure`` (a key of `MEASURES`), ``effect``, which
        is null if the victim has no such measure, or if the two slowdowns compare different work,
        and ``compared`` and ``compared_iterations``: the victim's work, as in the slowdowns.
    """
    rows = slowdowns.to_dicts()
    by_place = {(row["job_set"], row["name"]): row for row in rows}
    found: list[tuple[str, Mapping[str, Any], str, dict[str, float | None]]] = []
    for row in rows:
        if len(row["beside"]) == 1:
            found.append(("pairs", row, row["beside"][0], _values(row)))
        if row["job_set"] != TOGETHER:
            continue
        for other in row["beside"]:
            if len(row["beside"]) == 1:  # without the other job, it is alone
                found.append(("leave_one_out", row, other, _values(row)))
            elif (without := by_place.get((without_name(other), row["name"]))) is not None:
                found.append(("leave_one_out", row, other, _quotients(row, without)))
    order = {row["name"]: row["job"] for row in rows if row["job_set"] == TOGETHER}
    found.sort(
        key=lambda each: (each[0] != "pairs", order.get(each[1]["name"], 0), order.get(each[2], 0))
    )
    effects = [
        (method, row["name"], other, measure, value, row["compared"], row["compared_iterations"])
        for method, row, other, values in found
        for measure, value in values.items()
    ]
    return pl.DataFrame(effects, schema=_SCHEMA, orient="row")


def _values(row: Mapping[str, Any]) -> dict[str, float | None]:
    return {measure: row[measure] for measure in MEASURES}


def _quotients(row: Mapping[str, Any], without: Mapping[str, Any]) -> dict[str, float | None]:
    """Returns slowdowns over slowdowns; null if they compare different work."""
    work = ["compared"] + ["compared_iterations"] * (row["compared"] == "iterations")
    if any(row[key] != without[key] for key in work):
        return dict.fromkeys(MEASURES)
    return {
        measure: row[measure] / without[measure] if row[measure] and without[measure] else None
        for measure in MEASURES
    }


def shown_measures(effects: pl.DataFrame) -> list[str]:
    """Returns the measures that a report shows: communication time, p99, run time.

    Mean packet latency is shown too if a pattern is a victim: it has no communication time.
    """
    value = "effect" if "effect" in effects.columns else "mean"
    known = effects.filter(pl.col(value).is_not_null())
    measured = known.group_by("victim").agg(pl.col("measure").unique())["measure"].to_list()
    shown = ["slowdown", "packet_latency_p99_slowdown", "run_time_slowdown"]
    if any("slowdown" not in measures for measures in measured):
        shown.insert(1, "packet_latency_slowdown")
    return [measure for measure in shown if measure in known["measure"]]


def matrix_of(
    effects: pl.DataFrame,
    measure: str = "slowdown",
    method: str = "pairs",
    value: str | None = None,
) -> pl.DataFrame:
    """Returns effects as a matrix: one row per victim, one column per aggressor.

    Axes of an experiment are columns in front of the victim.

    Args:
        effects: the effects, from `effects_of` or `Experiment.effects`.
        measure: a key of `MEASURES`.
        method: a key of `METHODS`.
        value: the column of the cells; the effect, or its mean over seeds, if not given.

    Raises:
        UsageError: there is no such measure or method.
    """
    for word, known in ((measure, MEASURES), (method, METHODS)):
        if word not in known:
            close = nearest(word, known)
            hint = f"did you mean '{close}'?" if close else f"choose one of {', '.join(known)}"
            raise UsageError(f"effects have no '{word}'; {hint}")
    rows = effects.filter(pl.col("measure") == measure, pl.col("method") == method)
    aggressors = set(rows["aggressor"])
    jobs = [job for job in in_plan_order(effects) if job in aggressors]
    cells = value or ("effect" if "effect" in effects.columns else "mean")
    index = [*effects.columns[: effects.columns.index("method")], "victim"]
    wide = rows.select(*index, "aggressor", cells).pivot(on="aggressor", index=index, values=cells)
    return wide.select(*index, *jobs)


def in_plan_order(effects: pl.DataFrame) -> list[str]:
    """Returns the jobs of effects in the order of the plan, so that all matrices have one order.

    A victim's aggressors are in this order without the victim, so no single victim shows it.
    """
    victims = effects.group_by("victim", maintain_order=True).agg(
        pl.col("aggressor").unique(maintain_order=True)
    )
    after: TopologicalSorter[str] = TopologicalSorter()
    for jobs in (victims["victim"].to_list(), *victims["aggressor"].to_list()):
        for job, before in zip(jobs, [None, *jobs], strict=False):
            after.add(job, *([] if before is None else [before]))
    try:
        return list(after.static_order())
    except CycleError:  # cases of a sweep with other orders
        return list(dict.fromkeys([*effects["victim"], *effects["aggressor"]]))


def effect_in_words(row: Mapping[str, Any]) -> str:
    """Returns an effect with its interval as a sentence; it claims nothing if one is inside.

    Args:
        row: a row of `Experiment.effects`: ``method``, ``victim``, ``aggressor``, ``measure``,
            ``mean``, ``low``, ``high``, ``significant``, ``fewest_iterations``,
            ``most_iterations``.
    """
    victim, aggressor = row["victim"], row["aggressor"]
    where = "in the mix" if row["method"] == "leave_one_out" else "as a pair"
    value = f"{MEASURES[row['measure']]} {row['mean']:.2f} times"
    interval = ratios_text(row["low"], row["high"])
    if not row["significant"]:
        known = interval if row["runs"] > 1 else "one seed"
        return (
            f"No effect of {aggressor} on {victim} {where} is shown: {value} ({known}){_over(row)}."
        )
    effect = "slows {} down" if row["mean"] > 1 else "speeds {} up"
    return f"{aggressor} {effect.format(victim)} {where}: {value} ({interval}){_over(row)}."


def slowdown_in_words(row: Mapping[str, Any]) -> str:
    """Returns the slowdown of a job beside others, with its interval, as a sentence.

    Args:
        row: a row of `Experiment.mean_slowdowns` with several runs.
    """
    others = row["beside"][:_NAMED]
    more = len(row["beside"]) - len(others)
    beside = join([*others, f"{more} more"] if more else others)
    value = f"{MEASURES[row['measure']]} {row['mean']:.2f} times"
    known = f"{ratios_text(row['low'], row['high'])}, {row['runs']} seeds"
    text = f"{value} ({known}){_over(row)}."
    if not row["significant"]:
        return f"No effect on {row['name']} beside {beside} is shown: {text}"
    word = "slower" if row["mean"] > 1 else "faster"
    return f"{row['name']} is {word} beside {beside}: {text}"


def _over(row: Mapping[str, Any]) -> str:
    """Returns the number of iterations compared, in words; empty if it is all of the work."""
    fewest, most = row["fewest_iterations"], row["most_iterations"]
    if fewest is None:
        return ""
    least = "" if fewest == most else f"{fewest:,} to "
    return f", over {least}{counted(most, 'iteration')}"


def ratios_text(low: float, high: float, between: str = " to ") -> str:
    """Returns the ends of an interval of ratios with two digits.

    They have four if with two an interval that lies on one side of one would seem to touch it.
    """
    ends = [f"{end:.2f}" for end in (low, high)]
    if "1.00" in ends and (low > 1 or high < 1):
        ends = [f"{end:.4f}" for end in (low, high)]
    return between.join(ends)
