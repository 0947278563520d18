"""Operation files: the export of a job's operations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pantala.core import native
from pantala.errors import PlanError, UsageError, nearest
from pantala.files.atomic_file import atomic_file
from pantala.scenario import Scenario

__all__ = ["export_job"]


def export_job(scenario: Scenario, job: str | None, file: Path) -> dict[str, Any]:
    """Writes the operations of a job to an operation file.

    Args:
        scenario: the scenario.
        job: the job's name; not needed if there is one job.
        file: the file.

    Returns:
        The facts of the file: `hash`, `operations`, `records` and `bytes`.

    Raises:
        ScenarioError: the job's workload is wrong.
        UsageError: there is no such job, its operations depend on the run, or the file cannot be
            written.
    """
    names = [each.name for each in scenario.all_jobs]
    if job is None and len(names) == 1:
        job = names[0]
    if job is None:
        raise UsageError(
            f"--job: the scenario has the jobs {', '.join(names)}; name one with --job"
        )
    if job not in names:
        close = nearest(job, names)
        remedy = f"did you mean '{close}'?" if close else f"the jobs are {', '.join(names)}"
        raise UsageError(f"--job {job}: there is no such job; {remedy}")
    try:
        with atomic_file(file) as half:
            facts: dict[str, Any] = native.export_operations(scenario.plan(), job, half)
    except PlanError as error:
        raise scenario.error_of_plan(error) from None
    except ValueError as error:
        raise UsageError(str(error)) from None
    except OSError as error:
        reason = error.strerror or str(error).rpartition(": ")[2]
        raise UsageError(f"{file}: cannot be written: {reason}; name another file") from None
    return facts
