"""The report of a run or an interference experiment as HTML.

The page is one file. It holds its style, figures and numbers and fetches nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pantala.figures.style import PALETTE, colours
from pantala.report.effects import effects_tables
from pantala.report.finding import finding, hottest_sentence
from pantala.report.machine import facts, plan_text, summary
from pantala.report.network_tables import classes_table, hottest_table
from pantala.report.page import render, write
from pantala.report.profile_tables import calls_table, counters_table, tiles_table
from pantala.report.reported_run import ReportedRun
from pantala.report.run_figures import run_figures
from pantala.report.summary_cards import tiles
from pantala.report.tables import (
    communication_table,
    jobs_table,
    latency_table,
    runs_table,
    traffic_table,
)
from pantala.report.warnings import warnings
from pantala.run_tables.run_like import InterferenceLike, RunLike
from pantala.text.steps import announce

__all__ = ["render_report", "write_report"]


def write_report(run: RunLike | InterferenceLike, path: str | os.PathLike[str]) -> Path:
    """Writes the report of a run or an interference experiment as one HTML file; returns its path.

    Args:
        run: a run, or an interference experiment with `together`, `alone` and `slowdown`.
        path: the file to write; replaced if it exists.

    Raises:
        RunDirectoryError: the file cannot be written. A report that was there stays as it was.
    """
    return write(render_report(run), path)


def render_report(run: RunLike | InterferenceLike) -> str:
    """Returns the report as HTML text. Equal tables give equal text."""
    return render("template.html.j2", _content(ReportedRun.of(run)))


def _content(reported: ReportedRun) -> dict[str, Any]:
    plan, document = reported.plan, reported.run.document
    announce("reading tables")
    return {
        "title": reported.name,
        "caveats": reported.caveats,
        "comparison": reported.slowdown is not None,
        "finding": finding(reported),
        "binding": reported.binding,
        "hottest_link": hottest_sentence(reported),
        "summary": summary(plan),
        "warnings": warnings(reported),
        "colours": _colours(reported.names),
        "figures": run_figures(reported),
        **_tables(reported),
        "facts": facts(plan),
        "plan": plan_text(plan),
        "version": document["pantala"],
        "provenance": {
            key: value for key, value in document.get("provenance", {}).items() if value is not None
        },
    }


def _tables(reported: ReportedRun) -> dict[str, Any]:
    announce("tables")
    return {
        "communication": communication_table(reported),
        "traffic": traffic_table(reported),
        "tiles": tiles(reported),
        "jobs": jobs_table(reported),
        "latency": latency_table(reported),
        "classes": classes_table(reported),
        "calls": calls_table(reported),
        "counters": counters_table(reported),
        "tile_classes": tiles_table(reported),
        "effects": effects_tables(reported),
        "hottest": hottest_table(reported),
        "runs": runs_table(reported),
    }


def _colours(names: Iterable[str]) -> dict[str, str]:
    """Returns the colour of each job in the page's style; the figures use the same colours."""
    return {
        name: f"var(--series-{PALETTE.index(colour)})" for name, colour in colours(names).items()
    }
