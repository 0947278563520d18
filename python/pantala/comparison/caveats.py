"""The caveats of the runs of one or several subjects."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from pantala.caveats import Absent, Caveat, Facts, caveats_of
from pantala.comparison.subject import SEED, Subject

__all__ = ["caveats_of_subjects"]


def caveats_of_subjects(subjects: Sequence[Subject]) -> list[Caveat]:
    """Returns what makes the results of subjects approximate, partial, or single samples.

    Args:
        subjects: the subjects whose runs are shown; several ones are named in the sentences.
    """
    facts: dict[str, Facts] = {}
    groups: list[list[str]] = []
    states: dict[str, int] = {}
    cases = 0
    for subject in subjects:
        names = _names(subject, several=len(subjects) > 1)
        facts |= {names[run]: each for run, each in subject.facts.items()}
        by_case = subject.runs.group_by([*subject.axes, "part"], maintain_order=True)
        for found in by_case.agg("run")["run"]:
            groups.append([names[run] for run in found.drop_nulls()])
        for row in subject.runs.unique(["run", *subject.axes, SEED, "part"]).iter_rows(named=True):
            states[row["state"]] = states.get(row["state"], 0) + 1
        cases += subject.runs.unique([*subject.axes, SEED]).height
    absent = Absent(
        failed=states.get("failed", 0),
        missing=states.get("missing", 0) + states.get("running", 0),
        refused=states.get("refused", 0),
        runs=sum(states.values()) - states.get("refused", 0),
        cases=cases,
    )
    return caveats_of(facts, seeds=groups, absent=absent)


def _names(subject: Subject, *, several: bool) -> dict[str, str]:
    """Returns how a sentence names each run of a subject."""
    names = {}
    columns = [*subject.axes, SEED, "part"]
    varied = [name for name in columns if subject.runs[name].n_unique() > 1]
    there = subject.runs.filter(pl.col("run").is_not_null())
    for row in there.unique("run", keep="first", maintain_order=True).iter_rows(named=True):
        sentences = [f"{'seed ' * (name == SEED)}{row[name]}" for name in varied]
        names[row["run"]] = " ".join([*[subject.title] * several, *sentences]) or subject.title
    return names
