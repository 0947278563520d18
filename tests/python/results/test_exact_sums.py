"""Sums that do not depend on the order of the rows, and the figures that show them."""

from __future__ import annotations

from pathlib import Path
from random import Random

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pantala as pt
from pantala.analysis.hottest_links import hottest_table
from pantala.figures.link_time import links_over_time_table
from pantala.run_tables.exact_sums import exact_sum

TIMES = st.lists(st.integers(0, 10**12), min_size=1, max_size=50)


@given(times=TIMES, order=st.randoms())
def test_the_sum_of_times_is_exact_in_every_order(times: list[int], order: Random) -> None:
    shuffled = list(times)
    order.shuffle(shuffled)
    for each in (times, shuffled):
        frame = pl.DataFrame({"time_ns": [time / 1000 for time in each]})
        assert frame.select(exact_sum("time_ns")).item() == sum(times) / 1000


@pytest.mark.native
def test_links_of_a_figure_do_not_depend_on_the_order_of_rows(tmp_path: Path) -> None:
    job = {"ranks": 24, "workload": {"kind": "pattern", "pattern": "uniform", "load": 0.5}}
    tables = {
        "name": "order",
        "routing": "minimal",
        "stop": {"duration": "20 us"},
        "record": {"window": "1 us", "link_windows": True},
        "machine": {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}},
        "jobs": [{"name": name, **job} for name in ("first", "second", "third")],
    }
    run = pt.run(pt.Scenario.from_dict(tables), out=tmp_path / "run", report=False)
    assert isinstance(run, pt.Run)
    rows, cells, _ = links_over_time_table(run, "load")
    loads = hottest_table(run)
    assert len(rows) > 50
    file = tmp_path / "run" / "link_windows.parquet"
    for seed in range(3):
        pl.read_parquet(file).sample(fraction=1, shuffle=True, seed=seed).write_parquet(file)
        again = pt.load(tmp_path / "run")
        assert isinstance(again, pt.Run)
        assert links_over_time_table(again, "load")[0] == rows
        assert (links_over_time_table(again, "load")[1] == cells).all()
        assert hottest_table(again).equals(loads)


def test_times_of_many_links_add_up() -> None:
    """Of 20,000 links over 20 minutes, which is more than 64 bits of picoseconds hold."""
    frame = pl.DataFrame({"time_ns": [1.2e12] * 20_000})
    for engine in ("in-memory", "streaming"):
        found = frame.lazy().select(exact_sum("time_ns")).collect(engine=engine)
        assert found.item() == 2.4e16


def test_a_sum_of_no_rows_is_zero() -> None:
    frame = pl.DataFrame({"time_ns": []}, schema={"time_ns": pl.Float64})
    assert frame.select(exact_sum("time_ns")).item() == 0.0
