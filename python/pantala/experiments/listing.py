"""The list of an experiment's runs: which case needs which run, and what is there already.

``experiments/NAME/cases.parquet`` has a row per case and part: the values of the axes and the
identity of the run; see `cases_file`. `pantala sweep` writes it before the first simulation. It
makes the list again only after a change of the experiment, of Pantala, or of a file that the
scenario names.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from math import prod
from pathlib import Path
from typing import Any

import polars as pl

import pantala
from pantala.core.extension import core
from pantala.core.plan import Plan
from pantala.errors import ProgramError, RunDirectoryError, ScenarioError, ScenarioWarning
from pantala.experiments.cases_file import REFUSED, SIZE, read_cases, write_cases
from pantala.experiments.description import Description
from pantala.experiments.expand import Expansion, ListedRun
from pantala.files.input_file import LARGE_TEXT, read_text
from pantala.files.json_file import write_json
from pantala.files.run_directory import DESCRIPTION_FILE, EXPERIMENTS
from pantala.files.table_errors import UNREADABLE
from pantala.store.identity import RESULTS_VERSION, run_id
from pantala.store.index import Entry

__all__ = ["Listing", "list_runs"]


@dataclass
class Listing:
    """The runs of an experiment.

    Attributes:
        expansion: its cases.
        frame: one row per case and part: ``case``, the axes, ``part``, ``run``, ``table_bytes``.
            The run is null if it lasts as long as another run that is not there yet. The bytes are
            null if no table can be large.
        refused: one row per case that cannot be run: ``case``, the axes, ``refused`` (the reason).
        changed: what the listing says about an earlier experiment of this name; empty if it is
            equal or there is none.
    """

    expansion: Expansion
    frame: pl.DataFrame
    refused: pl.DataFrame
    changed: str = ""

    @property
    def runs(self) -> list[str]:
        """The identities of all known runs, each once, in the order of the cases."""
        return self.frame["run"].drop_nulls().unique(maintain_order=True).to_list()

    @property
    def count(self) -> int:
        """The number of runs; a run that is not known yet counts as one."""
        return len(self.runs) + self.frame["run"].null_count()

    def first_places(self) -> Iterator[tuple[str, int, str]]:
        """Yields each known run with the first case and part that need it."""
        known = self.frame.filter(pl.col("run").is_not_null()).unique(
            "run", keep="first", maintain_order=True
        )
        yield from known.select("run", "case", "part").iter_rows()

    def settle(self, entries: Mapping[str, Entry]) -> list[str]:
        """Finds the runs that last as long as another one, which is there now; returns them."""
        waiting = self.frame.filter(pl.col("run").is_null())
        if waiting.is_empty():
            return []
        known = {(case, part): run for case, part, run in self._rows()}
        found: dict[tuple[int, str], str] = {}
        for case in waiting["case"].unique(maintain_order=True).to_list():
            for part in self.expansion.parts(case):
                if part.as_long_as is None or known[case, part.name] is not None:
                    continue
                entry = entries.get(known[case, part.as_long_as] or "")
                if entry is not None and entry["state"] == "done":
                    found[case, part.name] = run_id(part.plan.lasting(entry["simulated_ns"]))
        if found:
            runs = [found.get((case, part), run) for case, part, run in self._rows()]
            self.frame = self.frame.with_columns(pl.Series("run", runs, dtype=pl.String))
        return list(dict.fromkeys(found.values()))

    def plan(self, case: int, part: str, entries: Mapping[str, Entry]) -> Plan:
        """Returns the plan of a run."""
        found = next(each for each in self.expansion.parts(case) if each.name == part)
        if found.as_long_as is None:
            return found.plan
        rows = self.frame.filter(pl.col("case") == case, pl.col("part") == found.as_long_as)
        return found.plan.lasting(entries[rows["run"].item()]["simulated_ns"])

    def first_seeds(self, count: int) -> Listing:
        """Returns the runs of the first seeds of every case."""
        description = self.expansion.description
        axis = description.seed_axis
        if axis is None or count >= description.seeds:
            return self
        step = prod(len(each.points) for each in description.axes[axis + 1 :])
        at, outer = pl.col("case") // step, step * description.seeds
        number = pl.col("case") // outer * (step * count) + pl.col("case") % outer
        frame, refused = (
            each.filter(at % description.seeds < count).with_columns(case=number.cast(pl.UInt32))
            for each in (self.frame, self.refused)
        )
        fewer = Expansion(description.first_seeds(count))
        return Listing(fewer, frame, refused, self.changed)

    def where(self, condition: pl.Expr) -> Listing:
        """Returns the runs of the cases whose axes meet a condition."""
        return Listing(self.expansion, self.frame.filter(condition), self.refused, self.changed)

    def _rows(self) -> Iterator[tuple[int, str, str | None]]:
        yield from self.frame.select("case", "part", "run").iter_rows()

    def write(self, root: Path) -> None:
        """Writes the experiment and its cases to the directory."""
        description = self.expansion.description
        folder = root / EXPERIMENTS / description.name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            write_cases(folder, self.frame, self.refused)
            document = {**_stamp(description), **json.loads(_text(description.document()))}
            if description.precision is not None:
                document["precision"] = asdict(description.precision)
            write_json(folder / DESCRIPTION_FILE, document)
        except OSError as error:
            raise RunDirectoryError(
                root, f"cannot be written: {error.strerror or error}", "choose another --out"
            ) from None


def list_runs(description: Description, root: Path, entries: Mapping[str, Entry]) -> Listing:
    """Returns the runs of an experiment.

    Args:
        description: the experiment.
        root: the directory of the experiment, which may not exist.
        entries: the index of its store.

    Raises:
        ScenarioError: a case cannot be run, and the experiment does not skip such cases; or no case
            can be run.
        ProgramError: likewise, because a program of the user fails.
    """
    folder = root / EXPERIMENTS / description.name
    before = _before(folder)
    stamp = _stamp(description)
    expansion = Expansion(description)
    equal = before.get("digest") == stamp["digest"]
    changed = ""
    listing = None
    if equal and before.get("made_by") == stamp["made_by"] and not _names_files(description):
        listing = _stored(expansion, folder)
    if listing is None:
        listing = Listing(expansion, *_made(expansion))
        if before and not equal and not _stopped_early(before, description):
            changed = _difference(before, json.loads(_text(description.document())))
    listing.settle(entries)
    listing.changed = changed
    for message in expansion.warnings:
        warnings.warn(ScenarioWarning(description.source, message), stacklevel=2)
    return listing


def _stopped_early(before: Mapping[str, Any], description: Description) -> bool:
    """Returns whether an earlier sweep had fewer seeds because it reached its precision."""
    if "precision" not in before or description.seed_axis is None:
        return False
    try:
        count = len(before["axes"][description.seed_axis]["points"])
    except (LookupError, TypeError):
        return False
    return before.get("digest") == description.first_seeds(count).digest()


def _stored(expansion: Expansion, folder: Path) -> Listing | None:
    """Returns the list that was written before; None if there is none, or it leaves out a case."""
    try:
        frame, refused = read_cases(folder)
    except (OSError, *UNREADABLE):
        return None
    if refused.height and not expansion.description.skip_refused:
        return None  # the new list raises the error
    return Listing(expansion, frame, refused)


def _made(expansion: Expansion) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Returns one row per case and part, and one row per refused case.

    It holds no plan longer than its identities need.
    """
    found: list[list[ListedRun]] = [[]] * len(expansion)
    refused: dict[int, ScenarioError | ProgramError] = {}
    for case in expansion.by_seeds():
        try:
            found[case] = expansion.listed(case)
        except (ScenarioError, ProgramError) as error:
            if not expansion.description.skip_refused:
                raise (_skippable(error) if _another_runs(expansion, case) else error) from None
            refused[case] = error
    if len(refused) == len(expansion):
        raise _none_left(refused[min(refused)], len(expansion))
    rows = [(case, *run) for case, runs in enumerate(found) for run in runs]
    schema = {"case": pl.UInt32, "part": pl.String, "run": pl.String, SIZE: pl.Float64}
    reasons = sorted(
        (case, _reason(error, expansion.place(case))) for case, error in refused.items()
    )
    return (
        _with_axes(pl.DataFrame(rows, schema=schema, orient="row"), expansion),
        _with_axes(
            pl.DataFrame(reasons, schema={"case": pl.UInt32, REFUSED: pl.String}, orient="row"),
            expansion,
        ),
    )


