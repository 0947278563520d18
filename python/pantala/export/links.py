"""The links of a topology as a table in a file."""

from __future__ import annotations

from pathlib import Path

from pantala.core import native
from pantala.errors import PlanError, UsageError
from pantala.files.atomic_file import atomic_file, write_text
from pantala.files.csv_text import csv_text
from pantala.planning.topology import error_of_network, link_table
from pantala.scenario import Topology

__all__ = ["write_links"]


def write_links(chosen: Topology, path: Path) -> None:
    """Writes the link table to a Parquet file, or to a CSV file if its name ends in `.csv`.

    Raises:
        ScenarioError: no such network can be built.
        UsageError: the name has another ending, or the file cannot be written.
    """
    if path.suffix not in (".parquet", ".csv"):
        raise UsageError(f"{path}: has no ending of a table; end the name in .parquet or .csv")
    try:
        if path.suffix == ".csv":
            write_text(path, csv_text(link_table(chosen)))
            return
        with atomic_file(path) as half:
            native.write_link_table(chosen.as_plan(), half)
    except PlanError as error:
        raise error_of_network(error) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(f"{path}: cannot be written: {reason}; name another file") from None
