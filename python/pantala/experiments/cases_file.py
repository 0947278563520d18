"""``cases.parquet``: the cases of an experiment, those that are refused included.

The file has a row per case and part: ``case``, the axes, ``part`` and ``run``. A case that cannot
be run has one row without part and run, and the reason in the column ``refused``. This is the only
place with the reason. The column is missing if no case is refused.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from pantala.files.atomic_file import write_table
from pantala.files.forks import check_no_fork
from pantala.files.input_file import check_regular

__all__ = ["CASES_FILE", "REFUSED", "SIZE", "over_seeds", "read_cases", "write_cases"]

CASES_FILE = "cases.parquet"
#: The column with the reason why a case cannot be run.
REFUSED = "refused"
#: The column with the expected bytes of the tables of a run, if they can be large.
SIZE = "table_bytes"


def read_cases(folder: Path) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Returns the runs and the refused cases of an experiment.

    Args:
        folder: the folder of the experiment.

    Returns:
        The runs: ``case``, the axes, ``part``, ``run``, ``table_bytes``. The refused cases:
        ``case``, the axes, ``refused``.

    Raises:
        OSError, PolarsError: the file cannot be read.
    """
    check_regular(folder / CASES_FILE)
    check_no_fork(folder / CASES_FILE)
    frame = pl.read_parquet(folder / CASES_FILE, glob=False)
    for name, kind in ((REFUSED, pl.String), (SIZE, pl.Float64)):
        if name not in frame.columns:
            frame = frame.with_columns(pl.lit(None, kind).alias(name))
    is_run = pl.col(REFUSED).is_null()
    return (
        frame.filter(is_run).drop(REFUSED),
        frame.filter(~is_run).drop("part", "run", SIZE),
    )


def over_seeds(refused: pl.DataFrame) -> pl.DataFrame:
    """Returns refused cases with one row for all seeds that have the same reason.

    Args:
        refused: rows with the values of the axes and a reason.

    Returns:
        The rows; ``seed`` is text: the seed, or the number of seeds.
    """
    if "seed" not in refused.columns:
        return refused
    keys = [name for name in refused.columns if name not in ("case", "seed")]
    seed = pl.col("seed").cast(pl.String)
    several = pl.format("{} seeds", pl.len())
    grouped = refused.group_by(keys, maintain_order=True).agg(
        seed=pl.when(pl.len() > 1).then(several).otherwise(seed.first())
    )
    return grouped.select(name for name in refused.columns if name != "case")


def write_cases(folder: Path, runs: pl.DataFrame, refused: pl.DataFrame) -> None:
    """Writes the runs and the refused cases of an experiment, as `read_cases` returns them.

    Raises:
        OSError: the file cannot be written.
    """
    frame = runs if runs[SIZE].null_count() < runs.height else runs.drop(SIZE)
    if refused.height:
        frame = pl.concat([frame, refused], how="diagonal").sort("case", maintain_order=True)
    write_table(folder / CASES_FILE, frame)
