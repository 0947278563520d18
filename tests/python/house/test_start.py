"""Cost of starting: a command imports only the modules that it uses."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import pantala
from pantala.workloads.kinds import APPLICATIONS, EMBER, FRONT_ENDS, PATTERNS
from support import ROOT

TABLES = (APPLICATIONS, EMBER, FRONT_ENDS, PATTERNS)
HEAVY = {"matplotlib", "numpy", "polars", "jinja2", "pydantic", "rich.console", "typer"}


def loaded_by(code: str, among: set[str] = HEAVY) -> set[str]:
    """Returns the modules, of those given, that a fresh interpreter has loaded after some code."""
    look = f"print('', *(set(sys.modules) & {among!r}), file=sys.stderr)"
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


@pytest.mark.native
def test_a_run_without_report_loads_no_figures_and_only_its_own_workload(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(ROOT)
    words = ["run", "examples/quickstart.toml", "--no-report", "--out", str(tmp_path / "run")]
    code = f"from pantala.cli import main; main({words!r})"
    assert loaded_by(code) <= {"typer", "pydantic", "polars", "rich.console"}
    unused = parts_of("figures", "papers") | {"pantala.importers"}
    assert loaded_by(f"{code[:-2]}, '--overwrite'])", unused) == set()
    kinds = {place.partition(":")[0] for table in TABLES for place in table.places.values()}
    loaded = loaded_by(f"{code[:-2]}, '--overwrite'])", kinds)
    assert loaded == {"pantala.workloads.halo3d", "pantala.workloads.pattern"}


def parts_of(*rooms: str) -> set[str]:
    """Returns the modules of rooms of the package."""
    found = (ROOT / "python/pantala" / room for room in rooms)
    return {f"pantala.{room.name}.{file.stem}" for room in found for file in room.glob("*.py")}


@pytest.mark.native
def test_reading_a_scenario_builds_the_validators_that_it_uses() -> None:
    code = (
        "import pydantic; import pantala as pt;"
        " pt.Scenario.from_toml('examples/quickstart.toml');"
        " of = lambda base: [each for sub in base.__subclasses__() for each in [sub, *of(sub)]];"
        " models = of(pydantic.BaseModel);"
        " print(len(models), sum(each.__pydantic_complete__ for each in models))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    defined, built = map(int, ended.stdout.split())
    assert defined <= 75  # of 133 with all workloads
    assert built <= 20


def test_every_public_name_is_there() -> None:
    names = vars(pantala)["__all__"]
    assert all(getattr(pantala, name) is not None for name in names)
    assert set(names) <= set(dir(pantala))
    assert set(pantala.scenario.__all__) <= set(dir(pantala))
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        _ = pantala.nonsense  # type: ignore[attr-defined]


@pytest.mark.native
@pytest.mark.parametrize("interference", [False, True])
def test_a_report_loads_no_models_of_scenarios(interference: bool, tmp_path: Path) -> None:
    """They build a hundred validators, and a report is of runs."""
    job = {"ranks": 8, "workload": {"kind": "halo3d", "grid": [2, 2, 2], "iterations": 1}}
    tables = {"name": "two", "routing": "minimal", "interference": interference}
    machine = {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 3}}
    jobs = [job | {"name": name} for name in ("one", "other")]
    scenario = pantala.Scenario.from_dict(tables | {"machine": machine, "jobs": jobs})
    pantala.run(scenario, out=tmp_path / "run", report=False)
    words = ["report", str(tmp_path / "run")]
    models = {"pantala.models.base", "pantala.scenario", "pantala.scenario.scenario"}
    assert loaded_by(f"from pantala.cli import main; main({words!r})", models) == set()
    assert (tmp_path / "run/report.html").is_file()
