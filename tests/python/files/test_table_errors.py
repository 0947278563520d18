"""Damaged tables of Parquet at which Polars panics or ends the process are one line of an error."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl
import pytest

from pantala.cli.application import ended
from pantala.errors import PlanError
from pantala.files.table_errors import UNREADABLE, aborts
from pantala.scenario.link_files import links_in

ENDS = ("source_router", "source_port", "target_router", "target_port")


def damaged(folder: Path, at: int, value: int) -> Path:
    """Returns a file of three links with one other byte, in the page of the first column."""
    file = folder / "links.parquet"
    table = pl.DataFrame({name: [0, 1, 2] for name in ENDS})
    table.write_parquet(file, compression="uncompressed")
    data = bytearray(file.read_bytes())
    data[at] = value
    file.write_bytes(data)
    return file


@pytest.mark.parametrize(
    ("at", "value"), [(46, 0), (49, 1)], ids=["Polars panics", "the process that reads ends"]
)
def test_damaged_pages_of_links_are_refused(tmp_path: Path, at: int, value: int) -> None:
    file = damaged(tmp_path, at, value)
    with pytest.raises(PlanError, match="damaged") as caught:
        links_in(str(file), "topology.links_file")
    assert str(caught.value).count("\n") == 0


def test_a_file_that_is_written_again_is_tried_again(tmp_path: Path) -> None:
    file = damaged(tmp_path, 49, 1)
    assert aborts(file)
    sound = damaged(tmp_path, 4, file.read_bytes()[4])
    os.utime(sound, ns=(1, 1))
    assert not aborts(sound)
    assert links_in(str(sound), "topology.links_file")["source_port"] == [0, 1, 2]


def test_a_panic_of_polars_is_a_fault_of_the_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(UNREADABLE) as caught:
        pl.read_parquet(damaged(tmp_path, 46, 0))
    assert ended(caught.value) == 2
    # The command names the table of a run that is damaged, if one has been read.
    assert " cannot be read: its pages are damaged" in capsys.readouterr().err


def test_a_panic_of_the_core_stays_an_internal_error(capsys: pytest.CaptureFixture[str]) -> None:
    class PanicException(BaseException):
        """The class of another library has the same name."""

    PanicException.__module__ = "pyo3_runtime"
    assert ended(PanicException("x")) == 1
    assert "internal error: PanicException: x" in capsys.readouterr().err