def _another_runs(expansion: Expansion, case: int) -> bool:
    """Returns whether one of the cases that differ in one axis can be run.

    A misspelled axis refuses them all. Then there is nothing to simulate without the case.
    """
    step = len(expansion)
    for axis, at in zip(expansion.description.axes, expansion.point_numbers(case), strict=True):
        step //= len(axis.points)
        for other in range(len(axis.points)):
            try:
                if other != at:
                    expansion.listed(case + (other - at) * step)
                    return True
            except (ScenarioError, ProgramError):
                pass
    return False


def _skippable(error: ScenarioError | ProgramError) -> ScenarioError | ProgramError:
    """Returns the error of a case that cannot be run, with the option as a remedy."""
    option = "or give --skip-refused (skip_refused=True) to simulate the other cases"
    if isinstance(error, ScenarioError):
        return error.extended(option)
    return ProgramError(f"{error}; {option}")


def _none_left(error: ScenarioError | ProgramError, cases: int) -> ScenarioError | ProgramError:
    """Returns the error of an experiment of which no case can be run."""
    if isinstance(error, ScenarioError):
        source = error.source.replace(": case", f": all {cases:,} cases are refused; case", 1)
        return error.respelled(source, lambda key: key)
    return ProgramError(f"all {cases:,} cases are refused; {error}")


