"""The measured cases: load files, routings, and the metrics of SST."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

__all__ = ["LOADS", "Case", "Value", "cases"]

_FOLDER = Path(__file__).parent

#: The folder of the load files.
LOADS = _FOLDER / "loads"


@dataclass(frozen=True)
class Value:
    """A measured value with its unit."""

    value: float
    unit: str


@dataclass(frozen=True, eq=False)
class Case:
    """A run of SST Ember.

    Attributes:
        name: the name of the case and of its load file.
        routing: Pantala's name of the routing.
        placement: the order of the nodes in the load file, in words.
        theirs: SST's metrics by name. `README.md` defines them.
    """

    name: str
    routing: str
    placement: str
    theirs: Mapping[str, Value]

    @property
    def load_file(self) -> Path:
        """The load file."""
        return LOADS / f"{self.name}.load"

    @cached_property
    def jobs(self) -> list[set[str]]:
        """The motifs of each job that communicates, without Init and Fini."""
        _, *jobs = self.load_file.read_text(encoding="utf-8").split("[JOB_ID]")
        motifs = [set(re.findall(r"^\[MOTIF\] (\w+)", job, re.MULTILINE)) for job in jobs]
        return [names - {"Init", "Fini"} for names in motifs if "Null" not in names]


def cases() -> list[Case]:
    """Returns all cases in the order of the table."""
    theirs: dict[str, dict[str, Value]] = {}
    for row in _rows("metrics.csv"):
        value = Value(float(row["value"]), row["unit"])
        theirs.setdefault(row["case"], {})[row["metric"]] = value
    return [
        Case(row["case"], row["routing"], row["placement"], theirs[row["case"]])
        for row in _rows("cases.csv")
    ]


def _rows(file: str) -> list[dict[str, str]]:
    with (_FOLDER / file).open(encoding="utf-8") as text:
        return list(csv.DictReader(text))
