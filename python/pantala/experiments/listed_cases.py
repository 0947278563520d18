"""What the directory of an experiment lists: its cases, their parts and the runs of these.

`pantala sweep` writes ``experiments/NAME``, with a table of cases. `pantala run` writes
``interference.json``, which lists the parts of the only case. Both have a store of runs beside it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

import polars as pl

from pantala.catalogue.job_sets import TOGETHER
from pantala.catalogue.tables import TABLES
from pantala.errors import RunDirectoryError, UsageError, nearest
from pantala.experiments.cases_file import CASES_FILE, REFUSED, SIZE, read_cases
from pantala.files.run_directory import (
    DESCRIPTION_FILE,
    EXPERIMENTS,
    INTERFERENCE_FILE,
    SLOWDOWN_FILE,
    experiment_names,
)
from pantala.files.run_files import checked_document, document_of
from pantala.files.table_errors import UNREADABLE

__all__ = ["ListedCases", "listed_cases"]

_REPEAT = "repeat pantala sweep"


class ListedCases(Protocol):
    """The cases of an experiment as its directory lists them.

    Attributes:
        name: the name of the experiment.
        document: the JSON file that describes it.
        axes: the columns of each axis.
        keep: the tables that its runs can have.
        elsewhere: the directories of runs that are not in the store, by the name of their part.
        ended_early: the parts among them that will be simulated again.
        links: the links to the runs of the only case, by the name of their part.
        slowdown: the file with the slowdowns of the only case; it may be missing.
        interference: the scenario's value of the key `interference`.
    """

    name: str
    document: dict[str, Any]
    axes: list[list[str]]
    keep: list[str]
    elsewhere: dict[str, Path]
    ended_early: frozenset[str]
    links: dict[str, Path]
    slowdown: Path | None
    interference: object

    def read(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Returns the runs and the refused cases; see `pantala.experiments.cases_file`."""
        ...


class SweepCases:
    """The cases of an experiment of `pantala sweep`; see `ListedCases`."""

    elsewhere: dict[str, Path]
    ended_early: frozenset[str] = frozenset()
    slowdown: Path | None = None

    def __init__(self, path: Path, name: str) -> None:
        self.name = name
        self._folder = path / EXPERIMENTS / name
        try:
            self.document: dict[str, Any] = checked_document(
                self._folder, DESCRIPTION_FILE, _REPEAT
            )
        except FileNotFoundError:
            raise RunDirectoryError(
                self._folder, f"{DESCRIPTION_FILE} is missing", _REPEAT
            ) from None
        self.axes: list[list[str]] = [axis["columns"] for axis in self.document["axes"]]
        self.keep: list[str] = self.document["keep"]
        self.elsewhere = {}
        self.links: dict[str, Path] = {}
        self.interference: object = self.document["scenario"].get("interference")

    def read(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Returns the runs and the refused cases.

        Raises:
            RunDirectoryError: they cannot be read.
        """
        try:
            return read_cases(self._folder)
        except (OSError, *UNREADABLE) as error:
            raise RunDirectoryError(
                self._folder, f"{CASES_FILE} cannot be read: {error}", _REPEAT
            ) from None


class InterferenceCases:
    """The only case of an interference experiment of `pantala run`; see `ListedCases`."""

    slowdown: Path | None

    def __init__(self, path: Path) -> None:
        self.document: dict[str, Any] = document_of(path, INTERFERENCE_FILE)
        self.axes: list[list[str]] = []
        self.keep = list(TABLES)
        self.slowdown = path / SLOWDOWN_FILE
        self.interference: object = self.document.get("interference", TOGETHER)
        self.name = str(self.document["name"])
        parts = self.document["parts"]
        self.elsewhere = {
            part["part"]: path / part["directory"] for part in parts if "run" not in part
        }
        self.links = {part["part"]: path / part["directory"] for part in parts}
        self._runs = {part["part"]: part.get("run", part["part"]) for part in parts}
        missing = [part["part"] for part in self.document.get("missing", ())]
        self.ended_early = frozenset(self.elsewhere).intersection(missing)
        for part in missing:
            self._runs.setdefault(part, None)

    def read(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Returns the runs of the parts; no case is refused."""
        rows = [(0, part, run, None) for part, run in self._runs.items()]
        schema = {"case": pl.UInt32, "part": pl.String, "run": pl.String, SIZE: pl.Float64}
        refused = pl.DataFrame(schema={"case": pl.UInt32, REFUSED: pl.String})
        return pl.DataFrame(rows, schema, orient="row"), refused


def listed_cases(path: Path, name: str | None) -> ListedCases:
    """Opens what a directory lists.

    Args:
        path: the directory.
        name: the name of one of its sweeps; optional if it holds one experiment. A directory of
            `pantala run` that holds sweeps too is an interference experiment without a name.

    Raises:
        RunDirectoryError: the directory holds no experiment.
        UsageError: it holds several, and the name is missing or none of them.
    """
    if name is None and (path / INTERFERENCE_FILE).is_file():
        return InterferenceCases(path)
    names = experiment_names(path)
    if not names:
        raise RunDirectoryError(
            path,
            "holds no experiment",
            "name a directory of pantala sweep, or of pantala run with interference = true",
        )
    if name is None and len(names) == 1:
        name = names[0]
    if name is None or name not in names:
        close = nearest(name or "", names)
        hint = f"did you mean '{close}'?" if close else f"choose one of {', '.join(names)}"
        what = f"has no '{name}'"
        if name is None:
            what = "needs the name of an experiment"
            hint += f", or give its folder, such as {path / EXPERIMENTS / names[0]}"
        raise UsageError(f"{path}: {what}; {hint}")
    return SweepCases(path, name)
