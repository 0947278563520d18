"""The campaign's laws and numbers: they hold for odd runs, and find tables that are wrong."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import duckdb
import polars as pl
import pytest

import pantala as pt
from campaign.odd import KINDS, odd
from campaign.page_texts import _blamed
from campaign.parts.laws import checked
from campaign.recomputed import Runs
from campaign.run_laws import LAWS
from campaign.shown import numbers
from campaign.tables_of import Tables

pytestmark = pytest.mark.native


def test_every_kind_of_odd_scenario_is_accepted() -> None:
    """Each kind makes a scenario that Pantala would run."""
    for case, kind in enumerate(KINDS):
        name, tables = odd(1, case)
        assert name == kind
        pt.Scenario.from_dict(tables).resolve()


@pytest.mark.slow
@pytest.mark.parametrize("case", [0, 10])
def test_laws_hold(case: int, tmp_path: Path) -> None:
    """A run that was cut off, and an interference experiment with its jobs alone."""
    found = list(checked(odd(1, case)[1], tmp_path))
    assert set(LAWS) <= {law for law, _ in found}
    assert [broken for _, broken in found if broken] == []


@pytest.mark.parametrize(
    ("table", "column", "law"),
    [
        ("jobs", "packets", "packets and bytes by job and link class"),
        ("links", "bytes", "packets and bytes by job and link class"),
        ("ranks", "bytes_sent", "messages and payload"),
        ("packet_hops", "wait_ns", "waits of a packet"),
        ("packets", "injected_ns", "closed form of a path"),
        ("link_windows", "bytes", "bandwidth of a link"),
        ("blame", "wait_ns", "blame"),
    ],
)
def test_a_law_finds_a_changed_table(table: str, column: str, law: str, tmp_path: Path) -> None:
    """A value that is wrong by a half breaks its law."""
    pt.run(pt.Scenario.from_dict(odd(1, 3)[1]), out=tmp_path, report=False, progress=False)
    path = tmp_path / f"{table}.parquet"
    frame = pl.read_parquet(path)
    factor = 10 if law == "bandwidth of a link" else 1.5
    changed = (pl.col(column) * factor + 100).cast(frame.schema[column])
    frame.with_columns(changed).write_parquet(path)
    run = Tables(tmp_path)
    assert list(LAWS[law](run))
    run.close()


def test_numbers_of_a_text_have_units_and_digits() -> None:
    """A number shows a value if it rounds to it."""
    time, share, count = numbers("it took 1.90\u00a0µs, 32 % of 1,056 nodes")
    assert time.shows(1904.9)
    assert not time.shows(1905.2)
    assert share.shows(0.324)
    assert count.shows(1056)
    assert not count.shows(1057)


def test_the_largest_class_of_a_cause_is_a_number_of_a_sentence() -> None:
    """`48 % of it on global links` stands where no class has more than half."""
    rows = [(0, 1, "local", 30.0), (0, 1, "global", 48.0), (0, 1, "terminal", 22.0), (0, 0, "x", 9)]
    table = duckdb.connect()
    table.execute("create table blame (victim int, aggressor int, class text, wait_ns double)")
    table.executemany("insert into blame values (?, ?, ?, ?)", rows)
    run = SimpleNamespace(rows=lambda query: table.execute(query).fetchall())
    found = _blamed(cast(Runs, SimpleNamespace(main=run, alone={})))
    assert sorted(found) == pytest.approx([9 / 109, 0.48, 100 / 109])
