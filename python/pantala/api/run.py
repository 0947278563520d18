"""Running a scenario: one run, or an interference experiment.

An interference experiment consists of several runs. Its plan is resolved once; the plans of all its
runs are parts of the resolved plan.
"""

from __future__ import annotations

from pathlib import Path
from typing import cast

from pantala.api.report import write_report
from pantala.core.extension import Threads, check_threads, core
from pantala.core.plan import Plan, ProgressCallback
from pantala.errors import Interrupted, PlanError, SimulationError, UsageError
from pantala.experiments.experiment import Experiment
from pantala.files.run_directory import (
    REPORT_FILE,
    RUN_FILE,
    OutputDirectory,
    check_place,
    document_of,
)
from pantala.planning.advice import warn_of_plan
from pantala.planning.cost import LONG, expected_cost, warn_of_cost
from pantala.planning.record_size import check_size, parse_limit
from pantala.planning.run_cost import RunCost, traffic
from pantala.results.run import Run
from pantala.runs.interference import InterferenceRuns
from pantala.runs.parts import parts_of
from pantala.runs.progress import ProgressLine, shown_steps
from pantala.scenario import Scenario
from pantala.scenario.program_lines import with_lines
from pantala.text.plain_console import PlainConsole

__all__ = ["expected", "run"]


def run(
    scenario: Scenario,
    out: str | Path | None = None,
    *,
    overwrite: bool = False,
    progress: bool | None = None,
    report: bool = True,
    threads: Threads = 1,
    size_limit: str | None = None,
) -> Run | Experiment:
    """Runs a scenario and opens its results.

    Args:
        scenario: the scenario.
        out: the run directory; ``runs/NAME`` if not given.
        overwrite: whether to replace a run that is there already; files in the directory that
            Pantala did not write stay. Without it, an interrupted interference experiment continues
            with its missing runs. A complete run without its report, because the process was
            killed, gets the report.
        progress: whether to show progress on standard error; if not given, only on a terminal.
        report: whether to write report.html into the directory.
        threads: the number of threads, or "auto" for the number that pays. Results do not depend on
            it. Each thread has some groups of the machine, so there are at most as many threads as
            groups. There is one thread if routers read the queues of other groups
            (``ugal_global``).
        size_limit: the most that the tables of a run may take, such as ``"500 GB"``. If not given,
            100 GB, and no more than is free on the disk. Pantala estimates their size before the
            run.

    Returns:
        The run; an `Experiment` of one case if the scenario sets ``interference``.

    Raises:
        UsageError: `scenario` is no scenario, `size_limit` is no size, or there is no such number
            of threads. Nothing has been written.
        ScenarioError: the scenario cannot be run, or its tables would be too large. Nothing has
            been written.
        RunDirectoryError: the directory is taken or cannot be written. Nothing has been written.
        SimulationError: the simulation could not continue. Its tables are kept, marked incomplete.
        Interrupted: Ctrl-C, as a `KeyboardInterrupt`. The tables are kept, marked incomplete.

    Warns:
        ScenarioWarning: it runs, but packets could wait for each other in a cycle, the run would
            take more than an hour, global ports have no link, or a job sends nothing.
    """
    if not isinstance(scenario, Scenario):
        raise UsageError(
            f"run: {scenario!r} is not a Scenario; read a file with Scenario.from_toml('FILE.toml')"
        )
    check_threads(threads)
    limit = parse_limit(size_limit)
    target = Path("runs") / scenario.name if out is None else Path(out)
    resolved = scenario.resolved_plan()
    try:
        sent = traffic(resolved)
    except PlanError as error:
        raise scenario.error_of_plan(error) from None
    check_place(target)
    check_size(resolved, sent, scenario.source, target, limit)
    parts = parts_of(scenario, resolved)
    cost = expected_cost(resolved, sent, [part.jobs for part in parts], probe_from=LONG / 10)
    warn_of_cost(resolved, sent, cost, scenario.source)
    warn_of_plan(scenario, resolved, sent)
    console = PlainConsole(stderr=True)
    shown = console.is_terminal if progress is None else progress
    line = ProgressLine(len(parts), console if shown else None)
    if scenario.interference:
        runs = InterferenceRuns(
            target, scenario, resolved, parts, overwrite=overwrite, report=report
        )
        _simulate_parts(scenario, runs, line, threads)
    elif report and not overwrite and _lacks_report(target, resolved):
        if shown:
            console.print(f"{target}: holds this run; writing its report", markup=False)
    else:
        _simulate_one(
            scenario, resolved, OutputDirectory(target, overwrite=overwrite), line, threads
        )
    result = Experiment(target) if scenario.interference else Run(target)
    if report:
        with shown_steps("report", console if shown else None):
            write_report(result)
    return result


def expected(
    scenario: Scenario, out: str | Path | None = None, size_limit: str | None = None
) -> tuple[int, RunCost]:
    """Returns the number of simulations of a scenario, and what all of them will cost.

    A short part of the run is simulated; nothing is kept. Arguments, errors and warnings are those
    of `run`.
    """
    limit = parse_limit(size_limit)
    target = Path("runs") / scenario.name if out is None else Path(out)
    resolved = scenario.resolved_plan()
    try:
        sent = traffic(resolved)
    except PlanError as error:
        raise scenario.error_of_plan(error) from None
    check_size(resolved, sent, scenario.source, target, limit)
    parts = parts_of(scenario, resolved)
    cost = expected_cost(resolved, sent, [part.jobs for part in parts])
    warn_of_cost(resolved, sent, cost, scenario.source)
    warn_of_plan(scenario, resolved, sent)
    return len(parts), cost


def _lacks_report(target: Path, plan: Plan) -> bool:
    """Returns whether a directory holds the complete run of a plan, but no report."""
    document = document_of(target)
    return (
        document is not None
        and document.get("complete") is True
        and document.get("pantala") == core().VERSION
        and document.get("plan") == plan.document
        and not (target / REPORT_FILE).exists()
    )


def _simulate_one(
    scenario: Scenario,
    plan: Plan,
    output: OutputDirectory,
    line: ProgressLine,
    threads: Threads,
) -> None:
    """Simulates a plan into a directory, which appears when the run ends."""
    output.begin()
    try:
        with line:
            line.start(scenario.name)
            update = cast("ProgressCallback", line.update)
            line.finish(plan.run(output.partial, update, threads))
    except PlanError as error:
        output.discard()
        raise scenario.error_of_plan(error) from None
    except SimulationError as error:
        raise SimulationError(with_lines(str(error), scenario), _keep(output)) from None
    except KeyboardInterrupt:
        raise Interrupted(_keep(output)) from None
    except BaseException:
        output.discard()
        raise
    output.publish()


def _keep(output: OutputDirectory) -> Path | None:
    """Publishes the tables of an unfinished run, marked incomplete; None if there are none."""
    if not (output.partial / RUN_FILE).is_file():
        output.discard()
        return None
    return output.publish()


def _simulate_parts(
    scenario: Scenario, runs: InterferenceRuns, line: ProgressLine, threads: Threads
) -> None:
    """Simulates the missing parts of an interference experiment; each is kept when it ends."""
    runs.begin()
    try:
        with line:
            runs.simulate(line, threads)
    except PlanError as error:
        runs.end()
        raise scenario.error_of_plan(error) from None
    except SimulationError as error:
        raise SimulationError(with_lines(str(error), scenario), runs.end()) from None
    except KeyboardInterrupt:
        raise Interrupted(runs.end(), continues=True) from None
    except BaseException:
        runs.end()
        raise
    runs.end()
