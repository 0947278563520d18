"""The stand-in for the core answers in the core's own form, so that tests with it hold for both."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pantala as pt
from fake_core import FakeCore, FakePlan
from pantala import _core
from support import SMALL

pytestmark = pytest.mark.native

#: What only the stand-in has, and the constructor of plans.
OWN = {"fail", "Plan"}
WORKLOAD = {"kind": "pattern", "pattern": "uniform", "load": 0.1}
SCENARIO = pt.Scenario.from_dict(
    {"name": "x", "machine": "kang2022", "routing": "minimal"}
    | {
        "jobs": [
            {
                "name": "a",
                "ranks": 2,
                "workload": {"kind": "pattern", "pattern": "uniform", "load": 0.1},
            }
        ],
        "stop": {"duration": "1 us"},
    }
)


def plans(text: str = "") -> tuple[Any, Any]:
    """Returns a plan of the core and one of the stand-in."""
    text = text or json.dumps(SCENARIO.plan())
    return _core.Plan(text), FakeCore().Plan(text)


def shape(value: Any) -> Any:
    """Returns the keys and types of a value; of a list, those of its first element."""
    if isinstance(value, dict):
        return {key: shape(below) for key, below in value.items()}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return "number" if type(value) in (int, float) else type(value).__name__


def lacking(fake: Any, real: Any, where: str = "") -> list[str]:
    """Returns what a shape has that another lacks; null and empty lists fit everything."""
    if isinstance(fake, dict) and isinstance(real, dict):
        missing = [f"{where}.{key}" for key in fake if key not in real]
        both = [key for key in fake if key in real]
        return [*missing, *(each for key in both for each in lacking(fake[key], real[key], key))]
    if isinstance(fake, list) and isinstance(real, list):
        return lacking(fake[0], real[0], f"{where}[]") if fake and real else []
    return [] if fake == real or "NoneType" in (fake, real) else [where]


def test_it_has_only_functions_of_the_core_with_their_parameters() -> None:
    for owner, other, first in ((FakeCore, _core, 1), (FakePlan, _core.Plan, 1)):
        for name, function in vars(owner).items():
            if name.startswith("_") or not inspect.isfunction(function) or name in OWN:
                continue
            of_plan = owner is FakeCore and hasattr(_core.Plan, name)
            real = getattr(_core.Plan if of_plan else other, name)
            mine = list(inspect.signature(function).parameters)[first + of_plan :]
            theirs = [each for each in inspect.signature(real).parameters if each != "self"]
            assert len(mine) == len(theirs), (name, mine, theirs)


def test_a_resolved_plan_has_the_form_of_the_cores() -> None:
    real, fake = (shape(json.loads(plan.json())) for plan in plans())
    asked = shape(SCENARIO.plan())
    added = {key: fake[key] for key in fake if key not in asked}
    assert added  # other keys are those of the plan that was resolved
    assert lacking(added, real) == []
    assert lacking(fake["jobs"][0]["nodes"], real["jobs"][0]["nodes"]) == []


def test_a_run_has_the_form_of_the_cores(tmp_path: Path) -> None:
    scenario = pt.Scenario.from_dict(pt.Scenario.from_toml(_small(tmp_path)).given)
    documents, tables = [], []
    for name, plan in zip(("real", "fake"), plans(json.dumps(scenario.plan())), strict=True):
        place = tmp_path / name
        place.mkdir()
        progress: list[Any] = []
        documents.append(shape(json.loads(plan.run(place, 1, progress.append, None))))
        tables.append({path.name: pl.read_parquet_schema(path) for path in place.glob("*.parquet")})
        assert json.loads((place / "run.json").read_text())["complete"]
    real_document, fake_document = documents
    del fake_document["plan"]
    assert lacking(fake_document, real_document) == []
    real, fake = tables
    assert {name: fake[name] for name in real} == real


def test_a_measurement_has_the_form_of_the_cores() -> None:
    arguments = (100_000, 100_000, 50_000, False, 1, lambda _: None)
    real, fake = (shape(json.loads(plan.measure(*arguments))) for plan in plans())
    assert lacking(fake, real) == []
    real, fake = (shape(json.loads(plan.cost(1, lambda _: None))) for plan in plans())
    assert lacking(fake, real) == []


def test_tables_of_a_network_have_the_columns_of_the_cores() -> None:
    topology = json.dumps(SCENARIO.plan()["topology"])
    for name in ("ports", "link_table"):
        mine = getattr(FakeCore(), name)(topology)
        theirs = getattr(_core, name)(topology)
        assert mine.keys() <= theirs.keys(), name
    text = json.dumps(SCENARIO.plan())
    mine, theirs = (shape(json.loads(core.deadlock(text))) for core in (FakeCore(), _core))
    assert lacking(mine, theirs) == []


def _small(folder: Path) -> Path:
    file = folder / "small.toml"
    file.write_text(SMALL)
    return file
