"""Warnings that a reader must know before using the numbers."""

from __future__ import annotations

from pantala.analysis.slowdown import accepted_throughput
from pantala.report.reported_run import ReportedRun
from pantala.run_tables.run_like import RunLike
from pantala.runs.curve_states import ACCEPTED
from pantala.text.amounts import significant
from pantala.text.core_times import in_units

__all__ = ["warnings"]


def warnings(reported: ReportedRun) -> list[str]:
    """Returns the faults of every run of the report; an empty list if there are none."""
    found = []
    if reported.missing:
        found.append(
            f"The experiment was interrupted; missing: {', '.join(reported.missing)}. To continue,"
            " give the same pantala run command again."
        )
    for title, run in reported.parts.items():
        texts = (*_diagnosis(run), *_planned(run), *_conservation(run), *_saturation(run))
        found += [f"{title}: {text}" for text in texts]
    return found


def _diagnosis(run: RunLike) -> list[str]:
    """Returns what a run waited for that stalled; the caveats say that it ended early."""
    diagnosis = run.document.get("diagnosis")
    return [in_units(str(diagnosis))] if diagnosis else []


def _planned(run: RunLike) -> list[str]:
    """Returns the warnings of the resolved plan, for example a possible deadlock."""
    return [f"{text}." for text in run.document["plan"].get("derived", {}).get("warnings", [])]


def _conservation(run: RunLike) -> list[str]:
    lost = [name for name, kept in run.document["conservation"].items() if not kept]
    return [f"the count of {name} does not balance; please report this as a bug." for name in lost]


def _saturation(run: RunLike) -> list[str]:
    found = []
    for number, job in enumerate(run.document["plan"]["jobs"]):
        offered = job["workload"].get("load")
        accepted = None if offered is None else accepted_throughput(run, number)
        if accepted is not None and accepted < ACCEPTED * offered:
            found.append(
                f"{job['name']} is saturated: {significant(accepted)} accepted of {offered:g}"
                " offered. Its latency grows with the length of the run."
            )
    return found
