"""What a figure is drawn of: runs and their jobs, with a remedy where a table is missing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from pantala.catalogue.tables import TABLES
from pantala.core.recorded import is_recorded
from pantala.errors import UsageError
from pantala.figures.style import DASHES, colours
from pantala.files.run_directory import TABLES_FILE
from pantala.files.run_files import table_in_archive
from pantala.run_tables.run_like import InterferenceLike, RunLike, job_names, table

if TYPE_CHECKING:
    from typing_extensions import TypeIs

__all__ = [
    "Case",
    "Given",
    "cases",
    "check_jobs",
    "has_windows",
    "is_experiment",
    "parts",
    "recorded",
    "refuse_not_kept",
    "refuse_without_windows",
    "rows_of",
    "runs_of",
]


#: What follows the key that records a table, where it is not ``true``.
_VALUES = {
    "record.packets": ' = "sampled"',
    "record.q_learning": ' = true and routing.algorithm = "q_adaptive"',
    "record.ports": " = {}",
    "record.call_events": " = {}",
    "record.system": '.windows = ["10 us"]',
    "record.routers": '.windows = ["10 us"]',
    "record.blame": '.window = "10 us"',
    "record.blame.groups": " = true",
    "record.blame.links": " = 100",
    "record.call_windows": ' = "10 us"',
    "record.latency_windows": ' = "10 us"',
    "record.routing_windows": ' = "10 us"',
    "record.nic_windows": ' = "10 us"',
}


def recorded(run: RunLike, name: str, setting: str = "") -> pl.LazyFrame:
    """Returns a table that a figure cannot do without.

    Args:
        run: the run.
        name: the table.
        setting: the key with the value that the figure needs; by default the one that is enough for
            a table with rows.

    Raises:
        UsageError: the run did not record it, or its sweep did not keep it; the text names the key
            to set.
    """
    frame = table(run, name)
    if frame is None:
        refuse_not_kept(run, name)
        where = getattr(run, "path", None) or run.document["plan"]["name"]
        if is_recorded(run.document["plan"]["record"], name):
            raise UsageError(
                f"{where}: table {name} was recorded and has no rows; the figure has nothing to"
                " show; name another run"
            )
        switch = TABLES[name].switch
        key = setting or (switch and f"{switch}{_VALUES.get(switch, ' = true')}")
        remedy = f"set {key} and run" if key else "run"
        raise UsageError(
            f"{where}: table {name} has no rows; the figure reads it: {remedy} the scenario again"
        )
    return frame


def has_windows(run: RunLike, key: str) -> bool:
    """Returns whether a record, ``system`` or ``routers``, has windows, not only the whole run."""
    return bool((run.document["plan"]["record"].get(key) or {}).get("windows_ps"))


def refuse_without_windows(run: RunLike, key: str) -> None:
    """Raises an error if a record has the whole run in one row, which shows nothing over time.

    Args:
        run: the run.
        key: the record, ``system`` or ``routers``.

    Raises:
        UsageError: it has no windows.
    """
    if run.document["plan"]["record"].get(key) is not None and not has_windows(run, key):
        where = getattr(run, "path", None) or run.document["plan"]["name"]
        raise UsageError(
            f"{where}: record.{key} has no windows, so nothing over time; set"
            f' record.{key}.windows = ["10 us"] and run the scenario again'
        )


def refuse_not_kept(run: RunLike, name: str) -> None:
    """Raises an error if the run is one of a sweep that did not keep the table.

    Raises:
        UsageError: the sweep did not keep it.
    """
    path = getattr(run, "path", None)
    file = TABLES[name].file
    if path is None or not (path / TABLES_FILE).is_file() or (path / file).is_file():
        return
    if table_in_archive(path / TABLES_FILE, file) is None:
        raise UsageError(
            f"{path}: the sweep did not keep table {name}, which the figure reads; add {name} to"
            " keep (--keep) and give the sweep again"
        )


def rows_of(
    found: Sequence[Case],
    name: str,
    choose: Callable[[pl.LazyFrame], pl.LazyFrame] = lambda rows: rows,
) -> list[tuple[Case, pl.DataFrame]]:
    """Returns each case with its rows of a table by job; cases without rows are left out.

    Args:
        found: the cases.
        name: the table.
        choose: returns the rows of a job that the figure needs; a table may not fit into memory.

    Raises:
        UsageError: no case has rows.
    """
    rows = []
    for case in found:
        frame = table(case.run, name)
        if frame is not None:
            own = choose(frame.filter(pl.col("job") == case.job)).collect(engine="streaming")
            if not own.is_empty():
                rows.append((case, own))
    if not rows and found:
        recorded(found[-1].run, name)
    return rows


@dataclass(frozen=True)
class Case:
    """One job in one run, as a row or a line of a figure."""

    name: str
    job: int
    run: RunLike
    colour: str
    #: "alone" or "together" in a comparison, after the run's title if there are several; a single
    #: run has the title alone, or nothing.
    condition: str
    #: Whether the job ran alone and is compared with a run of several jobs.
    alone: bool = False
    #: The place of the run among several, from 0; runs that share a panel differ in their dashes.
    place: int = 0

    @property
    def label(self) -> str:
        """The job's name, followed by "alone" or "together" in a comparison."""
        return f"{self.name} {self.condition}".strip()

    @property
    def line(self) -> dict[str, Any]:
        """The style of the case's line: colour by job, dashes by run, thin and pale alone."""
        dashes = DASHES[self.place % len(DASHES)]
        if self.alone and not self.place:
            dashes = (0, (4, 1.5))
        return {
            "color": self.colour,
            "lw": 1.2 if self.alone else 1.8,
            "ls": dashes,
            "alpha": 0.9 if self.alone and not self.place else 0.6 if self.alone else 1.0,
        }


