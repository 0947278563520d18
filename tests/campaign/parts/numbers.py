"""Every number of a report and of the console can be recomputed from the Parquet tables.

Each case is an odd scenario (cut off, one rank, no traffic, a late job, failed links, saturated,
skipped time, coarse, many small jobs, hostile names, interference, repeating), under several
routings, topologies and router models. `pantala run` simulates it and writes its report; queries
in DuckDB, which share no code with Pantala and follow the definitions of the reference, compute
every cell of the report's tables, every number of its sentences, captions and titles, the table of
jobs on the console, and every value of `pantala metrics --run`. A number that no query explains is
a failure.

Inputs are numbers that the plan holds. The numbers that are not recomputed are counted: clocks of
the machine, tables of Aries tiles (the map of tiles is in no table), the stated error of skipped
time, jobs that are compared over some of their iterations, and the binding resource.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from campaign.console import check_metrics, check_summary
from campaign.figure_marks import check_figures
from campaign.odd import odd
from campaign.page_tables import check_table
from campaign.page_texts import check_texts
from campaign.recomputed import Runs
from campaign.shown import Page
from campaign.stretch import Stretch
from campaign.toml_text import toml_text

TITLE = "Independent numbers"
COLUMNS = {
    "runs": "runs",
    "right": "right",
    "input": "inputs",
    "free": "not recomputed",
    "failures": "failures",
}
CASES = 60
#: Kinds of problems that one case may report; more are of the same cause.
_MOST = 5


def run(stretch: Stretch) -> None:
    """Recomputes the numbers of odd runs until the time or the cases are over."""
    for case in stretch.cases(upto=CASES):
        kind, tables = odd(stretch.seed, case)
        out = stretch.scratch / str(case)
        out.mkdir()
        file = out / "scenario.json"
        file.write_text(json.dumps(tables))
        counted: dict[str, int] = {}
        stretch.add(kind, runs=1)
        for outcome, where in checked(file, out / "run"):
            if outcome != "wrong":
                stretch.add(kind, **{outcome: 1})
                continue
            counted["wrong"] = counted.get("wrong", 0) + 1
            if counted["wrong"] <= _MOST:
                stretch.failure(kind, case, where)
            else:
                stretch.add(kind, failures=1)
        shutil.rmtree(out, ignore_errors=True)


def checked(scenario: Path, directory: Path) -> Iterator[tuple[str, str]]:
    """Runs a scenario of JSON on the command line; yields the outcome of each number it shows."""
    toml = scenario.with_suffix(".toml")
    given: dict[str, object] = json.loads(scenario.read_text())
    toml.write_text(toml_text(given))
    shown = _pantala("run", toml, "--out", directory)
    runs = Runs(directory)
    page = Page((directory / "report.html").read_text(encoding="utf-8"))
    for table in page.tables:
        yield from check_table(runs, table)
    yield from check_texts(runs, page)
    yield from check_summary(runs, shown)
    yield from check_figures(runs, page)
    parts = {"together": runs.main, **{f"alone-{name}": run for name, run in runs.alone.items()}}
    for part, tables in parts.items():
        place = directory / part if runs.alone else directory
        yield from check_metrics(tables, runs.jobs(tables), _pantala("metrics", "--run", place))


def _pantala(*line: str | Path) -> str:
    """Returns what a command prints on a wide terminal."""
    ended = subprocess.run(
        [sys.executable, "-m", "pantala", *map(str, line)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"COLUMNS": "240", "NO_COLOR": "1"},
    )
    if ended.returncode:
        raise RuntimeError(f"pantala {line[0]}: {ended.stderr.strip()}")
    return ended.stdout
