"""The packed tables that a server keeps are those of the run as it is."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

import pantala as pt
from explored_runs import explored
from pantala.explorer.answers import Answer
from pantala.explorer.packed import packed
from pantala.explorer.prepared import PreparedTables
from pantala.explorer.subject import Subject, subject_of

pytestmark = pytest.mark.native


class Counted(Subject):
    """A subject that counts how often each table is made."""

    made: dict[str, int]

    def answer(self, number: int, name: str, argument: int | None = None) -> Answer:
        """Counts, and returns the table."""
        self.made[name] = self.made.get(name, 0) + 1
        return super().answer(number, name, argument)


def counted(path: Path) -> Counted:
    found = subject_of(pt.load(explored(path)))
    subject = Counted(found.name, found.path, found.runs, found.experiment)
    subject.made = {}
    return subject


def plain(table: tuple[bytes, bool]) -> bytes:
    data, compressed = table
    return gzip.decompress(data) if compressed else data


@pytest.mark.parametrize("least", [0, 1_000_000_000])
def test_a_table_is_that_of_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, least: int
) -> None:
    monkeypatch.setattr("pantala.explorer.prepared.COMPRESSED_FROM", least)
    subject = counted(tmp_path / "run")
    tables = PreparedTables(subject)
    for name, argument in (("groups", None), ("group", 3), ("blame", None), ("groups", None)):
        table = tables.get(0, name, argument)
        frame, facts = subject.answer(0, name, argument)
        assert plain(table) == packed(frame, **facts)
        assert table[1] == (least == 0)


def test_a_table_is_made_once_until_the_run_changes(tmp_path: Path) -> None:
    subject = counted(tmp_path / "run")
    tables = PreparedTables(subject)
    tables.prepare()
    assert set(subject.made.values()) == {1}
    assert {"groups", "worst", "links"} <= subject.made.keys()
    tables.get(0, "groups")
    assert subject.made["groups"] == 1
    tables.get(1, "groups")
    assert subject.made["groups"] == 2
    # A table that is not from the cube is read for each request.
    for number in (1, 2):
        tables.get(0, "blame")
        assert subject.made["blame"] == number
    os.utime(subject.run(0).path / "link_windows.parquet", ns=(1, 1))
    tables.get(0, "groups")
    assert subject.made["groups"] == 3


def test_no_more_is_kept_than_fits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    subject = counted(tmp_path / "run")
    tables = PreparedTables(subject)
    monkeypatch.setattr("pantala.explorer.prepared._MOST", len(tables.get(0, "groups")[0]) + 1)
    tables.get(0, "worst")
    tables.get(0, "worst")
    assert subject.made["worst"] == 1
    tables.get(0, "groups")
    assert subject.made["groups"] == 2


def test_a_damaged_table_is_not_kept_and_preparing_goes_on(tmp_path: Path) -> None:
    subject = counted(tmp_path / "run")
    tables = PreparedTables(subject)
    (subject.run(0).path / "link_windows.parquet").write_bytes(b"PAR1 no more")
    tables.prepare()
    with pytest.raises(pt.PantalaError):
        tables.get(0, "groups")
    assert subject.made["groups"] == 2
