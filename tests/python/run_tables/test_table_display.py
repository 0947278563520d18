"""Tables of a run in a notebook: their meaning and their first rows."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from pantala.catalogue.tables import TABLES
from pantala.errors import RunDirectoryError
from pantala.results.run import Run
from small_runs import small_run

pytestmark = pytest.mark.native


def test_a_table_shows_its_meaning_and_its_first_rows(tmp_path: Path) -> None:
    run = small_run(tmp_path)
    shown = run.jobs._repr_html_()
    assert f"<b>jobs</b>: {TABLES['jobs'].text[:40]}" in shown
    assert "fft3d" in shown
    assert "The first" not in shown
    long = run.links._repr_html_()
    assert "The first 10 rows; .collect() has all." in long
    assert long.count("<tr>") == 2 + 10  # names and types of columns
    assert "It has no rows." in run.blame._repr_html_()


def test_a_frame_made_from_a_table_stays_lazy(tmp_path: Path) -> None:
    run = small_run(tmp_path)
    made = run.links.filter(pl.col("bytes") > 0)
    assert isinstance(made, pl.LazyFrame)
    assert "<b>links</b>" not in made._repr_html_()
    assert pl.concat([run.jobs, run.jobs]).collect().height == 4
    assert run.jobs.join(run.ranks, on="job").collect().height == 68


def test_a_damaged_table_is_told(tmp_path: Path) -> None:
    run = small_run(tmp_path)
    opened = run.links
    file = tmp_path / "links.parquet"
    whole = bytearray(file.read_bytes())
    whole[8 : len(whole) // 2] = bytes(len(whole) // 2 - 8)
    file.write_bytes(whole)
    assert "<b>links</b>: cannot be read" in opened._repr_html_()
    with pytest.raises(RunDirectoryError, match=r"links\.parquet is damaged"):
        _ = Run(tmp_path).links
