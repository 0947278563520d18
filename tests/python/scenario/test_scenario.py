"""Scenarios from TOML and from Python: presets, changes, and errors in one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pantala as pt
from pantala.text.units import Duration
from support import SMALL


def test_toml_and_python_make_the_same_scenario(small: Path) -> None:
    machine = {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}}
    scenario = pt.Scenario(
        name="small",
        machine=machine,
        routing="minimal",
        jobs=[
            pt.Job(
                name="fft",
                ranks=6,
                workload=pt.Fft3d(grid=(2, 3), row_message="1 kB", iterations=1),
            ),
            pt.Job(
                name="halo",
                ranks=8,
                workload=pt.Halo3d(grid=(2, 2, 2), message="1 kB", iterations=2),
            ),
        ],
    )
    assert scenario == pt.Scenario.from_toml(small)
    assert scenario.plan() == pt.Scenario.from_toml(small).plan()


def test_a_preset_sets_machine_routing_and_mpi() -> None:
    scenario = pt.Scenario.from_dict(
        {"name": "x", "machine": "kang2022", "routing": "ugal_g", "jobs": [_job()]}
    )
    assert scenario.machine.nodes == 1056
    assert scenario.machine.links.local == pt.Link(bandwidth="200 Gb/s", latency="30 ns")
    assert scenario.machine.links.global_.latency == Duration.parse("300 ns")
    assert scenario.routing == pt.Routing(algorithm="ugal_g")
    assert scenario.mpi == pt.Mpi()


def test_a_key_beside_a_preset_changes_only_itself() -> None:
    machine = {
        "preset": "kang2022",
        "links": {"global": {"latency": "1 us"}},
        "router": {"arbiter": "age"},
    }
    changed = pt.Machine.model_validate(machine)
    whole = pt.Machine.of("kang2022")
    assert changed.links.global_ == pt.Link(bandwidth="25 GB/s", latency="1 us")
    assert changed.links.local == whole.links.local
    assert changed.router.arbiter == "age"
    assert changed.router.serialization == whole.router.serialization
    assert pt.Machine.of("kang2022", links={"global_": {"latency": "1 us"}}).links == changed.links


def test_a_machine_needs_no_preset() -> None:
    whole = pt.Machine.of("kang2022")
    spelled = whole.model_dump(mode="json", exclude={"preset"})
    assert pt.Machine.model_validate(spelled) == whole.model_copy(update={"preset": None})


@pytest.mark.parametrize("model", ["pantala", "sst_sc22"])
def test_a_router_model_sets_the_stages(model: str) -> None:
    router = pt.Machine.of("kang2022", router={"model": model}).router
    assert router.model == model
    assert (router.serialization == "none") is (model == "sst_sc22")
    assert router.input_buffer.flits(512, 128) == 120
    assert pt.Machine.of("kang2022", router=model).router == router


def test_replace_validates_the_result(small: Path) -> None:
    scenario = pt.Scenario.from_toml(small)
    changed = scenario.replace(
        {"routing.algorithm": "ugal_n", "jobs.1.ranks": 4, "jobs.1.workload.grid": [2, 2, 1]}
    )
    assert (changed.routing.algorithm, changed.jobs[1].ranks) == ("ugal_n", 4)
    assert changed.jobs[0] == scenario.jobs[0]
    assert scenario.routing.algorithm == "minimal"
    assert scenario.replace({"machine.router": "sst_sc22"}).machine.router.serialization == "none"
    with pytest.raises(pt.ScenarioError, match=r"key jobs\[1\].ranks = 0: must be at least 1"):
        scenario.replace({"jobs.1.ranks": 0})
    with pytest.raises(pt.ScenarioError, match="there is no such job; choose one of fft, halo"):
        scenario.replace({"jobs.7.ranks": 1})


def test_replace_leaves_the_scenario_unchanged(small: Path) -> None:
    scenario = pt.Scenario.from_toml(small)
    given = str(scenario.given)
    scenario.replace(
        {"routing.algorithm": "par", "jobs.0.ranks": 4, "jobs.1.workload.iterations": 9}
    )
    assert str(scenario.given) == given
    assert scenario.replace({}).plan() == pt.Scenario.from_toml(small).plan()


def test_replace_works_on_a_scenario_made_in_python() -> None:
    scenario = pt.Scenario(name="x", machine="kang2022", routing="minimal", jobs=[_made()])
    assert scenario.replace({"seed": 9}).plan() == scenario.plan() | {"seed": 9}


def test_placement_by_name_or_table() -> None:
    for placement in ("contiguous", {"kind": "contiguous"}, pt.ContiguousPlacement()):
        assert pt.Job(**_job(), placement=placement).placement == pt.ContiguousPlacement()
    listed = pt.Job(**_job(), placement={"kind": "nodes", "nodes": [3, 1, 2, 0]})
    assert listed.placement == pt.NodesPlacement(nodes=(3, 1, 2, 0))


def test_an_error_counts_the_faults(tmp_path: Path) -> None:
    path = tmp_path / "two.toml"
    path.write_text(SMALL.replace("ranks = 6", "ranks = 0").replace("ranks = 8", "ranks = true"))
    with pytest.raises(pt.ScenarioError) as refused:
        pt.Scenario.from_toml(path)
    assert refused.value.key == "jobs[0].ranks"
    assert refused.value.others == 1
    assert str(refused.value).endswith("(1 more after this one)")


def _made() -> pt.Job:
    return pt.Job(
        name="a",
        ranks=4,
        placement=pt.ContiguousPlacement(),
        workload=pt.UniformRandom(iterations=1, message="3 KiB"),
    )


def _job() -> dict[str, object]:
    return {
        "name": "a",
        "ranks": 4,
        "workload": {"kind": "uniform_random", "iterations": 1, "message": "3 KiB"},
    }


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (
            lambda: pt.Halo3d(grid=(2, 2, 2), message="1 kB", iteration=1),  # type: ignore[call-arg]
            "Halo3d: key iteration = 1: unknown key; did you mean 'iterations'?",
        ),
        (
            lambda: pt.Halo3d(grid=(2, 2, 2), message=1000, iterations=1),
            "Halo3d: key message = 1000: has no unit; write e.g. '512 B'",
        ),
        (
            lambda: pt.Scenario(name="x", machine="kang202", routing="minimal", jobs=()),
            "Scenario: key machine.preset = \"kang202\": is not a preset; did you mean 'kang2022'?",
        ),
    ],
)
def test_a_wrong_object_is_one_line(make: Callable[[], object], says: str) -> None:
    with pytest.raises(pt.ScenarioError) as refused:
        make()
    assert str(refused.value).partition(" (")[0] == says


def test_a_copy_with_changes_is_the_scenario_read_anew(small: Path) -> None:
    """A copy takes over equal parts; it must not differ from reading all tables again."""
    scenario = pt.Scenario.from_toml(small)
    for base in (scenario, pt.Scenario(**{**scenario.given, "jobs": list(scenario.jobs)})):
        for changes in (
            {"jobs.halo.workload.iterations": 3},
            {"jobs.fft.routing.algorithm": "par", "jobs.halo.ranks": 8},
            {"machine.topology.g": 7},
            {"machine": "kang2022", "routing.algorithm": "ugal_n"},
            {"jobs.0.name": "other", "seed": 5},
            {"mpi": "sst_sc22"},
        ):
            copy, anew = base.replace(changes), pt.Scenario.from_dict(base.given, changes=changes)
            assert copy == anew
            assert copy.plan() == anew.plan()
            assert copy.given == anew.given
            assert copy.replace(changes).plan() == anew.plan()
        for wrong in (
            {"machine.router.output_vc_gap": "1 ns"},
            {"jobs.halo.workload.grid": [3, 3]},
        ):
            sentences = []
            for read in (base.replace, lambda c, b=base: pt.Scenario.from_dict(b.given, changes=c)):
                with pytest.raises(pt.ScenarioError) as caught:
                    read(wrong)
                sentences.append(str(caught.value).partition(": ")[2])
            assert sentences[0] == sentences[1]


@pytest.mark.parametrize("data", ["name = 'x'", None, 3, [("name", "x")], {1: 2}])
def test_what_is_no_table_of_keys_is_no_scenario(data: object) -> None:
    with pytest.raises(pt.ScenarioError, match=r"table of keys|unknown key"):
        pt.Scenario.from_dict(data)  # type: ignore[arg-type]


@pytest.mark.parametrize("changes", ["seed", 3, [("seed", 4)], {3: 4}])
def test_changes_are_values_by_path(small: Path, changes: object) -> None:
    scenario = pt.Scenario.from_toml(small)
    with pytest.raises(pt.ScenarioError, match="path"):
        scenario.replace(changes)  # type: ignore[arg-type]
    with pytest.raises(pt.ScenarioError, match="path"):
        pt.Scenario.from_dict(scenario.as_given(), changes=changes)  # type: ignore[arg-type]


def test_a_value_cannot_be_set_and_the_error_says_how_to_change_it(small: Path) -> None:
    scenario = pt.Scenario.from_toml(small)
    for made, name in ((scenario, "seed"), (scenario.machine.topology, "g"), (scenario, "sed")):
        with pytest.raises(pt.UsageError, match=rf"{name}: .*replace\("):
            setattr(made, name, 3)
    assert scenario == pt.Scenario.from_toml(small)


# --- values of other packages ---


@given(st.integers(1, 9), st.lists(st.integers(1, 3), min_size=3, max_size=3))
def test_values_of_numpy_and_polars_are_those_of_python(number: int, grid: list[int]) -> None:
    """Loops over arrays and columns give such values."""
    for whole in (np.int64, np.int32, np.uint8):
        for many in (np.array, pl.Series, tuple):
            halo = pt.Halo3d(grid=many(grid), message="1 kB", iterations=whole(number))
            assert halo == pt.Halo3d(grid=tuple(grid), message="1 kB", iterations=number)
            assert halo.as_given()["grid"] == grid
            job = {"name": "a", "ranks": 8, "workload": halo.as_given()}
            made = pt.Scenario.from_dict(
                {"name": "x", "machine": "kang2022", "routing": "ugal_g", "jobs": [job]},
                changes={
                    "seed": whole(number),
                    "jobs.0.workload.grid": many([2, 2, 2]),
                    "routing.threshold": np.float64(number),
                    "allow_deadlock": np.bool_(True),
                },
            )
            json.dumps(made.as_given())
            assert made.seed == number
            assert made.jobs[0].workload.grid == (2, 2, 2)  # type: ignore[union-attr]
            assert made.routing.threshold == number
            assert made.allow_deadlock is True


def test_numbers_that_are_not_whole_stay_wrong(small: Path) -> None:
    scenario = pt.Scenario.from_toml(small)
    for wrong in (np.float64(1.5), np.float64(2.0), np.array([1]), np.str_("3")):
        with pytest.raises(pt.ScenarioError, match="whole number"):
            scenario.replace({"seed": wrong})


def test_a_file_may_be_a_path(tmp_path: Path) -> None:
    file = tmp_path / "p.ncptl"
    file.touch()
    assert pt.Ncptl(file=file) == pt.Ncptl(file=str(file))
    made = pt.Scenario.from_dict(
        {
            "name": "x",
            "machine": "kang2022",
            "routing": "minimal",
            "jobs": [{"name": "p", "ranks": 2, "workload": {"kind": "ncptl", "file": file}}],
        }
    )
    assert made.as_given()["jobs"][0]["workload"]["file"] == str(file)