#: What a figure is drawn of: one run, or several with their titles.
Given = RunLike | Mapping[str, RunLike | InterferenceLike]


def cases(
    given: Given, alone: Mapping[str, RunLike] | None = None, jobs: Collection[str] = ()
) -> list[Case]:
    """Returns the jobs of one or several runs, each after its own run alone if there is one.

    Args:
        given: the run of all jobs together, the only run, or several runs and experiments by title.
        alone: the run of each job alone, by name; only for one run.
        jobs: only these jobs, with the colours that they have among all; all by default.

    Raises:
        UsageError: no run has one of the jobs.
    """
    found = _every_case(given, alone or {})
    check_jobs(jobs, dict.fromkeys(case.name for case in found))
    return [case for case in found if not jobs or case.name in jobs]


def check_jobs(jobs: Collection[str], known: Collection[str]) -> None:
    """Checks names of jobs.

    Args:
        jobs: the jobs that a figure shall show.
        known: the jobs that there are.

    Raises:
        UsageError: there is no such job; the text names all.
    """
    for job in jobs:
        if job not in known:
            raise UsageError(
                f"--job {job}: the runs have no such job; name one of {', '.join(known)}"
            )


def _every_case(given: Given, alone: Mapping[str, RunLike]) -> list[Case]:
    if not isinstance(given, Mapping):
        return _cases_of("", given, alone, colours(job_names(given).values()), 0)
    several = [
        (title, one.together, one.alone) if is_experiment(one) else (title, one, {})
        for title, one in given.items()
    ]
    names = dict.fromkeys(name for _, run, _ in several for name in job_names(run).values())
    found = [
        case
        for place, (title, run, others) in enumerate(several)
        for case in _cases_of(title, run, others, colours(names), place)
    ]
    return sorted(found, key=lambda case: list(names).index(case.name))


def _cases_of(
    title: str, run: RunLike, alone: Mapping[str, RunLike], colour: Mapping[str, str], place: int
) -> list[Case]:
    found = []
    for job, name in job_names(run).items():
        other = alone.get(name)
        if other is not None:
            number = next(number for number, same in job_names(other).items() if same == name)
            condition = f"{title} alone".strip()
            found.append(Case(name, number, other, colour[name], condition, True, place))
        condition = f"{title} together".strip() if alone else title
        found.append(Case(name, job, run, colour[name], condition, False, place))
    # The jobs that an experiment is about come first: those with a run alone.
    return sorted(found, key=lambda case: bool(alone) and case.name not in alone)


def parts(given: Given, alone: Mapping[str, RunLike] | None = None) -> dict[str, RunLike]:
    """Returns every run by title: each job alone, then the run of all jobs.

    Args:
        given: the run of all jobs together, the only run, or several runs and experiments by title.
        alone: the run of each job alone, by name; only for one run.
    """
    if not isinstance(given, Mapping):
        single = {f"{name} alone": run for name, run in (alone or {}).items()}
        return {**single, "together" if alone else str(given.document["plan"]["name"]): given}
    found: dict[str, RunLike] = {}
    for title, one in given.items():
        if is_experiment(one):
            found |= {f"{title}: {name} alone": run for name, run in one.alone.items()}
            found[f"{title}: together"] = one.together
        else:
            found[title] = one
    return found


def runs_of(given: Given) -> dict[str, RunLike]:
    """Returns one run per title: of an experiment, the run of all jobs together."""
    if not isinstance(given, Mapping):
        return {str(given.document["plan"]["name"]): given}
    return {title: one.together if is_experiment(one) else one for title, one in given.items()}


def is_experiment(one: RunLike | InterferenceLike) -> TypeIs[InterferenceLike]:
    """Returns whether the object is an interference experiment, not a run."""
    return hasattr(one, "together")
