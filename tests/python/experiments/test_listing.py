"""The list of runs: equal identities with and without shared plans."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pantala as pt
from pantala.core.plan import Plan, Resolver
from pantala.experiments.description import describe
from pantala.experiments.expand import Expansion
from pantala.experiments.listing import list_runs
from pantala.models.base import plain
from pantala.scenario.changes import changed
from pantala.scenario.plan import KnownParts, build_plan
from pantala.store.identity import canonical_text, id_of_text, run_id
from sweeps import scenario

pytestmark = pytest.mark.native

#: Axes beside the seeds; each changes another part of the plan.
AXES: dict[str, Any] = {
    "routing.algorithm": ["minimal", "par", "q_adaptive"],
    "jobs.*.placement": ["random", "random_routers", "random_groups", "contiguous"],
    "jobs.halo.placement": ["random", {"kind": "nodes", "nodes": list(range(20, 52))}],
    "jobs.noise.placement": [
        "compact",
        "dispersed",
        "hybrid",
        {"kind": "contiguous", "numbering": "random_groups"},
    ],
    "jobs": ["halo", "noise", "halo+noise"],
    "jobs.noise.workload": [
        {"kind": "pattern", "pattern": "uniform", "load": 0.1},
        {"kind": "pattern", "pattern": "next_group", "load": 0.1},
    ],
    "interference": [False, True, "pairs", "leave_one_out"],
    "machine.topology.g": [7, 9],
    "mpi": ["sst_sc22"],
}
SEEDS = st.lists(st.integers(0, 2**63 - 1), min_size=2, max_size=3, unique=True)
KEYS = st.lists(st.sampled_from(sorted(AXES)), max_size=2, unique=True).filter(
    lambda keys: len({key.startswith("jobs") and "placement" in key for key in keys}) == len(keys)
)


@settings(max_examples=40)
@given(SEEDS, KEYS, st.integers(0, 2), st.booleans())
def test_shared_plans_give_the_identities_of_single_plans(
    seeds: list[int], keys: list[str], place: int, packets: bool
) -> None:
    axes = [{key: AXES[key]} for key in keys]
    axes.insert(min(place, len(axes)), {"seed": seeds})
    keep = ["jobs", "packets"] if packets else None
    base = scenario().replace({"stop.duration": "20 us"})
    description = describe(base, axes=axes, keep=keep)
    shared, single = Expansion(description), Expansion(description, share=False)
    assert sorted(shared.by_seeds()) == list(single.by_seeds())
    for number in shared.by_seeds():
        parts = _tried(single.parts, number)
        if isinstance(parts, str):
            assert _tried(shared.listed, number) == parts
            continue
        expected = [(part.name, None if part.as_long_as else run_id(part.plan)) for part in parts]
        assert shared.listed(number) == single.listed(number)
        assert [(each.part, each.run) for each in shared.listed(number)] == expected
        assert shared.parts(number) == parts


def test_seeds_share_one_reading_of_the_scenario(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, resolved = [], []
    real_replace, real_resolve = pt.Scenario.replace, Resolver.__call__

    def replace(self: pt.Scenario, changes: dict[str, Any]) -> pt.Scenario:
        read.append(changes)
        return real_replace(self, changes)

    def resolve(self: Resolver, plan: dict[str, Any] | str) -> Plan:
        if isinstance(plan, dict):
            resolved.append(plan["seed"])
        return real_resolve(self, plan)

    axes = {"routing.algorithm": ["minimal", "par"]}
    description = describe(scenario(), axes=axes, seeds=50)
    drawing = describe(scenario(), axes={"jobs.noise.placement": ["dispersed"]}, seeds=50)
    monkeypatch.setattr(pt.Scenario, "replace", replace)
    monkeypatch.setattr(Resolver, "__call__", resolve)
    listing = list_runs(description, tmp_path, {})
    assert listing.count == 100
    # For each routing: the first seed, and the last seed to see that it changes nothing else.
    assert (len(read), len(resolved)) == (4, 2)
    read.clear()
    assert list_runs(drawing, tmp_path, {}).count == 50
    assert len(read) == 2


def test_a_scenario_that_draws_from_its_seed_shares_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Some value of the plan follows from the seed before the plan is resolved."""
    from pantala.experiments import expand

    real = build_plan

    def build(made: pt.Scenario, **options: Any) -> dict[str, Any]:
        plan = real(made, **options)
        plan["jobs"][0]["start_ps"] = made.seed
        return plan

    monkeypatch.setattr(expand, "build_plan", build)
    cases = Expansion(describe(scenario(), seeds=3))
    assert [cases.parts(n)[0].plan["jobs"][0]["start_ps"] for n in range(3)] == [1, 2, 3]
    assert len({cases.listed(n)[0].run for n in range(3)}) == 3


