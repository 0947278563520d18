"""Writes the report of a run beside it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pantala.errors import RunDirectoryError
from pantala.files.run_directory import REPORT_FILE
from pantala.text.steps import announce

if TYPE_CHECKING:
    from pantala.experiments.experiment import Experiment
    from pantala.results.run import Run

__all__ = ["write_report"]


def write_report(result: Run | Experiment) -> Path:
    """Writes report.html, a page in one file, into the directory of a run; returns its path.

    Raises:
        RunDirectoryError: it cannot be written. A report that was there stays as it was.
    """
    from pantala.report.page import write
    from pantala.report.run_report import explorer_beside, render_report

    path = result.path / REPORT_FILE
    text = render_report(result, explorer_beside(path))
    announce("writing")
    try:
        write(text, path)
    except RunDirectoryError as error:
        remedy = (
            f"the tables are kept; {error.remedy} and give the same command again, or write the"
            f" page elsewhere: pantala report {result.path} --out FILE"
        )
        raise RunDirectoryError(path, error.message, remedy) from None
    return path
