"""The shares of jobs in the hottest links are of the time that their utilization is of."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from pantala.analysis.hottest_links import hottest_table
from pantala.analysis.link_load import link_loads
from pantala.results.run import Run
from small_runs import small_run

pytestmark = pytest.mark.native

#: Links of the table: enough that jobs share some of them.
MOST = 200


def shares(run: Run, rows: pl.LazyFrame) -> list[float]:
    """Returns the first job's share of the bytes of rows, on each of the hottest links."""
    first = pl.col("bytes").filter(pl.col("job") == 0).sum()
    by_link = rows.group_by("link").agg(share=first / pl.col("bytes").sum()).collect()
    return (
        hottest_table(run, MOST).join(by_link, on="link", maintain_order="left")["share"].to_list()
    )


def test_jobs_share_the_bytes_of_the_time_in_which_all_ran(tmp_path: Path) -> None:
    run = small_run(tmp_path)
    loads, start = link_loads(run), pl.col("window_start_ns")
    assert loads.shared
    assert loads.end_ns < run.document["simulated_ns"]
    shared = run.link_windows.filter(start >= loads.start_ns, start < loads.end_ns)
    table = hottest_table(run, MOST)
    assert table["job_0_share"].to_list() == pytest.approx(shares(run, shared))
    assert table["job_0_share"].to_list() != pytest.approx(shares(run, run.link_jobs), rel=1e-3)
    assert table.select(pl.sum_horizontal("job_0_share", "job_1_share")).to_series().to_list() == (
        pytest.approx([1.0] * table.height)
    )


def test_jobs_share_the_bytes_of_a_whole_run_without_windows(tmp_path: Path) -> None:
    empty = small_run(tmp_path).link_windows.collect().clear()
    empty.write_parquet(tmp_path / "link_windows.parquet")
    run = Run(tmp_path)
    assert not link_loads(run).shared
    table = hottest_table(run, MOST)
    assert table["job_0_share"].to_list() == pytest.approx(shares(run, run.link_jobs))
