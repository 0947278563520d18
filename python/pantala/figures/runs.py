"""The attributes of a run that figures read; a table that was not recorded may be missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import polars as pl

from pantala.catalogue.tables import TABLES
from pantala.errors import UsageError
from pantala.figures.style import DASHES, colours
from pantala.job_end import ends_by_itself
from pantala.run_directory import TABLES_FILE
from pantala.run_files import table_in_archive

if TYPE_CHECKING:
    from typing_extensions import TypeIs

__all__ = [
    "Case",
    "Given",
    "InterferenceLike",
    "RunLike",
    "cases",
    "is_endless",
    "is_experiment",
    "job_names",
    "job_row",
    "link_window_ns",
    "parts",
    "recorded",
    "refuse_not_kept",
    "rows_of",
    "runs_of",
    "stop_ns",
    "table",
]


class RunLike(Protocol):
    """One run: ``document`` is run.json, and every table is a lazy frame.

    `pantala.catalogue.tables` describes the tables. All but `jobs`, `ranks` and `links` may be
    missing: empty, None, or an attribute that cannot be read.
    """

    @property
    def document(self) -> Mapping[str, Any]:
        """run.json: the resolved plan, counters, provenance."""
        ...

    @property
    def jobs(self) -> pl.LazyFrame:
        """One row per job."""
        ...

    @property
    def ranks(self) -> pl.LazyFrame:
        """One row per rank."""
        ...

    @property
    def links(self) -> pl.LazyFrame:
        """One row per directed link."""
        ...

    @property
    def link_windows(self) -> pl.LazyFrame:
        """One row per link and window of time; may be empty."""
        ...


class InterferenceLike(Protocol):
    """An interference experiment: every job alone, in the scenario's order, then all together."""

    @property
    def name(self) -> str:
        """The experiment's name."""
        ...

    @property
    def together(self) -> RunLike:
        """The run of all jobs together."""
        ...

    @property
    def alone(self) -> Mapping[str, RunLike]:
        """The run of each job alone, by its name."""
        ...

    @property
    def slowdown(self) -> pl.LazyFrame:
        """One row per job: communication time alone and together, and their ratio."""
        ...


def table(run: RunLike, name: str) -> pl.LazyFrame | None:
    """Returns the table, or None if the run did not record it or if it has no rows."""
    try:
        frame: pl.LazyFrame | None = getattr(run, name)
        if frame is None or frame.head(1).collect().is_empty():
            return None
    except (AttributeError, KeyError, FileNotFoundError):
        return None
    return frame


#: The setting that records a table.
_SETTINGS = {
    "packets": 'record.packets = "sampled"',
    "iterations": "record.iterations = true",
    "link_windows": "record.link_windows = true",
    "q_learning": 'record.q_learning = true and routing.algorithm = "q_adaptive"',
    "port_windows": "record.ports = {}",
    "call_events": "record.call_events = {}",
    "system_windows": 'record.system.windows = ["10 us"]',
    "router_windows": 'record.routers.windows = ["10 us"]',
    "blame": 'record.blame.window = "10 us"',
    "latency_windows": 'record.latency_windows = "10 us"',
    "rank_messages": "record.rank_messages = true",
    "routing_windows": 'record.routing_windows = "10 us"',
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
        if _was_asked_for(run, name):
            raise UsageError(
                f"{where}: table {name} was recorded and has no rows; the figure has nothing to"
                " show; name another run"
            )
        key = setting or _SETTINGS.get(name)
        remedy = f"set {key} and run" if key else "run"
        raise UsageError(
            f"{where}: table {name} has no rows; the figure reads it: {remedy} the scenario again"
        )
    return frame


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


#: The key of a plan's record for a table that has another name.
_KEYS = {
    "port_windows": "ports",
    "system_windows": "system",
    "router_windows": "routers",
    "latency_windows": "latency_windows_ps",
    "routing_windows": "routing_windows_ps",
}
#: Tables that every run has.
_ALWAYS = ("jobs", "ranks", "links", "link_jobs", "calls", "job_windows")


def _was_asked_for(run: RunLike, name: str) -> bool:
    """Returns whether the run has recorded a table, with or without rows."""
    value = run.document["plan"]["record"].get(_KEYS.get(name, name))
    return name in _ALWAYS or value not in (None, False, 0, "off")


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
            own = choose(frame.filter(pl.col("job") == case.job)).collect()
            if not own.is_empty():
                rows.append((case, own))
    if not rows and found:
        recorded(found[-1].run, name)
    return rows


def link_window_ns(run: RunLike) -> float:
    """Returns the length of a window of link_windows in ns.

    Runs of earlier versions have one length for all windows.
    """
    record = run.document["plan"]["record"]
    return float(record.get("link_window_ps") or record["window_ps"]) / 1000


def job_names(run: RunLike) -> dict[int, str]:
    """Returns the names of the jobs by number, in the plan's order."""
    return dict(run.jobs.select("job", "name").sort("job").collect().iter_rows())


# Columns without a value for a job that delivered no packet.
_OF_PACKETS = ("packet_latency_", "network_latency_", "link_hops_mean", "nonminimal_share")


def job_row(run: RunLike, job: int) -> dict[str, Any]:
    """Returns the job's row of the jobs table; packet statistics are None without packets."""
    row = run.jobs.filter(pl.col("job") == job).collect().row(0, named=True)
    if row["packets"] == 0:
        row |= {key: None for key in row if key.startswith(_OF_PACKETS)}
    return row


def stop_ns(run: RunLike, job: int) -> float:
    """Returns the time in ns at which a job stops if it has not ended: its `end`, or the run's."""
    planned = run.document["plan"].get("jobs") or ()
    end = planned[job].get("end_ps") if job < len(planned) else None
    simulated = float(run.document["simulated_ns"])
    return simulated if end is None else min(end / 1000, simulated)


def is_endless(run: RunLike, job: int) -> bool:
    """Returns whether the job does not end by itself: a pattern, or a job with repeat or end."""
    return not ends_by_itself(run.document["plan"]["jobs"][job])


@dataclass(frozen=True)
class Case:
    """One job in one run, as a row or a line of a figure."""

    name: str
    job: int
    run: RunLike
    colour: str
    #: "alone" or "together" in a comparison, after the run's title if there are several; a single
    #: run has the title alone, or nothing.
    company: str
    #: Whether the job ran alone and is compared with a run of several jobs.
    alone: bool = False
    #: The place of the run among several, from 0; runs that share a panel differ in their dashes.
    place: int = 0

    @property
    def label(self) -> str:
        """The job's name, followed by "alone" or "together" in a comparison."""
        return f"{self.name} {self.company}".strip()

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


def cases(given: Given, alone: Mapping[str, RunLike] | None = None) -> list[Case]:
    """Returns the jobs of one or several runs, each after its own run alone if there is one.

    Args:
        given: the run of all jobs together, the only run, or several runs and experiments by title.
        alone: the run of each job alone, by name; only for one run.
    """
    if not isinstance(given, Mapping):
        return _cases_of("", given, alone or {}, colours(job_names(given).values()), 0)
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
            company = f"{title} alone".strip()
            found.append(Case(name, number, other, colour[name], company, True, place))
        company = f"{title} together".strip() if alone else title
        found.append(Case(name, job, run, colour[name], company, False, place))
    return found


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
