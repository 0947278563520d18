"""The axes of an experiment: values of keys, zipped keys, and named cases.

Axes are crossed: an experiment has one case for each combination of their points.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pantala.errors import UsageError, show
from pantala.experiments.cases_file import REFUSED, SIZE
from pantala.models.base import plain
from pantala.models.copied import python_value
from pantala.models.key_path import KeyPathError, Named, Step, parse, position
from pantala.scenario.toml import toml_value

__all__ = [
    "JOBS",
    "MOST_CASES",
    "Axis",
    "Point",
    "axes_of",
    "check_spellings",
    "parse_axis",
    "seed_axis",
]

#: The key whose values choose the jobs that run: ``"fft3d"``, ``"fft3d+halo3d"``.
JOBS = "jobs"

#: The most cases of an experiment.
MOST_CASES = 1_000_000

#: Columns that every table of an experiment has already, and those of what is computed from tables:
#: slowdowns, effects, intervals, differences, outliers, comparisons and z-scores.
_TAKEN = frozenset(
    {
        *("case", "part", "run", REFUSED, SIZE),
        *("job_set", "beside", "method", "victim", "aggressor", "measure", "effect", "slowdown"),
        *("runs", "mean", "low", "high", "significant", "cut_off", "endless", "median"),
        *("metric", "value", "result", "whole", "steady", "state"),
        *("z_score", "outlier", "groups", "panel", "series"),
    }
)


@dataclass(frozen=True)
class Point:
    """One point of an axis.

    Attributes:
        shown: its values by column, as tables show them.
        changes: its values by key path; ``*`` stands for every job.
    """

    shown: Mapping[str, Any]
    changes: Mapping[str, Any]


@dataclass(frozen=True)
class Axis:
    """One axis: its columns in tables, and its points in order."""

    columns: tuple[str, ...]
    points: tuple[Point, ...]


def axes_of(tables: object, source: str) -> list[Axis]:
    """Returns the axes of an experiment file.

    Args:
        tables: a list with a table per axis. Keys of one table are zipped. ``cases`` in a table
            holds named cases, and ``name`` is their column. One table by itself holds crossed axes,
            one per key, as in Python.
        source: the name of the file, for errors.

    Raises:
        UsageError: an axis is empty, its lists differ in length, or two axes set the same key.
    """
    if isinstance(tables, Mapping):
        tables = [{key: values} for key, values in tables.items()]
    if not isinstance(tables, Sequence) or isinstance(tables, str):
        raise UsageError(f"{source}: axes: is not a list of tables; write [[axes]] for each axis")
    axes = []
    for number, table in enumerate(tables):
        where = f"{source}: axes[{number}]"
        if not isinstance(table, Mapping):
            raise UsageError(f'{where}: is not a table; write e.g. "routing.algorithm" = ["par"]')
        axes.append(_axis(table, where))
    _check_apart(axes, source)
    return axes


def seed_axis(seeds: object, first: int, source: str) -> Axis:
    """Returns the axis of ``seeds``: a count, which begins at the scenario's seed, or a list."""
    seeds = _list(seeds)
    if isinstance(seeds, int) and not isinstance(seeds, bool):
        if seeds < 1:
            raise UsageError(f"{source}: seeds = {seeds}: must be at least 1; write e.g. 5")
        if seeds > MOST_CASES:
            shown = show(seeds, 40)
            raise UsageError(f"{source}: seeds = {shown}: must be at most {MOST_CASES:,}; write 5")
        seeds = list(range(first, first + seeds))
    if not isinstance(seeds, Sequence) or isinstance(seeds, str):
        raise UsageError(
            f"{source}: seeds = {show(seeds)}: is neither a number of seeds nor a list of them;"
            " write e.g. 5 or [1, 2, 5]"
        )
    return _axis({"seed": seeds}, f"{source}: seeds")


