"""Tests that need a program or package which the README does not require.

The marker ``needs`` names what a test needs::

    @pytest.mark.needs("mpicc", "mpirun")
    @pytest.mark.needs("mpiexec", packages=["mpi4py"])

Where something is missing, the test is skipped and the reason names it. The last line of a test
session counts these tests by name. ``pytest -m needs`` runs them alone.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
from collections import Counter
from collections.abc import Iterable

import pytest

__all__ = [
    "last_line",
    "missing",
    "pytest_runtest_logreport",
    "pytest_runtest_setup",
    "pytest_unconfigure",
]

_REASON = "not installed: "

#: Skipped tests by the names of what is missing, in this session.
_skipped: Counter[tuple[str, ...]] = Counter()


def missing(programs: Iterable[str], packages: Iterable[str] = ()) -> list[str]:
    """Returns the programs that PATH lacks and the packages that Python lacks."""
    return [
        *(name for name in programs if shutil.which(name) is None),
        *(name for name in packages if importlib.util.find_spec(name) is None),
    ]


def last_line(skipped: Counter[tuple[str, ...]]) -> str:
    """Returns the sentence that counts the tests skipped for a missing program or package.

    Args:
        skipped: the number of tests by the names of what each of them lacks.
    """
    total = skipped.total()
    if total == 0:
        return "No test was skipped for a missing program or package."
    by_name: Counter[str] = Counter()
    for names, tests in skipped.items():
        by_name.update(dict.fromkeys(names, tests))
    named = ", ".join(f"{name} ({tests})" for name, tests in sorted(by_name.items()))
    were = "test was" if total == 1 else "tests were"
    return f"{total} {were} skipped for a missing program or package: {named}."


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skips a test whose marker names something that is missing."""
    for mark in item.iter_markers("needs"):
        lacks = missing(mark.args, mark.kwargs.get("packages", ()))
        if lacks:
            pytest.skip(f"{_REASON}{', '.join(lacks)}")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Counts a skipped test. With several workers, the first process gets all reports."""
    if report.skipped and isinstance(report.longrepr, tuple):
        reason = re.fullmatch(rf"Skipped: {_REASON}(.+)", report.longrepr[2])
        if reason is not None:
            _skipped[tuple(reason[1].split(", "))] += 1


def pytest_unconfigure(config: pytest.Config) -> None:
    """Prints the last line of the session."""
    if not hasattr(config, "workerinput") and not config.option.collectonly:
        print(last_line(_skipped))
