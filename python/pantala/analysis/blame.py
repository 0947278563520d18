"""Who caused the waiting times: the table `blame` as matrices, shares and words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

__all__ = ["Blame", "Cause", "blame_of", "cause_in_words", "cause_of"]

#: The part on links of one class from which no other class is named.
_MOST = 2 / 3
#: The part from which it is all.
_ALL = 0.995
#: A ratio that is as close to one as this counts as unchanged.
_UNCHANGED = 0.05


@dataclass(frozen=True)
class Blame:
    """The waiting times of jobs, by the job that causes them.

    Attributes:
        jobs: the names of the jobs, in the order of rows and columns.
        wait_ns: one row per waiting job, one column per causing job: waiting time in ns, summed
            over packets, windows and the classes of ``by_class``.
        by_class: the same matrix for each link class with waiting time.
        windows: the rows of the table, summed over classes: ``window_start_ns``, ``victim``,
            ``aggressor``, ``class`` and ``wait_ns``, in order of time.
        window_ns: the length of a window; None if it is not known.
        end_ns: the end of the run; infinite if it is not known.
    """

    jobs: tuple[str, ...]
    wait_ns: tuple[tuple[float, ...], ...]
    by_class: dict[str, tuple[tuple[float, ...], ...]]
    windows: pl.DataFrame
    window_ns: float | None = None
    end_ns: float = math.inf

    def total_ns(self, victim: int) -> float:
        """Returns the total waiting time of a job in ns."""
        return sum(self.wait_ns[victim])

    def share(self, victim: int, aggressor: int) -> float | None:
        """Returns the fraction of a job's waiting time that another job causes.

        Null if the job has not waited.
        """
        total = self.total_ns(victim)
        return self.wait_ns[victim][aggressor] / total if total > 0 else None

    def main_aggressor(self, victim: int) -> int | None:
        """Returns the other job that causes most of a job's waiting time, if any does."""
        others = [
            (wait, -job)
            for job, wait in enumerate(self.wait_ns[victim])
            if job != victim and wait > 0
        ]
        return -max(others)[1] if others else None


def blame_of(
    table: pl.DataFrame,
    jobs: Sequence[str],
    *,
    window_ns: float | None = None,
    end_ns: float = math.inf,
) -> Blame:
    """Returns the matrices of a run's waiting times.

    Args:
        table: the table ``blame`` of a run, such as ``run.blame.collect()``.
        jobs: the names of the jobs by their numbers in the plan.
        window_ns: the length of a window: `record.blame.window_ps` of the plan over 1000. Without
            it, no cause has a time.
        end_ns: the end of the run, `simulated_ns`.

    Returns:
        The waiting times by victim and aggressor, in total, by class and by window.
    """
    rows = (
        table.group_by("window_start_ns", "class", "victim", "aggressor")
        .agg(pl.col("wait_ns").sum())
        .sort("window_start_ns", "class", "victim", "aggressor")
    )
    classes = rows["class"].unique(maintain_order=True).sort().to_list()
    return Blame(
        jobs=tuple(jobs),
        wait_ns=_matrix(rows, len(jobs)),
        by_class={
            name: _matrix(rows.filter(pl.col("class") == name), len(jobs)) for name in classes
        },
        windows=rows,
        window_ns=window_ns,
        end_ns=end_ns,
    )


def _matrix(rows: pl.DataFrame, jobs: int) -> tuple[tuple[float, ...], ...]:
    sums = rows.group_by("victim", "aggressor").agg(pl.col("wait_ns").sum())
    cells = {(victim, aggressor): wait for victim, aggressor, wait in sums.iter_rows()}
    return tuple(
        tuple(cells.get((row, column), 0.0) for column in range(jobs)) for row in range(jobs)
    )


@dataclass(frozen=True)
class Cause:
    """Where and when most of a job's waiting because of another job lies.

    Attributes:
        aggressor: the number of the other job with the largest share of the waiting time.
        share: its share of the job's waiting time.
        places: the link class that holds most of that share, and the part of the share on its
            links; and the class after it, if the first holds less than two thirds.
        span_ns: start and end of the shortest span of windows that holds half of the waiting time
            of this pair on links of these classes, up to the end of the run; None if the run has
            one window, or if the length of a window is not known.
        spanned: the part of that waiting time that lies in the span.
    """

    aggressor: int
    share: float
    places: tuple[tuple[str, float], ...]
    span_ns: tuple[float, float] | None
    spanned: float


