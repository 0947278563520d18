"""Tests that need an optional program are skipped by name and counted in the last line."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import optional_programs

TESTS = """
import pytest
from optional_programs import (
    pytest_runtest_logreport, pytest_runtest_setup, pytest_unconfigure
)

@pytest.mark.needs("sh")
def test_with_the_shell(): pass

@pytest.mark.needs("program-of-nobody", "sh", packages=["package_of_nobody"])
def test_without_two(): pass

@pytest.mark.needs("program-of-nobody")
def test_without_one(): pass

def test_skipped_for_another_reason(): pytest.skip("applies only elsewhere")
"""


def session(folder: Path, *options: str) -> list[str]:
    """Runs TESTS in a session of their own and returns its output."""
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = needs: what a test needs\n")
    (folder / "conftest.py").write_text(TESTS.partition("\n@")[0])
    (folder / "test_some.py").write_text("import pytest\n@" + TESTS.partition("\n@")[2])
    environment = {**os.environ, "PYTHONPATH": str(Path(optional_programs.__file__).parent)}
    command = [sys.executable, "-m", "pytest", "-rs", *options]
    ended = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout.splitlines()


def test_the_last_line_counts_what_was_skipped(tmp_path: Path) -> None:
    for options in ((), ("-n", "2")):
        lines = session(tmp_path, *options)
        assert any("not installed: program-of-nobody, package_of_nobody" in line for line in lines)
        assert any("1 passed, 3 skipped" in line for line in lines)
        assert lines[-1] == (
            "2 tests were skipped for a missing program or package: package_of_nobody (1),"
            " program-of-nobody (2)."
        )


def test_the_last_line_of_a_complete_session() -> None:
    sentence = "No test was skipped for a missing program or package."
    assert optional_programs.last_line(Counter()) == sentence


def test_the_last_line_of_one_test() -> None:
    sentence = "1 test was skipped for a missing program or package: fish (1)."
    assert optional_programs.last_line(Counter({("fish",): 1})) == sentence