def parse_axis(text: str) -> dict[str, list[Any]]:
    """Returns the table of an option such as ``routing.algorithm=ugal_g,par``.

    Commas inside brackets, braces or quotes do not separate values. A value that is no TOML is
    text. Several keys with a ``;`` between them are zipped.

    Raises:
        UsageError: the text is not ``KEY=VALUE,VALUE``.
    """
    table = {}
    for part in _split(text, ";"):
        key, equals, values = part.partition("=")
        if not equals or not key.strip():
            raise UsageError(
                f"--axis {text}: is not KEY=VALUE,VALUE; write e.g."
                " --axis routing.algorithm=ugal_g,par"
            )
        if key.strip() in table:
            raise UsageError(f"--axis {text}: has {key.strip()} twice; write its values once")
        table[key.strip()] = [
            toml_value(word.strip()) for word in _split(values, ",") if word.strip()
        ]
    return table


def _axis(table: Mapping[str, Any], where: str) -> Axis:
    name = table.get("name")
    if name is not None and (not isinstance(name, str) or not name):
        raise UsageError(f"{where}.name: is not text; write the name of a column")
    lists = {key: _list(each) for key, each in table.items() if key not in ("name", "cases")}
    if "cases" in table:
        if lists:
            raise UsageError(
                f"{where}: has cases and the key {next(iter(lists))}; move the key into each case,"
                " or into an axis of its own"
            )
        return _named(name or "cases", table["cases"], where)
    if not lists:
        raise UsageError(f"{where}: is empty; write a key and its values")
    if "seeds" in lists:
        raise UsageError(
            f"{where}: seeds: is no axis; write seeds = {_text(lists['seeds'])} at the top of the"
            " file, or give --seeds"
        )
    return _zipped(name, lists, where)


def _named(name: str, cases: object, where: str) -> Axis:
    if not isinstance(cases, Mapping) or not cases:
        raise UsageError(f"{where}.cases: has no case; write e.g. cases.near = {{ KEY = VALUE }}")
    for label, changes in cases.items():
        if not isinstance(changes, Mapping):
            raise UsageError(f"{where}.cases.{label}: is not a table of keys and values")
    points = tuple(Point({name: label}, plain(changes)) for label, changes in cases.items())
    return Axis((name,), points)


def _zipped(name: str | None, lists: Mapping[str, Any], where: str) -> Axis:
    if name is not None and len(lists) > 1:
        raise UsageError(f"{where}.name = '{name}': names one key, and the axis has {len(lists)}")
    for key, values in lists.items():
        if isinstance(values, Mapping):
            inner, listed = next(iter(values.items()), ("KEY", []))
            raise UsageError(
                f"{where}: {key}: is a table; put the whole key in quotes:"
                f' "{key}.{inner}" = {_text(listed)}'
            )
        if not isinstance(values, Sequence) or isinstance(values, str):
            raise UsageError(f"{where}: {key}: is not a list; write e.g. {key} = [{_text(values)}]")
        if not values:
            raise UsageError(f"{where}: {key}: has no values; give one or more, or remove the axis")
    lengths = {key: len(values) for key, values in lists.items()}
    if len(set(lengths.values())) > 1:
        text = ", ".join(f"{key} has {count}" for key, count in lengths.items())
        raise UsageError(
            f"{where}: zipped keys need equally many values, but {text}; write separate axes to"
            " cross them"
        )
    columns = tuple(lists) if name is None else (name,)
    rows = list(zip(*(map(plain, values) for values in lists.values()), strict=True))
    _check_once(tuple(lists), rows, where)
    points = tuple(
        Point(
            {column: _shown(value) for column, value in zip(columns, row, strict=True)},
            dict(zip(lists, row, strict=True)),
        )
        for row in rows
    )
    return Axis(columns, points)


def _list(values: Any) -> Any:
    """Returns values of NumPy or Polars as a list, and other values as they are."""
    return (
        list(map(python_value, values))
        if isinstance(values, list | tuple)
        else python_value(values)
    )


