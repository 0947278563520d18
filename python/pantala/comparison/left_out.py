"""What a comparison leaves out: runs that failed, did not end, or have no partner."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from pantala.comparison.subject import SEED, Subject
from pantala.runs.parts import TOGETHER

__all__ = ["LeftOut", "runs_left_out", "unmatched"]


@dataclass(frozen=True)
class LeftOut:
    """A run, or a job of a run, whose values are not compared.

    Attributes:
        title: the title of the subject.
        case: the values of the common axes. part, seed: of the run; None if all are meant.
        job: the job; empty for the whole run.
        state: failed, missing, refused, truncated, endless (a job without an end of its own), drawn
            (jobs that are other jobs under other seeds), or unmatched.
        reason: why.
    """

    title: str
    case: tuple[str, ...]
    part: str | None
    seed: int | None
    job: str
    state: str
    reason: str

    @property
    def text(self) -> str:
        """The sentence that names it."""
        place = ", ".join(
            [
                *self.case,
                *([self.part] if self.part not in (None, TOGETHER) else []),
                *([f"seed {self.seed}"] if self.seed is not None else []),
                *([f"job {self.job}"] if self.job else []),
            ]
        )
        where = f" ({place})" if place else ""
        return f"{self.title}{where}: {self.state}: {self.reason}"

    def document(self) -> dict[str, Any]:
        """Returns it as JSON."""
        return {
            "title": self.title,
            "case": list(self.case),
            "part": self.part,
            "seed": self.seed,
            "job": self.job or None,
            "state": self.state,
            "reason": self.reason,
        }


def runs_left_out(subject: Subject, axes: Sequence[str], truncated: bool) -> Iterator[LeftOut]:
    """Yields the runs of a subject that failed, are missing, or did not end.

    Args:
        subject: the subject.
        axes: the common axes.
        truncated: whether values of runs that did not end are compared all the same.
    """
    compared = "its values are compared all the same" if truncated else "only jobs that ended count"
    rows = subject.runs.filter(pl.col("state") != "done")
    for row in rows.iter_rows(named=True):
        case = tuple(row[axis] for axis in axes)
        reason = row["reason"]
        if row["state"] == "truncated":
            reason += f"; {compared}"
        yield LeftOut(subject.title, case, row["part"], row[SEED], "", row["state"], reason)


def unmatched(subjects: Sequence[Subject], frames: Sequence[pl.DataFrame]) -> list[LeftOut]:
    """Returns the cases, parts and seeds with values that another subject has no values for.

    Args:
        subjects: the subjects; the first is the base.
        frames: the values of each, with the column ``case``.
    """
    found: list[LeftOut] = []
    places: list[dict[tuple[tuple[str, ...], str], list[int | None]]] = []
    for frame in frames:
        rows = frame.group_by("case", "part", maintain_order=True).agg(pl.col(SEED).unique())
        places.append({(tuple(case[1:]), part): seeds for case, part, seeds in rows.iter_rows()})
    for number in range(1, len(subjects)):
        for mine, yours in ((0, number), (number, 0)):
            text = subjects[mine].title
            lacking = subjects[yours].title
            for (case, part), seeds in places[mine].items():
                partner = places[yours].get((case, part))
                if partner is None:
                    reason = f"{lacking} has no values of this case"
                    found.append(LeftOut(text, case, part, None, "", "unmatched", reason))
                    continue
                shared = set(seeds) & set(partner)
                others = set(seeds) - shared if shared else ()
                for seed in sorted(others, key=lambda each: each or 0):
                    reason = f"{lacking} has no values of this seed"
                    found.append(LeftOut(text, case, part, seed, "", "unmatched", reason))
    return list(dict.fromkeys(found))
