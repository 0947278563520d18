"""The recorded scenarios and the results of their runs."""

from __future__ import annotations

import json
import os
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pantala as pt
from pantala.experiments.experiment import Experiment

__all__ = ["FILE", "Recorded", "read", "results", "write"]

FILE = Path(__file__).with_name("scenarios.jsonl")
ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Recorded:
    """A scenario and its results.

    Attributes:
        number: its number.
        tables: the scenario's tables.
        results: the `result_hash` of each of its runs by part.
    """

    number: int
    tables: Mapping[str, Any]
    results: Mapping[str, str]


def read() -> list[Recorded]:
    """Returns all recorded scenarios in order."""
    return [
        Recorded(each["number"], each["scenario"], each["results"])
        for each in map(json.loads, FILE.read_text(encoding="utf-8").splitlines())
    ]


def write(recorded: Sequence[Recorded]) -> None:
    """Writes all scenarios, one per line."""
    lines = [
        json.dumps({"number": each.number, "scenario": each.tables, "results": each.results})
        for each in recorded
    ]
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def results(tables: Mapping[str, Any], threads: int) -> dict[str, str]:
    """Runs a scenario and returns the `result_hash` of each run by part.

    Paths of programs and traces lead from the root of the project.

    Raises:
        PantalaError: the scenario cannot be run.
    """
    with _at_root(), tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scenario = pt.Scenario.from_dict(tables)
        out = Path(folder) / "run"
        found = pt.run(scenario, out=out, report=False, progress=False, threads=threads)
        runs = found.parts if isinstance(found, Experiment) else {"run": found}
        return {part: run.document["result_hash"] for part, run in runs.items()}


@contextmanager
def _at_root() -> Iterator[None]:
    before = Path.cwd()
    os.chdir(ROOT)
    try:
        yield
    finally:
        os.chdir(before)