def _check_once(keys: Sequence[str], rows: Iterable[tuple[Any, ...]], where: str) -> None:
    """Checks that no point of an axis is there twice: its runs would count twice in each mean."""
    seen = set()
    for row in rows:
        point = tuple(map(_distinct, row))
        if point in seen:
            text = ", ".join(
                f"{key} = {_text(value)}" for key, value in zip(keys, row, strict=True)
            )
            raise UsageError(f"{where}: {text}: appears twice; give each value once")
        seen.add(point)


def _distinct(value: Any) -> Any:
    """Returns a value that can be looked up; equal numbers are equal, such as 1 and 1.0."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    return json.dumps(value, sort_keys=True, default=repr)


def _check_apart(axes: Iterable[Axis], source: str) -> None:
    from pantala.analysis.attribution import MEASURES
    from pantala.analysis.slowdown import SLOWDOWN_COLUMNS
    from pantala.catalogue.tables import TABLES
    from pantala.metrics import all_metrics

    taken = _TAKEN | {column.name for table in TABLES.values() for column in table.columns}
    taken |= {*MEASURES, *SLOWDOWN_COLUMNS, *(metric.name for metric in all_metrics())}
    columns: set[str] = set()
    keys: set[str] = set()
    for axis in axes:
        for column in axis.columns:
            # Seeds are an axis whose column is this key.
            of_seeds = all("seed" in point.changes for point in axis.points)
            if column in taken or (column == "seed" and not of_seeds):
                raise UsageError(
                    f"{source}: axis '{column}': tables and results have a column of this name;"
                    " set another name in the axis"
                )
            if column in columns:
                raise UsageError(f"{source}: axis '{column}': appears twice; keep one of the two")
            columns.add(column)
        new = {key for point in axis.points for key in point.changes}
        if twice := sorted(new & keys):
            raise UsageError(f"{source}: key '{twice[0]}': two axes set it; keep one of the two")
        keys |= new


def check_spellings(axes: Iterable[Axis], jobs: Sequence[str], source: str) -> None:
    """Checks that no case sets one key by two spellings, as ``jobs[0].ranks`` and ``jobs.a.ranks``.

    Args:
        axes: the axes, whose keys differ.
        jobs: the names of the scenario's jobs.
        source: the name of the file, for errors.

    Raises:
        UsageError: two spellings name one key.
    """
    axes = list(axes)
    if any(JOBS in point.changes for axis in axes for point in axis.points):
        jobs = ()  # each case has jobs of its own
    spelled: dict[tuple[str | int, ...], str] = {}
    for axis in axes:
        own: dict[tuple[str | int, ...], str] = {}
        for point in axis.points:
            in_case = dict(spelled)
            for key in point.changes:
                place = _place(key, jobs)
                if (other := in_case.setdefault(place, key)) != key:
                    raise UsageError(
                        f"{source}: key '{key}': is the key '{other}' in other words, and a case"
                        " sets both; keep one of the two"
                    )
                own[place] = key
        spelled |= own


def _place(key: str, jobs: Sequence[str]) -> tuple[str | int, ...]:
    """Returns a key path with one spelling per key: a job by its position."""
    try:
        steps = parse(key)
    except KeyPathError:
        return (key,)  # the scenario refuses it
    if steps[0] == JOBS and len(steps) > 1:
        found = position(len(jobs), jobs, steps[1:])
        if found is not None:
            at, used = found
            return (JOBS, at, *map(_step, steps[1 + used :]))
    return tuple(map(_step, steps))


def _step(step: Step) -> str | int:
    """Returns a step with one spelling: ``0`` and ``[0]`` are a position."""
    if isinstance(step, Named):
        return step.name
    return int(step) if isinstance(step, str) and step.isdecimal() else step


def _shown(value: Any) -> Any:
    """Returns a value as tables show it: numbers and text as they are, others as text."""
    if isinstance(value, str | bool | int | float):
        return value
    return _text(value)


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _split(text: str, mark: str) -> list[str]:
    """Returns the parts of a text between marks that are in no bracket, brace or quote."""
    parts, depth, quote = [""], 0, ""
    for letter in text:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        elif letter == mark and depth == 0:
            parts.append("")
            continue
        parts[-1] += letter
    return parts