def cause_of(blame: Blame, victim: int) -> Cause | None:
    """Returns the cause of a job's waiting time; None if no other job causes any of it."""
    aggressor = blame.main_aggressor(victim)
    if aggressor is None:
        return None
    cells = blame.windows.filter((pl.col("victim") == victim) & (pl.col("aggressor") == aggressor))
    by_class = cells.group_by("class").agg(pl.col("wait_ns").sum())
    ordered = by_class.sort(["wait_ns", "class"], descending=[True, False])
    total = blame.wait_ns[victim][aggressor]
    places = [(place, held / total) for place, held in ordered.iter_rows() if held > 0]
    places = places[: 1 if places[0][1] >= _MOST else 2]
    named = cells.filter(pl.col("class").is_in([place for place, _ in places]))
    span, spanned = _span(named, blame)
    return Cause(aggressor, blame.share(victim, aggressor) or 0.0, tuple(places), span, spanned)


def cause_in_words(
    blame: Blame, victim: int, *, slowdown: float | None = None, metric: str = "p99"
) -> str:
    """Returns the cause of a job's waiting time as a sentence.

    The sentence has the values of `cause_of`. For example: "fft3d's p99 rose to 4.7 times its
    value alone; 81 % of its waiting is charged to halo3d, most of it on global links, 58 % of that
    between 0.3 and 0.6 ms."

    Args:
        blame: the waiting times, from `blame_of`.
        victim: the number of the job.
        slowdown: the job's metric together with the other jobs, divided by its metric alone.
            Without it the sentence starts with the share.
        metric: the name of that metric.
    """
    name = blame.jobs[victim]
    risen = "" if slowdown is None else f"{name}'s {metric} {_change(slowdown)}; "
    whose = f"{name}'s" if slowdown is None else "its"
    if blame.total_ns(victim) == 0:
        return f"{risen}{name} does not wait."
    cause = cause_of(blame, victim)
    if cause is None:
        return f"{risen}{_begun('all', risen)} of {whose} waiting is charged to {name} itself."
    return (
        f"{risen}{_begun(_percent(cause.share), risen)} of {whose} waiting is charged to"
        f" {blame.jobs[cause.aggressor]}, {_where(cause.places)} links{_when(cause, blame)}."
    )


def _begun(text: str, before: str) -> str:
    """Returns a text as it stands behind another one, or at the begin of a sentence."""
    return text if before else f"{text[0].upper()}{text[1:]}"


def _percent(share: float) -> str:
    if share >= _ALL:
        return "all"
    return "less than 1 %" if share < 0.01 else f"{share * 100:.0f} %"


def _where(places: Sequence[tuple[str, float]]) -> str:
    (first, held), *others = places
    if others:
        (second, rest), *_ = others
        return f"{_percent(held)} of it on {first} and {_percent(rest)} on {second}"
    return f"{'all' if held >= _ALL else 'most'} of it on {first}"


def _change(slowdown: float) -> str:
    times = f"{slowdown:.2f}" if slowdown < 2 else f"{slowdown:.1f}"
    ratio = float(times)
    if abs(ratio - 1) <= _UNCHANGED + 1e-9:
        return f"is unchanged ({times} times, within {100 * _UNCHANGED:g} %)"
    return f"{'rose' if ratio > 1 else 'fell'} to {times} times its value alone"


def _span(cells: pl.DataFrame, blame: Blame) -> tuple[tuple[float, float] | None, float]:
    """Returns the shortest span of windows that holds half of the waiting time, and its part.

    The span is in ns; None as in `Cause`.
    """
    if blame.window_ns is None or blame.window_ns >= blame.end_ns:
        return None, 1.0
    found = cells.group_by("window_start_ns").agg(pl.col("wait_ns").sum()).sort("window_start_ns")
    times, waits = found["window_start_ns"].to_list(), found["wait_ns"].to_list()
    half, held, first = sum(waits) / 2, 0.0, 0
    best = (float("inf"), 0.0, 0.0, 0.0)
    for last, wait in enumerate(waits):
        held += wait
        while held - waits[first] >= half:
            held -= waits[first]
            first += 1
        if held >= half:
            end = min(times[last] + blame.window_ns, blame.end_ns)
            best = min(best, (times[last] - times[first], times[first], end, held))
    return best[1:3], best[3] / (2 * half)


def _when(cause: Cause, blame: Blame) -> str:
    """Returns the span in words, with the digits that tell windows apart."""
    if cause.span_ns is None or blame.window_ns is None:
        return ""
    start, end = cause.span_ns
    unit, scale = ("ms", 1e6) if end >= 1e5 else ("\N{MICRO SIGN}s", 1e3)
    digits = max(0, math.ceil(2 - math.log10(blame.window_ns / scale)))
    # The end of the run may lie between windows; no time after it is named.
    last = math.floor(end / scale * 10**digits + 1e-6) / 10**digits
    return f", {_percent(cause.spanned)} of that between {_number(start / scale, digits)} and" + (
        f" {_number(last, digits)} {unit}"
    )


def _number(value: float, digits: int) -> str:
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if digits else text
