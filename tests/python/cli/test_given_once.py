"""An option that takes one value is refused if it is given twice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from support import Ended, one_line

Cli = Callable[..., Ended]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["curve", "--routing", "par", "--routing", "minimal"], "--routing is given twice"),
        (["run", "a.toml", "-o", "x", "--out", "y", "-o", "z"], "--out is given 3 times"),
        (["study", "run", "kang2022", "--quick", "--full"], "--quick or --full is given twice"),
        (["ncptl", "explain", "a.ncptl", "--ranks", "4", "--ranks", "8"], "--ranks is given twice"),
        (["workload", "show", "lu", "--ranks", "4", "--ranks", "8"], "--ranks is given twice"),
        (["trace", "info", "a.goal", "--json", "--json"], "--json is given twice"),
    ],
)
def test_an_option_given_twice_is_refused(
    cli: Cli, workdir: Path, words: list[str], message: str
) -> None:
    assert one_line(cli(*words)).startswith(f"pantala: {message}; give it once")


def test_an_option_of_several_values_is_taken_more_than_once(cli: Cli, workdir: Path) -> None:
    ended = cli("run", "a.toml", "--set", "seed=1", "--set", "name=x")
    assert "a.toml: cannot be read" in ended.err


def test_a_program_behind_a_command_keeps_its_own_options(cli: Cli, workdir: Path) -> None:
    ended = cli("capture", "--", "no-such-launcher", "-n", "2", "-n", "2")
    assert "is given" not in ended.err