@pytest.mark.parametrize(("value", "same"), [("round_robin", True), ("arrival", False)])
def test_a_plan_without_a_later_key_of_the_router_keeps_its_identity(
    value: str, same: bool
) -> None:
    plan = scenario().plan()
    router = dict(plan["router"])
    assert router.pop("link_order") == "round_robin"
    earlier = run_id({**plan, "router": router})
    assert (run_id({**plan, "router": {**router, "link_order": value}}) == earlier) == same


def test_the_identity_of_a_program_has_the_version_of_its_language() -> None:
    plan = scenario().plan()
    old = id_of_text(canonical_text(plan))
    job = plan["jobs"][0]
    program = {"kind": "ncptl", "source": "Task 0 outputs 7/2 mod 2."}
    versioned = {**plan, "jobs": [{**job, "workload": program}]}
    assert '"results_version":2' in canonical_text(versioned).replace(" ", "")
    assert "results_version" not in canonical_text(plan)
    assert run_id(plan) == old


def test_wrong_seeds_are_refused_as_without_sharing(tmp_path: Path) -> None:
    wrong: list[list[Any]] = [[1, -1], [1, True], [1, "2"], [1, 2**64]]
    for seeds in wrong:
        with pytest.raises(pt.ScenarioError, match=r"seed"):
            list_runs(describe(scenario(), seeds=seeds), tmp_path, {})


def _tried(work: Callable[[Any], Any], given: Any) -> Any:
    """Returns a result, or the text of the error."""
    try:
        return work(given)
    except pt.ScenarioError as error:
        return str(error)


#: Changes of tables that a replaced scenario takes over from the first one, sound and wrong.
CHANGES: dict[str, list[Any]] = {
    "machine.preset": ["kang2022", "theta", "no_such"],
    "machine.topology.g": [7, 9, 0],
    "mpi": ["sst_sc22", {}, "sst"],
    "mpi.eager_limit": ["4 KiB", "16 kB", "3 apples"],
    "mpi.collectives": ["mpich", {"barrier": "mpich"}],
    "stop.duration": ["20 us", "30 us", "soon"],
    "record.window": ["1 us", "2 us"],
    "record.packets": ["all", "sampled", "some"],
    "record.packet_sample": [10, 0],
    "detail": ["packet", {"coarsen": 2}, {"coarsen": 3}],
    "routing.algorithm": ["par", "q_adaptive", "parr"],
    "jobs.noise.workload.compute": ["2 us", "3 us", "-1 us"],
    "seed": [3, 4],
}


@settings(max_examples=80)
@given(st.lists(st.fixed_dictionaries({}, optional={
    key: st.sampled_from(values) for key, values in CHANGES.items()
}), min_size=1, max_size=3))  # fmt: skip
def test_parts_taken_over_from_another_scenario_change_nothing(
    changes: list[dict[str, Any]],
) -> None:
    made, known = scenario(), KnownParts()
    for each in changes:
        tables = changed(made.given, each, "scenario")
        fresh = _tried(lambda _: pt.Scenario.from_dict(tables), 0)  # noqa: B023
        taken = _tried(made.replace, each)
        if isinstance(fresh, str):
            assert taken == fresh
            continue
        assert taken == fresh
        assert taken.given == fresh.given
        assert plain(taken) == plain(fresh)
        for name in ("machine", "mpi", "stop", "record", "detail", "routing"):
            one, other = getattr(taken, name), getattr(fresh, name)
            assert one.model_fields_set == other.model_fields_set
            assert one.as_given() == other.as_given()
        plan = build_plan(fresh)
        assert build_plan(taken, known=known) == build_plan(taken, known=known) == plan
        made = taken


def test_known_parts_are_bounded() -> None:
    known = KnownParts()
    for number in range(1000):
        assert known.find(lambda model: {"number": model}, number + 10**6) == {
            "number": number + 10**6
        }
    assert len(known._found) <= 256


def test_the_points_of_the_seeds_are_read_as_often_for_many_runs() -> None:
    """The work of a run does not grow with the number of runs."""

    class Changes(dict[str, Any]):
        read = 0

        def __iter__(self) -> Iterator[str]:
            Changes.read += 1
            return super().__iter__()

    def reads_per_run(seeds: int) -> float:
        description = describe(scenario(), seeds=seeds)
        (axis,) = description.axes
        points = tuple(replace(each, changes=Changes(each.changes)) for each in axis.points)
        description = replace(description, axes=(replace(axis, points=points),))
        Changes.read = 0
        expansion = Expansion(description)
        assert [expansion.without_seed(each) for each in range(seeds)] == [()] * seeds
        return Changes.read / seeds

    assert reads_per_run(160) <= 2 * reads_per_run(10)
