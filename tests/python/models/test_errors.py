"""Errors cross processes unchanged, so that a worker's error reaches the user."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from pantala import errors
from pantala.errors import Fault

#: One instance of each exception, with typical arguments.
MADE = [
    errors.PantalaError("text"),
    errors.UsageError("text"),
    errors.ProgramError("text"),
    errors.PlanError("a.b", "3", "is too many", "give 2", [("c", "", "is missing", "give it")]),
    errors.ScenarioError(
        "file", "a.b", "3", "is too many", "give 2", [Fault("c", "", "is missing", "give it")]
    ),
    errors.ScenarioWarning("file", "may stop"),
    errors.RunDirectoryError(Path("runs"), "is taken", "give another"),
    errors.SimulationError("stands still", Path("runs")),
    errors.UnwritableError("links: no space", "no space", Path("runs")),
    errors.ExecutorError("the executor stopped"),
    errors.Interrupted(Path("runs")),
]


@pytest.mark.parametrize("error", MADE, ids=lambda error: type(error).__name__)
def test_an_error_survives_pickling(error: BaseException) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert _told(copy) == _told(error)


def test_every_exception_is_tested() -> None:
    named = {getattr(errors, name) for name in errors.__all__}
    assert {
        kind for kind in named if isinstance(kind, type) and issubclass(kind, BaseException)
    } == set(map(type, MADE))


def _told(error: BaseException) -> dict[str, object]:
    """Returns the attributes; exceptions among them as text."""
    return {
        key: [str(each) for each in value] if key == "others" else value
        for key, value in vars(error).items()
    }
