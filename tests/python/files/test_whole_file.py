"""Files appear complete or not at all, also if two processes write one, or if the disk is full."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from pantala.files.atomic_file import atomic_file, write_table
from pantala.files.json_file import write_json

#: Writes a table into a file that can have 1,000 bytes.
FULL = """
import resource, signal, sys
from pathlib import Path
import polars as pl
from pantala.files.atomic_file import write_table

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    write_table(Path(sys.argv[1]), pl.DataFrame({"a": [str(hash(i * 0.1)) for i in range(9000)]}))
except OSError as error:
    print(error.errno)
"""


def test_the_last_of_two_writers_wins_and_nothing_is_left(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    with atomic_file(file) as one:
        one.write_text("[1")  # half of it, when the other one begins
        with atomic_file(file) as other:
            other.write_text("[2]")
        assert file.read_text() == "[2]"
        one.write_text("[1]")
    assert file.read_text() == "[1]"
    assert list(tmp_path.iterdir()) == [file]


def test_after_an_error_the_file_is_as_before(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    write_json(file, {"a": 1})
    with pytest.raises(TypeError):
        write_json(file, {"a": object()})
    assert json.loads(file.read_text()) == {"a": 1}
    assert list(tmp_path.iterdir()) == [file]


def test_a_full_disk_is_an_error_of_the_system(tmp_path: Path) -> None:
    file = tmp_path / "x.parquet"
    write_table(file, pl.DataFrame({"a": [1]}))
    ended = subprocess.run(
        [sys.executable, "-c", FULL, str(file)], capture_output=True, text=True, check=False
    )
    assert (ended.stdout, ended.stderr) == (f"{errno.EFBIG}\n", "")
    assert pl.read_parquet(file)["a"].to_list() == [1]
    assert list(tmp_path.iterdir()) == [file]