def _reason(error: ScenarioError | ProgramError, place: str) -> str:
    """Returns why a case cannot be run, without the file and the case, which are its place."""
    if isinstance(error, ScenarioError):
        return "; and ".join(error.respelled("", lambda key: key).lines)
    return str(error).removeprefix(f"{place}: ")


def _with_axes(frame: pl.DataFrame, expansion: Expansion) -> pl.DataFrame:
    """Returns rows of cases with the values of the axes after the number of the case."""
    columns, step = [], len(expansion)
    for axis in expansion.description.axes:
        step //= len(axis.points)
        at = frame["case"] // step % len(axis.points)
        for name in axis.columns:
            values = _column(name, [point.shown[name] for point in axis.points])
            columns.append(values.gather(at))
    first, *rest = frame.get_columns()
    return pl.DataFrame([first, *columns, *rest])


def _column(name: str, values: list[Any]) -> pl.Series:
    """Returns the values of an axis as one type: numbers if all are, else text."""
    kinds = {type(value) for value in values}
    if len(kinds) > 1 and not kinds <= {int, float}:
        values = [value if isinstance(value, str) else json.dumps(value) for value in values]
    return pl.Series(name, values, strict=False)


def _before(folder: Path) -> dict[str, Any]:
    try:
        document = json.loads(read_text(folder / DESCRIPTION_FILE, most=LARGE_TEXT))
    except (OSError, ValueError):
        return {}
    return document if isinstance(document, dict) else {}


def _stamp(description: Description) -> dict[str, Any]:
    """Returns the hash of the description, and the Pantala that lists its runs."""
    package = Path(pantala.__file__).parent
    newest = max(
        path.stat().st_mtime_ns
        for pattern in ("**/*.py", "**/*.toml", "_core*.so")
        for path in package.glob(pattern)
    )
    made_by = [RESULTS_VERSION, core().VERSION, newest]
    return {"digest": description.digest(), "made_by": made_by}


def _names_files(description: Description) -> bool:
    """Returns whether a value of the experiment may name a file, whose content can change."""

    def texts(value: Any) -> Iterator[str]:
        if isinstance(value, str):
            yield value
        elif isinstance(value, Mapping):
            for below in value.values():
                yield from texts(below)
        elif isinstance(value, list | tuple):
            for below in value:
                yield from texts(below)
        elif not isinstance(value, int | float | None):
            yield "."  # an object such as a function of Python

    return any(
        "/" in text or Path(text).is_file() for text in texts(description.document()) if text
    )


def _difference(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Returns in words what changed in an experiment since it was listed."""
    sentences = []
    axes = {tuple(axis["columns"]): axis["points"] for axis in before.get("axes", [])}
    for axis in now["axes"]:
        columns, points = tuple(axis["columns"]), axis["points"]
        name = ", ".join(columns)
        if columns not in axes:
            sentences.append(f"axis {name} is new")
        elif (old := axes.pop(columns)) != points:
            added = sum(point not in old for point in points)
            left = sum(point not in points for point in old)
            sentences.append(f"axis {name}: {added} added, {left} removed")
    sentences += [
        f"axis {', '.join(columns)} is gone"
        for columns in axes
        if columns not in {tuple(axis["columns"]) for axis in now["axes"]}
    ]
    sentences += [
        f"{key} changed"
        for key in ("scenario", "keep", "until_precise")
        if before.get(key) != now.get(key)
    ]
    return "; ".join(sentences) or "its order changed"


def _text(document: object) -> str:
    return json.dumps(document, default=str)
