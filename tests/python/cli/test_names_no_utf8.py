"""Files and folders whose names are no UTF-8, and a locale without UTF-8."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support import SMALL

PROGRAM = """\
def program(mpi):
    mpi.barrier()
"""
WITH_PROGRAM = SMALL.replace(
    'kind = "fft3d", grid = [2, 3], row_message = "1 kB", iterations = 1',
    'kind = "python", file = "p.py"',
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Returns a folder whose name is no UTF-8, with two scenarios and a program."""
    path = tmp_path / os.fsdecode(b"n\xff\xfe")
    try:
        path.mkdir()
    except OSError:
        pytest.skip("this file system has names in UTF-8 only")
    (path / "small.toml").write_text(SMALL)
    (path / "with_program.toml").write_text(WITH_PROGRAM)
    (path / "fails.toml").write_text(WITH_PROGRAM.replace("p.py", "f.py"))
    (path / "p.py").write_text(PROGRAM)
    (path / "f.py").write_text("def program(mpi):\n    raise SystemExit(3)\n")
    return path


def ended(folder: Path, *words: str | Path, **locale: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pantala", *map(str, words)],
        cwd=folder,
        env={**os.environ, **locale},
        capture_output=True,
        encoding="utf-8",
    )


LOCALES: tuple[dict[str, str], ...] = ({}, {"LC_ALL": "C", "PYTHONUTF8": "0"})


@pytest.mark.parametrize("locale", LOCALES)
def test_a_scenario_and_a_program_in_such_a_folder_run(
    folder: Path, tmp_path: Path, locale: dict[str, str]
) -> None:
    done = ended(tmp_path, "run", folder / "with_program.toml", "--out", "run", **locale)
    assert (done.returncode, done.stderr.count("internal error")) == (0, 0), done
    assert (tmp_path / "run/report.html").is_file()


def test_files_of_links_in_such_a_folder_are_read(folder: Path, tmp_path: Path) -> None:
    key, failed = "machine.topology.failed_links.file=", folder / "failed.txt"
    failed.write_text("0-1\n")
    words = ("check", folder / "small.toml", "--set", f"{key}'{failed}'")
    done = ended(tmp_path, *words)
    assert (done.returncode, done.stderr.count("failed: 1 local link")) == (0, 1), done
    failed.write_text("0-99\n")
    done = ended(tmp_path, *words)
    assert done.returncode == 2
    assert "line 1: no link joins routers 0 and 99" in done.stderr


@pytest.mark.parametrize("locale", LOCALES)
def test_the_fault_of_a_program_names_its_place(
    folder: Path, tmp_path: Path, locale: dict[str, str]
) -> None:
    done = ended(tmp_path, "check", folder / "fails.toml", **locale)
    assert done.returncode == 2
    assert r"n\udcff\udcfe/f.py" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize(
    "command", [["run"], ["sweep", "--axis", "routing=minimal,ugal_g"]], ids=["run", "sweep"]
)
def test_such_an_output_is_refused_before_anything_is_written(
    folder: Path, tmp_path: Path, command: list[str], locale: dict[str, str]
) -> None:
    name, *more = command
    out = folder / "results"
    done = ended(tmp_path, name, folder / "small.toml", *more, "--out", out, **locale)
    assert done.returncode == 2
    assert done.stderr.endswith("set LC_ALL=C.UTF-8 if the name is UTF-8\n")
    assert done.stderr.count("\n") == 1
    assert not out.exists()


def test_a_relative_output_in_such_a_folder_is_refused(folder: Path) -> None:
    done = ended(folder, "run", "small.toml", "--out", "run")
    assert done.returncode == 2
    assert r"n\udcff\udcfe/run: has bytes that are no text" in done.stderr
    assert not (folder / "run").exists()
