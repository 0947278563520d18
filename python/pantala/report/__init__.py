"""One HTML page that says who slowed whom down, by how much, when and where.

The page is one file: style, figures and numbers are inside it, and it fetches nothing.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from pantala.figures.runs import InterferenceLike, RunLike
from pantala.report.finding import finding
from pantala.report.machine import facts, plan_text, summary
from pantala.report.pictures import pictures
from pantala.report.sheets import communication_sheet, hottest_sheet, jobs_sheet, latency_sheets, runs_sheet
from pantala.report.subject import Subject
from pantala.report.warnings import warnings
from pantala.report.words import duration

__all__ = ["finding_of", "render_report", "write_report"]


def write_report(run: RunLike | InterferenceLike, path: str | os.PathLike[str]) -> Path:
    """Write the report of a run or of an interference study as one HTML file, and return its path.

    Args:
        run: A run, or an interference study with `together`, `alone` and `slowdown`.
        path: File to write; replaced if it exists.
    """
    target = Path(path)
    target.write_text(render_report(run), encoding="utf-8")
    return target


def render_report(run: RunLike | InterferenceLike) -> str:
    """Return the report as HTML text. The same tables give the same text."""
    environment = Environment(
        loader=PackageLoader("pantala.report", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["duration"] = duration
    return environment.get_template("template.html.j2").render(_content(Subject.of(run)))


def finding_of(run: RunLike | InterferenceLike) -> str:
    """Return the report's opening sentences: who slows whom down, and the hottest link."""
    return finding(Subject.of(run))


def _content(subject: Subject) -> dict[str, Any]:
    plan, document = subject.plan, subject.run.document
    return {
        "title": subject.name,
        "comparison": subject.slowdown is not None,
        "finding": finding(subject),
        "summary": summary(plan),
        "warnings": warnings(subject),
        "colours": subject.colours,
        "pictures": pictures(subject),
        "communication": communication_sheet(subject),
        "tiles": [] if subject.slowdown is None else subject.slowdown.drop_nulls("slowdown").to_dicts(),
        "jobs": jobs_sheet(subject),
        "latencies": latency_sheets(subject),
        "hottest": hottest_sheet(subject),
        "runs": runs_sheet(subject),
        "facts": facts(plan),
        "plan": plan_text(plan),
        "version": document["pantala"],
        "provenance": {key: value for key, value in document.get("provenance", {}).items() if value is not None},
    }
