"""Comparing runs and experiments: subjects, their cases and jobs, and the rows of a comparison."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from pantala.analysis.statistics import Method
from pantala.comparison.caveats import caveats_of_subjects
from pantala.comparison.comparison import HEADLINES, Comparison, Row
from pantala.comparison.differences import Value, difference_of
from pantala.comparison.left_out import LeftOut, runs_left_out, unmatched
from pantala.comparison.plans import plan_changes
from pantala.comparison.subject import SEED, Subject, open_subject, split_subject
from pantala.comparison.values import SLOWDOWNS, check_metrics, metric_names, values_of
from pantala.errors import UsageError, nearest
from pantala.experiments.axis_values import axis_value
from pantala.experiments.drawn_jobs import drawn_in_words, without_drawn
from pantala.runs.parts import TOGETHER
from pantala.text.amounts import counted

__all__ = ["compare"]

#: Cases and parts of which all metrics are compared; of more, only the main ones.
_MANY_CASES = 1000
#: Cases whose plans are compared: of more, these many at equal distances.
_MOST_PLANS = 100


def compare(
    paths: Mapping[str, str | Path],
    *,
    by: str | None = None,
    base: str | None = None,
    where: Mapping[str, str] | None = None,
    jobs: Sequence[str] = (),
    metrics: Sequence[str] = (),
    truncated: bool = False,
    confidence: float = 0.95,
    method: Method = "student",
) -> Comparison:
    """Compares runs and experiments with the first of them.

    Example::

        found = pt.compare({"ugal": "runs/with-ugal", "par": "runs/with-par"})
        for row in found.rows:
            print(row.job, row.metric, row.words)

    Cases are matched by the values of the axes that all subjects have, runs by their seeds.

    Args:
        paths: the directories by title, in order.
        by: an axis of the only directory: its values are compared instead of directories.
        base: the value of that axis, as text, that the others are compared with; the first if None.
        where: the value of an axis, as text; only these cases are compared.
        jobs: only these jobs.
        metrics: only these metrics.
        truncated: whether to compare values of runs and jobs that did not end. Without it, they
            are left out and named.
        confidence: the probability that an interval covers the true difference.
        method: student or bootstrap; see `pantala.analysis.statistics`.

    Raises:
        RunDirectoryError: a directory holds no run, is damaged, or is of another version.
        UsageError: there is only one subject, the jobs differ, no case is common, or an argument
            is wrong.
    """
    _check(metrics, confidence)
    if not isinstance(paths, Mapping):
        raise UsageError(
            f"compare: {paths!r} is not a table of directories by title; write e.g."
            " {'ugal': 'runs/ugal', 'par': 'runs/par'}"
        )
    if not paths:
        raise UsageError("there is no directory to compare; name two")
    subjects = [open_subject(title, Path(path)).where(where or {}) for title, path in paths.items()]
    _check_where(where or {}, subjects)
    if by is not None:
        if len(subjects) > 1:
            raise UsageError(f"--by {by}: compares the cases of one experiment; name one directory")
        subjects = _with_base(split_subject(subjects[0], by), by, base)
    elif base is not None:
        raise UsageError(f"--base {base}: is a value of an axis; add --by AXIS")
    if len(subjects) < 2:
        first = subjects[0]
        hint = f" or --by AXIS (one of {', '.join(first.axes)})" if first.axes else ""
        raise UsageError(f"{first.path}: one alone has no difference; add another directory{hint}")
    axes = _common_axes(subjects)
    left_out = [each for subject in subjects for each in runs_left_out(subject, axes, truncated)]
    frames = []
    parts = max(subject.runs.select(*axes, "part").n_unique() for subject in subjects)
    many = parts > _MANY_CASES and not metrics
    for subject in subjects:
        wanted = HEADLINES if many else metrics
        values = values_of(subject, wanted).with_columns(
            pl.concat_list(pl.lit(""), *axes).alias("case")
        )
        frames.append(values)
    if by is not None:
        subjects, frames, lacking = _with_jobs(subjects, frames, jobs)
        left_out += lacking
    _check_jobs(subjects, frames, jobs)
    drawn = pl.concat([each.drawn.select("part", "name") for each in subjects]).unique()
    chosen = [
        without_drawn(_chosen(frame, jobs, metrics).lazy(), drawn, "job").collect()
        for frame in frames
    ]
    left_out += _drawn_left_out(subjects)
    for subject, frame in zip(subjects, chosen, strict=True):
        if not truncated:
            left_out += _partial_jobs(subject, frame)
    if not truncated:
        chosen = [frame.filter("whole") for frame in chosen]
    left_out += unmatched(subjects, chosen)
    rows = tuple(_rows(subjects, chosen, confidence, method))
    if not rows:
        raise UsageError(f"nothing to compare: {_why_nothing(left_out, metrics)}")
    plans = plan_changes(_plans(subjects, axes))
    cases = max(subject.runs.select(*axes).n_unique() if axes else 1 for subject in subjects)
    note = (
        f"Of {counted(cases, 'case')}, only the main metrics are compared;"
        " --metric NAME compares others."
    )
    return Comparison(
        tuple(subjects),
        axes,
        tuple(plans),
        rows,
        tuple(left_out),
        confidence,
        method,
        note if many else "",
        tuple(caveats_of_subjects(subjects)),
        tuple(chosen),
    )


def _with_base(subjects: list[Subject], by: str, base: str | None) -> list[Subject]:
    """Returns subjects with the base first."""
    if base is None:
        return subjects
    titles = [subject.title for subject in subjects]
    meant = axis_value(base, titles)
    if meant is None:
        raise UsageError(
            f"--base {base}: {by} has no such value; choose one of {', '.join(titles)}"
        )
    return sorted(subjects, key=lambda subject: subject.title != meant)


def _check(metrics: Sequence[str], confidence: float) -> None:
    if not 0 < confidence < 1:
        raise UsageError(
            f"confidence = {confidence}: is not between 0 and 1; the usual one is 0.95"
        )
    check_metrics(metrics)


def _why_nothing(left_out: Sequence[LeftOut], metrics: Sequence[str]) -> str:
    if not left_out:
        names = ", ".join(metrics)
        return f"no common job has the metric {names}; `pantala metrics` explains it"
    if any(each.state == "truncated" for each in left_out):
        return f"{left_out[0].text}; --truncated compares such values"
    return f"{left_out[0].text}; name other runs"


def _check_where(where: Mapping[str, str], subjects: Sequence[Subject]) -> None:
    known = list(dict.fromkeys(axis for subject in subjects for axis in subject.axes))
    for axis in where:
        if axis not in known:
            close = nearest(axis, known)
            listed = ", ".join(known) or "none"
            hint = f"did you mean '{close}'?" if close else f"the axes are: {listed}"
            raise UsageError(f"--where {axis}: there is no such axis; {hint}")


def _common_axes(subjects: Sequence[Subject]) -> tuple[str, ...]:
    """Returns the axes that all subjects have.

    Raises:
        UsageError: a subject has several values of another axis.
    """
    common = tuple(axis for axis in subjects[0].axes if all(axis in each.axes for each in subjects))
    for subject in subjects:
        for axis in subject.axes:
            values = subject.runs[axis].unique(maintain_order=True).to_list()
            if axis not in common and len(values) > 1:
                lacking = next(each for each in subjects if axis not in each.axes)
                raise UsageError(
                    f"{subject.title} has the axis {axis} with {len(values)} values, and"
                    f" {lacking.title} has no such axis; choose one value, e.g. --where"
                    f" {axis}={values[0]}"
                )
    return common


def _with_jobs(
    subjects: Sequence[Subject], frames: Sequence[pl.DataFrame], jobs: Sequence[str]
) -> tuple[list[Subject], list[pl.DataFrame], list[LeftOut]]:
    """Returns the cases of an experiment that have the jobs, their values, and those left out.

    If fewer than two have them, all cases are returned: none can be compared.
    """
    whole, lacking = [], []
    for subject, frame in zip(subjects, frames, strict=True):
        lack = [name for name in jobs if name not in frame["job"]]
        if lack:
            reason = "this case has no such job"
            lacking += [
                LeftOut(subject.title, (), None, None, name, "missing", reason) for name in lack
            ]
        else:
            whole.append((subject, frame))
    if len(whole) < 2:
        return list(subjects), list(frames), []
    return [subject for subject, _ in whole], [frame for _, frame in whole], lacking


def _check_jobs(
    subjects: Sequence[Subject], frames: Sequence[pl.DataFrame], jobs: Sequence[str]
) -> None:
    """Checks that the subjects have equal sets of jobs in the cases and parts that they share."""
    sets = []
    for frame in frames:
        rows = frame.filter(pl.col("job") != "").select("case", "part", "job").unique()
        found: dict[tuple[Any, ...], set[str]] = {}
        for case, part, job in rows.iter_rows():
            found.setdefault((*case, part), set()).add(job)
        sets.append(found)
    for subject, found in zip(subjects, sets, strict=True):
        for name in jobs:
            known = sorted({job for each in found.values() for job in each})
            if found and name not in known:
                close = nearest(name, known)
                hint = f"did you mean '{close}'?" if close else f"its jobs are {', '.join(known)}"
                raise UsageError(f"{subject.title}: --job {name}: has no such job; {hint}")
        for key, names in sets[0].items():
            if not jobs and key in found and found[key] != names:
                one, other = (", ".join(sorted(each)) for each in (names, found[key]))
                both = sorted(names & found[key])
                hint = f"--job {both[0]} compares one job" if both else "name runs of equal jobs"
                raise UsageError(
                    f"the jobs differ: {subjects[0].title} has {one}, and {subject.title} has"
                    f" {other}; {hint}"
                )


def _chosen(frame: pl.DataFrame, jobs: Sequence[str], metrics: Sequence[str]) -> pl.DataFrame:
    if jobs:
        frame = frame.filter(pl.col("job").is_in(list(jobs)))
    return frame.filter(pl.col("metric").is_in(list(metrics))) if metrics else frame


def _drawn_left_out(subjects: Sequence[Subject]) -> Iterator[LeftOut]:
    """Yields a line about the jobs that are drawn per seed; equal ones of several subjects once."""
    found = {drawn_in_words(subject.drawn): subject for subject in reversed(subjects)}
    for sentence, subject in reversed(found.items()):
        if sentence:
            reason = sentence.removesuffix(".")
            yield LeftOut(subject.title, (), None, None, "", "drawn", reason)


def _partial_jobs(subject: Subject, frame: pl.DataFrame) -> Iterator[LeftOut]:
    """Yields the jobs that did not end, and those compared over a part of their work."""
    rows = frame.filter(~pl.col("whole"), pl.col("job") != "")
    slowed = pl.col("metric").is_in(SLOWDOWNS).all().alias("slowed")
    keys = rows.group_by("case", "part", SEED, "job", maintain_order=True).agg(slowed)
    cut_off = {job for each in subject.facts.values() for job in each.unfinished}
    cut = pl.col("job").is_in([*cut_off]) | pl.col("slowed")
    for case, part, seed, job, only_slowed in keys.filter(cut).iter_rows():
        reason = (
            "its slowdown covers only the work that it finished both alone and together"
            if only_slowed
            else "the job did not end"
        )
        yield LeftOut(subject.title, tuple(case[1:]), part, seed, job, "truncated", reason)
    for job in keys.filter(~cut)["job"].unique(maintain_order=True):
        reason = "it lasts as long as its run; its times and bytes are not compared"
        yield LeftOut(subject.title, (), None, None, job, "endless", reason)


def _rows(
    subjects: Sequence[Subject],
    frames: Sequence[pl.DataFrame],
    confidence: float,
    method: Method,
) -> Iterator[Row]:
    keys = ["case", "part", "job", "metric"]
    samples = [
        _Samples(frame.group_by(keys, maintain_order=True).agg(SEED, "value", "result", "whole"))
        for frame in frames
    ]
    order = {name: number for number, name in enumerate(metric_names())}
    first = sorted(
        samples[0].places, key=lambda key: (key[1] != TOGETHER, order.get(key[3], len(order)))
    )
    for key in first:
        case, part, job, metric = key
        base, cut = samples[0].sample(key)
        for subject, found in zip(subjects[1:], samples[1:], strict=True):
            if key in found.places:
                other, other_cut = found.sample(key)
                difference = difference_of(metric, base, other, confidence, method)
                yield Row(case[1:], part, job, subject.title, difference, cut or other_cut)


class _Samples:
    """The values of each metric by seed: objects of one metric at a time, as runs may be many."""

    def __init__(self, rows: pl.DataFrame) -> None:
        self._rows = rows
        keys = rows.select("case", "part", "job", "metric").iter_rows()
        #: The row of each case, part, job and metric.
        self.places = {
            (tuple(case), part, job, metric): place
            for place, (case, part, job, metric) in enumerate(keys)
        }

    def sample(self, key: tuple[tuple[str, ...], str, str, str]) -> tuple[dict[Any, Value], bool]:
        """Returns the values by seed, and whether one does not cover all of its work."""
        *_, seeds, values, results, whole = self._rows.row(self.places[key])
        found = dict(zip(seeds, map(Value, values, results), strict=True))
        return found, not all(whole)


def _plans(
    subjects: Sequence[Subject], axes: Sequence[str]
) -> Iterator[list[Mapping[str, Any] | None]]:
    """Yields, for each case of the base that another subject has, one plan of each subject.

    The plans are of a common seed if there is one. A subject without a run of the case has None.
    """
    keys = [pl.concat_list(pl.lit(""), *axes).alias("case"), "part", SEED, "run"]
    found: list[dict[tuple[str, ...], dict[tuple[str, int | None], str]]] = []
    for subject in subjects:
        cases: dict[tuple[str, ...], dict[tuple[str, int | None], str]] = {}
        for case, part, seed, run in subject.there().select(keys).iter_rows():
            cases.setdefault(tuple(case), {})[part, seed] = run
        found.append(cases)
    common = [case for case in found[0] if any(case in cases for cases in found[1:])]
    step = max(1, math.ceil(len(common) / _MOST_PLANS))
    for case in common[::step]:
        runs = [cases.get(case) for cases in found]
        shared = [key for key in found[0][case] if all(not each or key in each for each in runs)]
        shared.sort(key=lambda key: key[0] != TOGETHER)
        yield [
            subject.run(each[shared[0] if shared else next(iter(each))]).plan if each else None
            for subject, each in zip(subjects, runs, strict=True)
        ]
