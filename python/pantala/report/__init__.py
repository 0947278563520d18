"""One HTML page that says who slowed whom down, by how much, when and where.

The page is one file: style, figures and numbers are inside it, and it fetches nothing.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from pantala.figures.runs import InterferenceLike, RunLike
from pantala.report.finding import SCOPE, finding, hottest_sentence
from pantala.report.machine import facts, plan_text, summary
from pantala.report.pictures import pictures
from pantala.report.sheets import (
    classes_sheet,
    communication_sheet,
    hottest_sheet,
    jobs_sheet,
    latency_sheets,
    runs_sheet,
    traffic_sheet,
)
from pantala.report.subject import Subject
from pantala.report.tiles import tiles
from pantala.report.warnings import warnings

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
    return environment.get_template("template.html.j2").render(_content(Subject.of(run)))


def finding_of(run: RunLike | InterferenceLike) -> str:
    """Return the report's opening sentences: who is slowed down by how much, and which link is the
    hottest.
    """
    subject = Subject.of(run)
    return " ".join(filter(None, [finding(subject), hottest_sentence(subject), SCOPE]))


def _content(subject: Subject) -> dict[str, Any]:
    plan, document = subject.plan, subject.run.document
    return {
        "title": subject.name,
        "coarsened": document.get("coarsened"),
        "comparison": subject.slowdown is not None,
        "finding": finding(subject),
        "hottest_link": hottest_sentence(subject),
        "scope": SCOPE,
        "summary": summary(plan),
        "warnings": warnings(subject),
        "colours": subject.colours,
        "pictures": pictures(subject),
        "communication": communication_sheet(subject),
        "traffic": traffic_sheet(subject),
        "tiles": tiles(subject),
        "jobs": jobs_sheet(subject),
        "latencies": latency_sheets(subject),
        "classes": classes_sheet(subject),
        "hottest": hottest_sheet(subject),
        "runs": runs_sheet(subject),
        "facts": facts(plan),
        "plan": plan_text(plan),
        "version": document["pantala"],
        "provenance": {
            key: value for key, value in document.get("provenance", {}).items() if value is not None
        },
    }
