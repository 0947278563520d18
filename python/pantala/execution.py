"""Running a scenario: one run, or an interference experiment.

An interference experiment runs each job alone and then all jobs together. Its plan is resolved
once; the plans of all its runs are parts of the resolved plan.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from rich.console import Console

from pantala import native
from pantala.errors import Interrupted, PlanError, SimulationError, UsageError
from pantala.plan import only_jobs
from pantala.progress import ProgressLine
from pantala.results import InterferenceExperiment, Run, load
from pantala.run_directory import INTERFERENCE_FILE, RUN_FILE, OutputDirectory
from pantala.scenario import Scenario
from pantala.slowdown import SLOWDOWN_FILE, slowdown_of

__all__ = ["REPORT_FILE", "run", "write_report"]

#: The name of the report in a run directory.
REPORT_FILE = "report.html"


def run(
    scenario: Scenario,
    out: str | Path | None = None,
    *,
    overwrite: bool = False,
    progress: bool | None = None,
    report: bool = True,
    threads: native.Threads = 1,
) -> Run | InterferenceExperiment:
    """Runs a scenario and opens its results.

    Args:
        scenario: the scenario.
        out: the run directory; ``runs/NAME`` if not given.
        overwrite: whether to replace a run that is there already.
        progress: whether to show progress on standard error; if not given, only on a terminal.
        report: whether to write report.html into the directory.
        threads: the number of threads, or "auto" for the number that pays. Results do not depend on
            it. Each thread has some groups of the machine, so there are at most as many threads as
            groups. There is one thread if routers read the queues of other groups
            (``ugal_global``).

    Returns:
        The run; an `InterferenceExperiment` if the scenario sets ``interference``.

    Raises:
        UsageError: `scenario` is no scenario, or there is no such number of threads. Nothing has
            been written.
        ScenarioError: the scenario cannot be run. Nothing has been written.
        RunDirectoryError: the directory is taken or cannot be written. Nothing has been written.
        SimulationError: the simulation could not continue. Its tables are kept, marked incomplete.
        Interrupted: Ctrl-C, as a `KeyboardInterrupt`. The tables are kept, marked incomplete.

    Warns:
        ScenarioWarning: it runs, but packets could wait for each other in a cycle.
    """
    if not isinstance(scenario, Scenario):
        raise UsageError(
            f"run: {scenario!r} is not a Scenario; read a file with Scenario.from_toml('FILE.toml')"
        )
    native.check_threads(threads)
    target = Path("runs") / scenario.name if out is None else Path(out)
    resolved = scenario.resolve()
    parts = _parts(scenario, resolved)
    output = OutputDirectory(target, overwrite=overwrite)
    console = Console(stderr=True)
    shown = console.is_terminal if progress is None else progress
    output.begin()
    try:
        with ProgressLine(len(parts), console if shown else None) as line:
            _simulate(scenario, parts, output, line, threads)
    except PlanError as error:
        output.discard()
        raise scenario.error_of_plan(error) from None
    except SimulationError as error:
        raise SimulationError(str(error), _keep(output)) from None
    except KeyboardInterrupt:
        raise Interrupted(_keep(output)) from None
    except BaseException:
        output.discard()
        raise
    output.publish()
    result = load(target)
    if report:
        write_report(result)
    return result


def write_report(result: Run | InterferenceExperiment) -> Path:
    """Writes report.html, a page in one file, into the directory of a run; returns its path."""
    from pantala.report import write_report as write

    path = result.path / REPORT_FILE
    write(result, path)
    return path


@dataclass(frozen=True)
class _Part:
    """One simulation: its name, its directory below the output directory, and its plan."""

    name: str
    directory: str
    plan: dict[str, Any]
    #: Whether it lasts as long as the run together, which comes before it.
    as_long_as_together: bool = False

    @property
    def jobs(self) -> list[str]:
        return [job["name"] for job in self.plan["jobs"]]


def _parts(scenario: Scenario, resolved: dict[str, Any]) -> list[_Part]:
    """Returns the simulations of a scenario in order: jobs that end, all jobs together, patterns.

    A pattern never ends. It runs alone for the simulated time of the run together, so that both
    send for the same time.
    """
    if not scenario.interference:
        return [_Part(scenario.name, ".", resolved)]

    def part(name: str, jobs: list[str], *, endless: bool = False) -> _Part:
        return _Part(name, name, only_jobs(resolved, jobs, name), endless)

    alone = [part(f"alone-{job.name}", [job.name], endless=job.endless) for job in scenario.jobs]
    together = part("together", [job.name for job in scenario.jobs])
    return sorted([*alone, together], key=lambda part: (part.as_long_as_together, part is together))


def _simulate(
    scenario: Scenario,
    parts: list[_Part],
    output: OutputDirectory,
    line: ProgressLine,
    threads: native.Threads,
) -> None:
    done: list[_Part] = []
    all_ran = False
    together_ps = 0
    try:
        for part in parts:
            directory = output.partial / part.directory
            directory.mkdir(exist_ok=True)
            done.append(part)
            line.start(part.name)
            plan = part.plan
            if part.as_long_as_together:
                plan = {**plan, "stop": {**plan["stop"], "duration_ps": together_ps}}
            document = native.run(
                plan, directory, cast("native.ProgressCallback", line.update), threads
            )
            if part.name == "together":
                together_ps = round(document["simulated_ns"] * 1000)
            line.finish(document)
        all_ran = True
    finally:
        if scenario.interference:
            _write_interference(scenario, done, output.partial, all_ran)


def _write_interference(
    scenario: Scenario, done: list[_Part], directory: Path, all_ran: bool
) -> None:
    """Writes the slowdown table if every part ran, and interference.json if any part ran."""
    made = [part for part in done if (directory / part.directory / RUN_FILE).is_file()]
    if not made:
        return
    runs = {part.name: Run(directory / part.directory) for part in made}
    if all_ran:
        alone = {part.jobs[0]: runs[part.name] for part in made if part.name != "together"}
        table = slowdown_of(runs["together"], alone)
        table.write_parquet(directory / SLOWDOWN_FILE, compression="zstd", statistics=False)
    coarsened = next(iter(runs.values())).coarsened
    document = {
        **({} if coarsened is None else {"coarsened": coarsened}),
        "pantala": native.core().VERSION,
        "name": scenario.name,
        "complete": all_ran and all(run.complete for run in runs.values()),
        "parts": [
            {"part": part.name, "directory": part.directory, "jobs": part.jobs} for part in made
        ],
    }
    (directory / INTERFERENCE_FILE).write_text(
        json.dumps(document, indent=2) + "\n", encoding="utf-8"
    )


def _keep(output: OutputDirectory) -> Path | None:
    """Publishes the tables of an unfinished run, marked incomplete; None if there are none."""
    if not any((output.partial / name).is_file() for name in (RUN_FILE, INTERFERENCE_FILE)):
        output.discard()
        return None
    return output.publish()
