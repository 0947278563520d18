"""Cost of starting: a command imports only the modules that it uses."""

from __future__ import annotations

import subprocess
import sys

import pytest

import pantala
from support import ROOT

HEAVY = {"matplotlib", "numpy", "polars", "jinja2", "pydantic", "rich.console", "typer"}


def loaded_by(code: str) -> set[str]:
    """Returns the heavy modules that a fresh interpreter has loaded after some code."""
    look = f"print('', *(set(sys.modules) & {HEAVY!r}), file=sys.stderr)"
    program = f"import sys\ntry:\n    {code}\nexcept SystemExit: pass\n{look}"
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return set(ended.stderr.splitlines()[-1].split())


@pytest.mark.parametrize(
    ("code", "needed"),
    [
        ("import pantala", set[str]()),
        (
            "from pantala.cli import main; from pantala.core import native;"
            " from pantala.runs import benchmark",
            set[str](),
        ),
        ("from pantala.cli import main; main(['version'])", {"typer", "pydantic"}),
        (
            "from pantala.cli import main; main(['check', 'examples/interference.toml'])",
            {"typer", "pydantic"},
        ),
    ],
)
def test_a_command_imports_only_the_modules_it_needs(
    code: str, needed: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    assert loaded_by(code) <= needed


@pytest.mark.native
def test_the_bench_imports_only_the_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    code = (
        "from pantala.runs.benchmark import bench_case; bench_case('uniform-1056', '', 1_000_000)"
    )
    assert loaded_by(code) <= {"pydantic"}


def test_every_public_name_is_there() -> None:
    names = vars(pantala)["__all__"]
    assert all(getattr(pantala, name) is not None for name in names)
    assert set(names) <= set(dir(pantala))
    assert set(pantala.scenario.__all__) <= set(dir(pantala))
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        _ = pantala.nonsense  # type: ignore[attr-defined]
