"""What was varied to find out why a claim does not hold.

An experiment with ``varies = "NAME"`` in study.toml has the axes of the experiment NAME, with all
or some of their values, and an axis ``variation``. For each variation, the measures of the claims
are computed as if its runs were those of NAME. If several experiments have one variation of NAME,
their runs are taken together.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from pantala.errors import UsageError
from pantala.runs.parts import TOGETHER
from pantala.studies.claim import Bounds
from pantala.studies.judgement import Judgement, Verdict

if TYPE_CHECKING:
    from pantala.experiments.description import Description
    from pantala.experiments.experiment import Experiment
    from pantala.studies.definition import StudyDefinition

__all__ = [
    "AXIS",
    "Variation",
    "VariedExperiment",
    "VariedMeasure",
    "check_variations",
    "measured",
    "open_claims",
    "variation_names",
    "varied_measures",
]

#: The axis that an experiment with ``varies`` has besides those of the other.
AXIS = "variation"
_NEEDS = f'give it an axis with name = "{AXIS}" and cases'


@dataclass(frozen=True)
class Variation:
    """One variation of an experiment, and what became of the claims.

    Attributes:
        experiment: the experiment that is varied.
        name: the value of the axis ``variation``.
        runs: the number of its finished runs.
        judgements: the claims whose measures its runs give.
    """

    experiment: str
    name: str
    runs: int
    judgements: tuple[Judgement, ...]


class VariedExperiment:
    """The runs of one variation, as the results of the experiment that it varies.

    Args:
        experiments: those that have the variation.
        value: the variation.
    """

    def __init__(self, experiments: Sequence[Experiment], value: str) -> None:
        self._experiments = experiments
        self._only = pl.col(AXIS) == value

    @property
    def runs(self) -> pl.DataFrame:
        """As `Experiment.runs`, without the axis."""
        return self._joined(each.runs for each in self._experiments)

    def slowdowns(self) -> pl.DataFrame:
        """As `Experiment.slowdowns`, without the axis."""
        return self._joined(each.slowdowns() for each in self._experiments)

    def throughputs(self) -> pl.DataFrame:
        """As `Experiment.throughputs`, without the axis."""
        return self._joined(each.throughputs() for each in self._experiments)

    def table(self, name: str) -> pl.LazyFrame:
        """As `Experiment.table`, without the axis; runs without parts are those of all jobs."""
        found = []
        for each in self._experiments:
            rows = each.table(name).filter(self._only).drop(AXIS)
            parted = TOGETHER in each.cases["part"]
            found.append(rows if parted else rows.with_columns(part=pl.lit(TOGETHER)))
        return pl.concat(found, how="diagonal")

    def _joined(self, frames: Iterable[pl.DataFrame]) -> pl.DataFrame:
        """Returns the rows of the variation; those of experiments without rows have no axis."""
        found = list(frames)
        whole = [each.filter(self._only).drop(AXIS) for each in found if not each.is_empty()]
        return pl.concat(whole, how="diagonal") if whole else found[0]


def variation_names(description: Description) -> list[str]:
    """Returns the values of the axis ``variation``."""
    axis = next(each for each in description.axes if AXIS in each.columns)
    return [str(point.shown[AXIS]) for point in axis.points]


def check_variations(study: StudyDefinition, descriptions: Mapping[str, Description]) -> None:
    """Checks the experiments that vary others.

    Args:
        study: the study.
        descriptions: all its experiments.

    Raises:
        UsageError: one varies an experiment that there is not, lacks the axis ``variation``, or has
            other axes, or lacks a table.
    """
    for name, part in study.file.experiments.items():
        if part.varies is None:
            continue
        where = f"study {study.name}: experiments.{name}.varies = '{part.varies}'"
        base, own = descriptions.get(part.varies), descriptions[name]
        if base is None or study.file.experiments[part.varies].varies is not None:
            raise UsageError(f"{where}: there is no such experiment with claims; correct the name")
        if AXIS not in own.columns:
            raise UsageError(f"{where}: has no axis {AXIS}; {_NEEDS}")
        differ = set(own.columns) - {AXIS, "seed"} ^ set(base.columns) - {"seed"}
        if differ:
            raise UsageError(
                f"{where}: only one of both has the axis {min(differ)}; give both the same axes"
            )
        if lacking := set(base.keep) - set(own.keep):
            raise UsageError(
                f"{where}: does not keep table {min(lacking)}; add it to the experiment's keep"
            )


def measured(judgements: list[Judgement]) -> tuple[Judgement, ...]:
    """Returns the judgements that have numbers of runs."""
    without = (Verdict.NOT_RUN, Verdict.NO_VALUE, Verdict.TEST, Verdict.UNJUDGED)
    return tuple(each for each in judgements if each.verdict not in without)


@dataclass(frozen=True)
class VariedMeasure:
    """A measure of a claim in the variations of an experiment.

    Attributes:
        claim: the claim's name.
        measure: the measure's name.
        bounds: the bounds of the claim's rule.
        values: by variation the mean over seeds, and where it lies: `judgement.Measured.place`.
    """

    claim: str
    measure: str
    bounds: Bounds
    values: Mapping[str, tuple[float, str]]


def open_claims(found: Iterable[Judgement]) -> set[str]:
    """Returns the names of the claims that do not hold: those that variations are about."""
    without = (
        Verdict.HOLDS,
        Verdict.NOT_RUN,
        Verdict.NO_VALUE,
        Verdict.TEST,
        Verdict.UNJUDGED,
    )
    return {
        each.claim.id
        for each in found
        if each.verdict not in without
        and any(measure.place in ("outside", "astride") for measure in each.measured)
    }


def varied_measures(
    variations: Iterable[Variation], claims: Collection[str]
) -> dict[str, list[VariedMeasure]]:
    """Returns for each varied experiment the measures of some claims, by variation.

    Measures without bounds are left out.
    """
    values: dict[str, dict[tuple[str, str], dict[str, tuple[float, str]]]] = {}
    bounds: dict[tuple[str, str], Bounds] = {}
    for variation in variations:
        of_experiment = values.setdefault(variation.experiment, {})
        for judged in variation.judgements:
            for each in judged.measured:
                if judged.claim.id in claims and each.bounds is not None:
                    key = judged.claim.id, each.name
                    bounds[key] = each.bounds
                    of_experiment.setdefault(key, {})[variation.name] = (
                        each.interval.mean,
                        each.place,
                    )
    return {
        experiment: [VariedMeasure(*key, bounds[key], found) for key, found in of_keys.items()]
        for experiment, of_keys in values.items()
    }
