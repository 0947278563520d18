"""`pantala check`: validates a scenario and shows what its resolved plan holds."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pantala.cli import complete
from pantala.cli.arguments import (
    MachinePreset,
    NoPrograms,
    Ranks,
    RoutingName,
    ScenarioFile,
    Settings,
    SizeLimit,
    Variables,
)
from pantala.text.plain_text import say

if TYPE_CHECKING:
    from pantala.core.plan import Plan
    from pantala.planning.run_cost import RunCost
    from pantala.scenario import Scenario

__all__ = ["HELP", "check"]

#: A check probes for less time than a dry run, because it is given often.
_PROBE_SECONDS = 0.2

HELP = """Check a scenario: its machine, its jobs, what a run takes.

The plan has every default value and the node of every rank. [b]--json[/b] prints it, and
[b]--plan[/b] writes it to a file. Each error is one line on standard error. A program in Python
runs, because the plan holds its operations. With [b]--plan[/b], its operation file is written
beside the plan, so that other machines need no Python. Tables that would be too large are a
warning; with [b]--plan[/b] they are an error.

The plan lists the values that no paper states under 'assumptions'. [b]--assumptions[/b] prints
them.
"""


def check(
    file: ScenarioFile,
    plan: Annotated[
        Path | None,
        typer.Option(
            "--plan",
            metavar="FILE",
            help="Write the plan to this file.",
            autocompletion=complete.files,
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the plan as JSON instead of a summary.")
    ] = False,
    settings: Settings = None,
    routing: RoutingName = None,
    preset: MachinePreset = None,
    variables: Variables = None,
    ranks: Ranks = None,
    assumptions: Annotated[
        bool,
        typer.Option(
            "--assumptions", help="Print the values that no paper states, with a reason for each."
        ),
    ] = False,
    size_limit: SizeLimit = None,
    no_programs: NoPrograms = False,
) -> None:
    """Checks a scenario file."""
    from pantala.cli.check_summary import summary_lines
    from pantala.cli.option_values import parse_settings
    from pantala.cli.scenario_file import read_scenario
    from pantala.core.ports import failed_words
    from pantala.errors import ScenarioError, UsageError
    from pantala.files.atomic_file import write_text
    from pantala.planning.cost import cost_words
    from pantala.planning.record_size import parse_limit
    from pantala.scenario.plan import plan_text

    limit = parse_limit(size_limit)
    changes = parse_settings(settings)
    try:
        scenario = read_scenario(file, changes, routing, preset, variables, ranks)
        planned = scenario.resolved_plan()
        resolved = planned.document
        cost = _warn(scenario, planned, limit, refuse=plan is not None)
        if plan is not None:
            _bring_operations(scenario, resolved, plan)
        text = plan_text(resolved) if as_json or plan is not None else ""
    except ScenarioError as error:
        say("\n".join(error.lines), file=sys.stderr)
        raise typer.Exit(error.exit_status) from None
    if as_json:
        say(text)
    elif plan is None:
        say("\n".join(summary_lines(resolved)))
    if plan is not None:
        try:
            write_text(plan, text + "\n")
        except OSError as error:
            raise UsageError(
                f"{plan}: cannot be written: {error.strerror}; name another --plan"
            ) from None
    say("\n".join(_summary(file, scenario, listed=assumptions)), file=sys.stderr)
    say(f"a run takes {cost_words(cost)}", file=sys.stderr)
    for line in _programs(scenario):
        say(line, file=sys.stderr)
    if failed := resolved["derived"].get("failed_links"):
        say(f"failed: {failed_words(failed)}", file=sys.stderr)
    if scenario.detail.coarsen > 1:
        say(resolved["derived"]["coarsened"], file=sys.stderr)


def _warn(scenario: Scenario, resolved: Plan, limit: int | None, *, refuse: bool) -> RunCost:
    """Warns of a run that would take long, of its jobs, ports and record, and of large tables.

    Args:
        scenario: the scenario.
        resolved: its plan.
        limit: the most bytes of its tables; see `pantala.planning.record_size.check_size`.
        refuse: whether tables that would be too large are an error. The program that runs a plan on
            several processes does not check them.

    Returns:
        What the run will cost.

    Raises:
        ScenarioError: a workload is wrong, its calls fail, or the tables are refused.
    """
    import warnings

    from pantala.errors import PlanError, ScenarioError, ScenarioWarning
    from pantala.planning.advice import advice_of_lengths, advice_of_windows, warn_of_plan
    from pantala.planning.call_order import check_calls
    from pantala.planning.cost import expected_cost, warn_of_cost
    from pantala.planning.record_size import check_size
    from pantala.planning.run_cost import traffic
    from pantala.runs.parts import parts_of

    try:
        sent = traffic(resolved)
    except PlanError as error:
        raise scenario.error_of_plan(error) from None
    large = ""
    try:
        check_size(resolved, sent, scenario.source, limit=limit)
    except ScenarioError as error:
        if refuse:
            raise
        large = f"{error.message}; {error.remedy}"
    parts = [part.jobs for part in parts_of(scenario, resolved)]
    cost = expected_cost(resolved, sent, parts, _PROBE_SECONDS)
    warn_of_cost(resolved, sent, cost, scenario.source)
    warn_of_plan(scenario, resolved, sent)
    check_calls(scenario, resolved)
    advice = (advice_of_lengths(resolved, sent), advice_of_windows(resolved, sent))
    for text in (*advice, large):
        if text:
            warnings.warn(ScenarioWarning(scenario.source, text), stacklevel=2)
    return cost


def _bring_operations(scenario: Scenario, resolved: dict[str, Any], plan: Path) -> None:
    """Copies the operation files of Python programs beside a plan, which then names the copies.

    Raises:
        UsageError: a file cannot be copied.
    """
    from pantala.errors import UsageError
    from pantala.files.atomic_file import atomic_file
    from pantala.scenario import PythonProgram

    programs = {job.name for job in scenario.all_jobs if isinstance(job.workload, PythonProgram)}
    for job in resolved["jobs"]:
        if job["name"] not in programs:
            continue
        copy = plan.with_name(f"{plan.stem}.{job['name']}.operations")
        try:
            with atomic_file(copy) as half:
                shutil.copyfile(job["workload"]["path"], half)
        except OSError as error:
            raise UsageError(
                f"{copy}: cannot be written: {error.strerror}; name another --plan"
            ) from None
        job["workload"]["path"] = copy.name


def _programs(scenario: Scenario) -> Iterator[str]:
    """Yields a line per job whose program in Python was run."""
    from pantala.scenario import PythonProgram

    for job in scenario.all_jobs:
        if isinstance(job.workload, PythonProgram):
            yield f"ran the program {job.workload.file}: job {job.name}, {job.ranks:,} ranks"


def _summary(file: Path, scenario: Scenario, *, listed: bool) -> Iterator[str]:
    """Returns a line with the scenario's size and assumptions, or a line per assumption."""
    from pantala.text.amounts import counted

    jobs = counted(len(scenario.all_jobs), "job")
    nodes = sum(job.node_count for job in scenario.all_jobs)
    keys: dict[str, list[str]] = {}
    for key, reason in scenario.assumptions().items():
        keys.setdefault(reason, []).append(key)
    number = sum(map(len, keys.values()))
    assumed = f"; {counted(number, 'assumption')}" if number else ""
    more = ":" if listed else " (--assumptions lists them)"
    yield (
        f"{file}: valid; {jobs}, {nodes:,} of {scenario.machine.job_nodes:,}"
        f" nodes{assumed}{more if number else ''}"
    )
    if listed:
        for reason, those in keys.items():
            yield f"  {', '.join(those)}: {reason}"
