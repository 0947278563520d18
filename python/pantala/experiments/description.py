"""The description of an experiment: base scenario, axes, seeds, tables to keep.

An experiment file is TOML, or Python with a dictionary `experiment` of the same keys. A scenario
alone is an experiment of one case.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pantala.catalogue.interference_modes import mode_of
from pantala.catalogue.tables import TABLES
from pantala.errors import ScenarioError, UsageError, nearest, show
from pantala.experiments.axes import JOBS, MOST_CASES, Axis, axes_of, check_spellings, seed_axis
from pantala.files.input_file import check_regular, unreadable
from pantala.models.base import plain
from pantala.scenario import Scenario
from pantala.scenario.toml import read_toml

if TYPE_CHECKING:
    from pantala.analysis.statistics import Precision
    from pantala.store.until_precise import UntilPrecise

__all__ = ["KEEP", "Description", "describe", "is_experiment", "read_experiment"]

#: The tables that an experiment keeps of every run, unless it says otherwise. Experiments that
#: compare jobs that are cut off keep the iterations too.
KEEP = ("jobs", "ranks", "links")

#: The most bytes of a name: the system's 255 with room for an ending.
_LONGEST_NAME = 200

_KEYS = (
    "name",
    "scenario",
    "set",
    "axes",
    "seeds",
    "precision",
    "precision_of",
    "until_precise",
    "keep",
    "skip_refused",
)


@dataclass(frozen=True)
class Description:
    """An experiment, complete and checked but for its cases.

    Attributes:
        name: its name; a directory can hold several experiments of different names.
        base: the scenario that the axes change.
        axes: the axes; seeds come last.
        keep: the tables that are kept of every run.
        source: the file, for errors.
        precision: when to add no more seeds; None simulates all seeds.
        skip_refused: whether cases that cannot be run are listed and left out. Without it, such a
            case is an error.
        until_precise: when a run ends; None for the duration of its scenario.
    """

    name: str
    base: Scenario
    axes: tuple[Axis, ...]
    keep: tuple[str, ...]
    source: str
    precision: Precision | None = None
    skip_refused: bool = False
    until_precise: UntilPrecise | None = None

    @property
    def columns(self) -> list[str]:
        """The columns of all axes, in order."""
        return [column for axis in self.axes for column in axis.columns]

    @cached_property
    def seed_axis(self) -> int | None:
        """The number of the axis that sets the seed and nothing else; None if there is none."""
        for number, axis in enumerate(self.axes):
            if all(set(point.changes) == {"seed"} for point in axis.points):
                return number
        return None

    @property
    def seeds(self) -> int:
        """The number of seeds."""
        return 1 if self.seed_axis is None else len(self.axes[self.seed_axis].points)

    def first_seeds(self, count: int) -> Description:
        """Returns the experiment with its first seeds only."""
        axes = list(self.axes)
        if self.seed_axis is not None:
            axis = axes[self.seed_axis]
            axes[self.seed_axis] = replace(axis, points=axis.points[:count])
        return replace(self, axes=tuple(axes))

    def document(self) -> dict[str, Any]:
        """Returns the description as JSON: what `experiment.json` holds."""
        axes = [
            {"columns": list(axis.columns), "points": [_point(point) for point in axis.points]}
            for axis in self.axes
        ]
        given = self.base.given
        found = {
            "name": self.name,
            "keep": list(self.keep),
            "axes": axes,
            "scenario": plain(given),
        }
        if self.until_precise is not None:
            found["until_precise"] = asdict(self.until_precise)
        return found

    def digest(self) -> str:
        """Returns a hash of the description."""
        text = json.dumps(self.document(), sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()


def is_experiment(tables: Mapping[str, Any]) -> bool:
    """Returns whether the tables of a TOML file are an experiment, and not a scenario."""
    return "scenario" in tables or "axes" in tables


def read_experiment(path: Path) -> Mapping[str, Any] | None:
    """Returns the tables of an experiment file; None if the file is a scenario.

    Raises:
        UsageError: the file is Python and has no dictionary `experiment`.
        ScenarioError: the file cannot be read or is not TOML.
    """
    if path.suffix == ".py":
        return _of_python(path)
    if path.suffix != ".toml":
        return None
    tables = read_toml(path)
    return tables if is_experiment(tables) else None


def describe(
    experiment: Scenario | Mapping[str, Any] | Callable[[Mapping[str, Any]], Scenario],
    *,
    axes: Sequence[Mapping[str, Any]] | Mapping[str, Any] = (),
    seeds: int | Sequence[int] | None = None,
    keep: Sequence[str] | None = None,
    changes: Mapping[str, Any] | None = None,
    precision: Precision | None = None,
    skip_refused: bool = False,
    source: str = "experiment",
    folder: Path = Path(),
) -> Description:
    """Returns the description of an experiment.

    Args:
        experiment: the tables of an experiment file, a scenario, or a function that returns the
            scenario with changes by key path.
        axes: more axes; see `pantala.experiments.axes`.
        seeds: a number of seeds or the seeds, in place of the experiment's own.
        keep: the tables to keep, in place of the experiment's own.
        changes: values of the base scenario by key path.
        precision: when to add no more seeds, in place of the experiment's own; the seeds are then
            the largest number.
        skip_refused: whether to leave out cases that cannot be run, also if the experiment does not
            say so.
        source: the name for errors.
        folder: the folder that a path of a scenario is relative to.

    Raises:
        UsageError: a key of the experiment is unknown or wrong.
        ScenarioError: the base is not a scenario.
    """
    if not isinstance(experiment, Mapping | Scenario) and not callable(experiment):
        raise UsageError(
            f"{source}: {show(experiment)} is not a Scenario or the tables of an experiment; read a"
            " file with Scenario.from_toml('FILE.toml')"
        )
    tables: Mapping[str, Any] = experiment if isinstance(experiment, Mapping) else {}
    for key in tables:
        if key not in _KEYS:
            close = nearest(key, _KEYS)
            hint = f"did you mean '{close}'?" if close else f"choose one of {', '.join(_KEYS)}"
            raise UsageError(f"{source}: key {key}: an experiment has no such key; {hint}")
    given = tables.get("set", {})
    if not isinstance(given, Mapping):
        raise UsageError(f"{source}: set: is not a table of keys and values")
    changed = {**given, **(changes or {})}
    # One table of the caller holds crossed axes, one per key; a list can zip keys.
    listed = [{key: values} for key, values in axes.items()] if isinstance(axes, Mapping) else axes
    own = tables.get("axes", [])
    own = [{key: values} for key, values in own.items()] if isinstance(own, Mapping) else own
    for each in (own, listed):
        if not isinstance(each, Sequence) or isinstance(each, str):
            axes_of(each, source)  # raises
    all_axes = axes_of([*own, *listed], source)

    def read(changes: Mapping[str, Any]) -> Scenario:
        if isinstance(experiment, Mapping):
            return _base(tables, source, folder, changes)
        if isinstance(experiment, Scenario):
            return experiment.replace(changes) if changes else experiment
        return experiment(changes)

    try:
        base = read(changed)
    except ScenarioError:
        supplied = _supplied(all_axes)
        if not supplied:
            raise
        base = read({**changed, **supplied})
    check_spellings(all_axes, [job.name for job in base.jobs], source)
    chosen = tables.get("seeds") if seeds is None else seeds
    if chosen is not None:
        if any("seed" in point.changes for axis in all_axes for point in axis.points):
            raise UsageError(f"{source}: seeds: an axis sets the key seed too; keep one of the two")
        all_axes.append(seed_axis(plain(chosen), base.seed, source))
    cases = math.prod(len(axis.points) for axis in all_axes)
    if cases > MOST_CASES:
        raise UsageError(
            f"{source}: axes: have {show(cases, 40)} combinations, and an experiment has at most"
            f" {MOST_CASES:,} cases; remove axes or values, or zip axes"
        )
    keep = tables.get("keep") if keep is None else keep
    if keep is None:
        # The slowdown of a job that is cut off is over the iterations that finished in both runs.
        keep = (*KEEP, "iterations") if _compares_iterations(base, all_axes) else KEEP
    kept = _keep(keep, source)
    name = tables.get("name", base.name)
    if not isinstance(name, str) or not name or not _is_name(name):
        raise UsageError(f"{source}: name = {show(name)}: is not a name; write e.g. 'routings'")
    precision = precision or _precision(tables, source)
    skip = skip_refused or _flag(tables, "skip_refused", source)
    until = None
    if "until_precise" in tables:
        from pantala.experiments.until_precise import read_until_precise

        until = read_until_precise(tables["until_precise"], source, base.stop.duration)
        if base.skip is not None:
            raise UsageError(
                f"{source}: until_precise: reads the windows of jobs, which skipped time lacks;"
                " remove it, or skip"
            )
        # The throughput is read from this table.
        kept = tuple(dict.fromkeys([*kept, "job_windows"]))
    made = Description(name, base, tuple(all_axes), kept, source, precision, skip, until)
    if precision is not None and made.seeds < 2:
        raise UsageError(
            f"{source}: precision = {precision.relative:.4g}: needs seeds; give their largest"
            " number, e.g. --seeds 50 (seeds=50)"
        )
    return made


def _is_name(text: str) -> bool:
    """Returns whether a text can be the name of a folder on every file system."""
    return (
        "/" not in text
        and not text.startswith(".")
        and text.isprintable()
        and len(text.encode()) <= _LONGEST_NAME
    )


def _supplied(axes: Sequence[Axis]) -> dict[str, Any]:
    """Returns the first values of the keys that the axes set in every case.

    Every case overwrites them, so a base that is a scenario only with its axes can take them.
    """
    found: dict[str, Any] = {}
    for axis in axes:
        for key, value in axis.points[0].changes.items():
            names = key == JOBS and _names_jobs(value)
            if not names and all(key in point.changes for point in axis.points):
                found[key] = value
    return found


def _names_jobs(value: object) -> bool:
    """Returns whether a value of the axis ``jobs`` chooses jobs by name, and adds none."""
    return isinstance(value, str) or (
        isinstance(value, list) and all(isinstance(name, str) for name in value)
    )


def _base(
    tables: Mapping[str, Any], source: str, folder: Path, changes: Mapping[str, Any]
) -> Scenario:
    scenario = tables.get("scenario")
    if isinstance(scenario, Scenario):
        return scenario.replace(changes) if changes else scenario
    if isinstance(scenario, str | Path):
        path = folder / scenario
        if not path.is_file():
            raise UsageError(
                f'{source}: scenario = "{scenario}": there is no file {path}; correct the path,'
                f" which is relative to {'this directory' if folder == Path() else folder}"
            )
        return Scenario.from_toml(path, changes=changes)
    if isinstance(scenario, Mapping):
        named = scenario if "name" in scenario else {"name": tables.get("name", ""), **scenario}
        return Scenario.from_dict(named, source=source, changes=changes)
    raise UsageError(
        f"{source}: scenario: is missing; write the path of a scenario file, or a table [scenario]"
    )


def _precision(tables: Mapping[str, Any], source: str) -> Precision | None:
    if "precision" not in tables and "precision_of" not in tables:
        return None
    from pantala.analysis.statistics import Precision

    text, of = tables.get("precision"), tables.get("precision_of")
    if not isinstance(text, str | float) or not isinstance(of, str | None):
        raise UsageError(
            f"{source}: precision = {text!r}, precision_of = {of!r}: are not a share and a column;"
            " write e.g. precision = '2%'"
        )
    try:
        return Precision.parse(text, of)
    except UsageError as error:
        raise UsageError(f"{source}: {error}") from None


def _flag(tables: Mapping[str, Any], key: str, source: str) -> bool:
    value = tables.get(key, False)
    if not isinstance(value, bool):
        raise UsageError(f"{source}: {key} = {value!r}: is not true or false; write {key} = true")
    return value


def _compares_iterations(base: Scenario, axes: Sequence[Axis]) -> bool:
    """Returns whether jobs are compared with their runs alone and may be cut off in one of them."""
    keys = {key for axis in axes for point in axis.points for key in point.changes}
    if mode_of(base.interference) is None and "interference" not in keys:
        return False
    stop = base.stop
    return (
        stop.duration is not None
        or bool(stop.target)
        or any(job.repeat or job.end is not None for job in base.all_jobs)
        or any(key.partition(".")[0] in ("stop", "background", "snapshot") for key in keys)
        or any(key.rpartition(".")[2] in ("repeat", "end") for key in keys)
    )


def _keep(tables: object, source: str) -> tuple[str, ...]:
    if isinstance(tables, str) or not isinstance(tables, Sequence):
        raise UsageError(f"{source}: keep: is not a list of tables; write e.g. ['jobs', 'ranks']")
    for table in tables:
        if table not in TABLES:
            close = nearest(str(table), TABLES)
            hint = f"did you mean '{close}'?" if close else f"choose from {', '.join(TABLES)}"
            raise UsageError(f"{source}: keep = '{table}': there is no such table; {hint}")
    # Without the table of jobs, a status could not say what a run did.
    return tuple(dict.fromkeys(["jobs", *tables]))


def _point(point: Any) -> dict[str, Any]:
    return {"shown": dict(point.shown), "changes": plain(point.changes)}


def _of_python(path: Path) -> Mapping[str, Any]:
    import runpy

    from pantala.errors import PantalaError
    from pantala.system.permission import check_permitted

    check_permitted(str(path))
    try:
        check_regular(path)
    except OSError as error:
        message, remedy = unreadable(error)
        raise UsageError(f"{path}: {message}; {remedy}") from None
    try:
        found = runpy.run_path(str(path)).get("experiment")
    except PantalaError:
        raise
    except Exception as error:
        raise UsageError(f"{path}: {type(error).__name__}: {error}") from None
    if isinstance(found, Scenario):
        return {"scenario": found}
    if not isinstance(found, Mapping):
        raise UsageError(
            f"{path}: has no dictionary named experiment; write experiment ="
            " {'scenario': ..., 'axes': [...]}"
        )
    return found
