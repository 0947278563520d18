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
from pantala.report.machine import facts, plan_text, summary
from pantala.report.network_tables import classes_table, hottest_table
from pantala.report.page import render, write
from pantala.report.profile_tables import calls_table, counters_table, tiles_table
from pantala.report.reported_run import MANY, ReportedRun
from pantala.report.run_figures import run_figures
from pantala.report.sentences import Sentence, cause_sentences, opening
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

__all__ = ["EXPLORER", "explorer_beside", "render_report", "write_report"]

#: The page of the explorer in one file, beside a report that links to it.
EXPLORER = "explorer.html"


def write_report(run: RunLike | InterferenceLike, path: str | os.PathLike[str]) -> Path:
    """Writes the report of a run or an interference experiment as one HTML file; returns its path.

    If the page of the explorer lies beside it (`EXPLORER`), its sentences link to their places.

    Args:
        run: a run, or an interference experiment with `together`, `alone` and `slowdown`.
        path: the file to write; replaced if it exists.

    Raises:
        RunDirectoryError: the file cannot be written. A report that was there stays as it was.
    """
    return write(render_report(run, explorer_beside(path)), path)


def explorer_beside(path: str | os.PathLike[str]) -> str | None:
    """Returns the address of the explorer beside a report, up to the state; None without one."""
    return f"{EXPLORER}#" if (Path(path).parent / EXPLORER).is_file() else None


def render_report(run: RunLike | InterferenceLike, explorer: str | None = None) -> str:
    """Returns the report as HTML text. Equal tables give equal text.

    Args:
        run: a run, or an interference experiment with `together`, `alone` and `slowdown`.
        explorer: the address of the explorer up to the state, such as ``explorer.html#``, to which
            sentences link; None for no links.
    """
    return render("template.html.j2", _content(ReportedRun.of(run), explorer))


def _content(reported: ReportedRun, explorer: str | None) -> dict[str, Any]:
    def shown(sentence: Sentence) -> dict[str, str]:
        address = "" if explorer is None else f"{explorer}{sentence.place}"
        return {"text": sentence.text, "address": address}

    plan, document = reported.plan, reported.run.document
    announce("reading tables")
    return {
        "title": reported.name,
        "caveats": reported.caveats,
        "comparison": reported.slowdown is not None,
        "opening": [shown(each) for each in opening(reported)],
        "causes": []
        if explorer is None
        else [shown(each) for each in cause_sentences(reported, MANY)],
        "explorer": explorer,
        "summary": summary(plan),
        "warnings": warnings(reported),
        "colours": _colours(reported.names),
        "figures": run_figures(reported),
        **_tables(reported, explorer),
        "facts": facts(plan),
        "plan": plan_text(plan),
        "version": document["pantala"],
        "provenance": {
            key: value for key, value in document.get("provenance", {}).items() if value is not None
        },
    }


def _tables(reported: ReportedRun, explorer: str | None) -> dict[str, Any]:
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
        "hottest": hottest_table(reported, explorer),
        "runs": runs_table(reported),
    }


def _colours(names: Iterable[str]) -> dict[str, str]:
    """Returns the colour of each job in the page's style; the figures use the same colours."""
    return {
        name: f"var(--series-{PALETTE.index(colour)})" for name, colour in colours(names).items()
    }
