"""Routings of a scenario: names, biases, defaults of algorithms, and layers of tables."""

from __future__ import annotations

from typing import Any

import pytest

import pantala as pt
from pantala.catalogue.descriptors import RoutingDescriptor
from pantala.catalogue.routings import ALGORITHMS as DESCRIPTORS
from pantala.catalogue.routings import KEYS
from pantala.scenario.routing import ALGORITHMS

WORK = {"kind": "uniform_random", "iterations": 1, "message": "3 KiB"}


def scenario(
    routing: object = None, machine: object = "kang2022", jobs: Any = ({},), **more: Any
) -> pt.Scenario:
    listed = [
        {"name": f"job{number}", "ranks": 2, "workload": WORK} | job
        for number, job in enumerate(jobs)
    ]
    data: dict[str, Any] = {"name": "x", "machine": machine, "jobs": listed, **more}
    return pt.Scenario.from_dict(data if routing is None else data | {"routing": routing})


@pytest.mark.parametrize(
    ("name", "shift", "add"),
    [
        ("aries_ad0", [0], 0),
        ("aries_ad1", [0, 1, 2], 0),
        ("aries_ad2", [0], 4),
        ("aries_ad3", [2], 0),
        ("bias(3,7)", [3], 7),
        ("bias( 15 , 0 )", [15], 0),
    ],
)
def test_modes_of_aries_are_one_algorithm(name: str, shift: list[int], add: int) -> None:
    plan = scenario(name).plan()["routing"]
    assert plan["algorithm"] == "aries"
    assert plan["aries"] == {"shift": shift, "add": add, "levels": 16}
    assert (plan["candidates_minimal"], plan["candidates_nonminimal"]) == (2, 2)


def test_a_given_shift_schedule_reaches_the_plan() -> None:
    assert scenario({"algorithm": "aries_ad1", "aries": {"shift": [1, 3]}}).plan()["routing"][
        "aries"
    ]["shift"] == [
        1,
        3,
    ]
    plan = scenario({"algorithm": "aries", "aries": {"shift": [1], "add": 2, "levels": 32}}).plan()[
        "routing"
    ]
    assert plan["aries"] == {"shift": [1], "add": 2, "levels": 32}


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_makes_a_plan(name: str) -> None:
    made = scenario(name)
    written = made.routing.as_given()
    assert made.routing == scenario(written).routing, "the output must be valid input"
    assert made.plan()["routing"]["algorithm"] == ("aries" if name.startswith("aries") else name)


def test_an_algorithm_sets_defaults_that_the_scenario_can_change() -> None:
    assert scenario("booksim_ugal").plan()["routing"]["bias_flits"] == 30
    assert scenario("merlin_ugal").routing.queue_scope == "vc"
    mine = scenario({"algorithm": "booksim_ugal", "bias": "5 flits"}).routing
    assert (mine.bias.count, mine.threshold) == (5, 2.0)
    assert pt.Routing(algorithm="booksim_ugal") == scenario("booksim_ugal").routing


def test_theta_routes_as_cray_mpi_does() -> None:
    made = scenario(machine="theta")
    assert (
        made.routing.algorithm,
        made.routing_all_to_all and made.routing_all_to_all.algorithm,
    ) == (
        "aries_ad0",
        "aries_ad1",
    )
    made = scenario("aries_ad3", machine="theta")
    assert (
        made.routing.algorithm,
        made.routing_all_to_all and made.routing_all_to_all.algorithm,
    ) == (
        "aries_ad3",
        "aries_ad1",
    )
    assert scenario("minimal").routing_all_to_all is None


def test_a_jobs_routing_replaces_keys_of_the_scenarios_routing() -> None:
    made = scenario(
        {"algorithm": "ugal_n", "threshold": 1.5, "virtual_channels": 6},
        jobs=[
            {"routing": "minimal"},
            {"routing": {"bias": "8 flits"}},
            {"routing_all_to_all": "valiant_node"},
            {},
        ],
    )
    first, second, third, fourth = made.jobs
    assert first.routing is not None
    assert (first.routing.algorithm, first.routing.threshold, first.routing.virtual_channels) == (
        "minimal",
        1.5,
        6,
    )
    assert second.routing is not None
    assert (second.routing.algorithm, second.routing.threshold, second.routing.bias.count) == (
        "ugal_n",
        1.5,
        8,
    )
    assert third.routing is None
    assert third.routing_all_to_all is not None
    assert (third.routing_all_to_all.algorithm, third.routing_all_to_all.threshold) == (
        "valiant_node",
        1.5,
    )
    assert fourth.routing is fourth.routing_all_to_all is None
    plan = made.plan()["jobs"]
    assert [job["routing"] and job["routing"]["algorithm"] for job in plan] == [
        "minimal",
        "ugal_n",
        None,
        None,
    ]


def test_a_new_mode_drops_the_old_bias() -> None:
    made = scenario(
        {"algorithm": "aries", "aries": {"shift": [5], "levels": 8}},
        jobs=[{"routing": "aries_ad3"}],
    )
    job = made.jobs[0].routing
    assert job is not None
    assert (job.aries.shift, job.aries.levels) == ((2,), 8)
    made = scenario({"algorithm": "aries", "aries": {"shift": [5]}}, routing_all_to_all="aries_ad1")
    assert made.routing_all_to_all is not None
    assert made.routing_all_to_all.aries.shift == (0, 1, 2)


def test_python_and_toml_give_equal_routings() -> None:
    work = pt.UniformRandom(iterations=1, message="3 KiB")
    made = pt.Scenario(
        name="x",
        machine="theta",
        routing=pt.Routing(algorithm="ugal_n", threshold=1.0),
        jobs=[
            pt.Job(name="job0", ranks=2, workload=work, routing={"bias": "8 flits"}),
            pt.Job(name="job1", ranks=2, workload=work, routing_all_to_all="aries_ad2"),
        ],
    )
    read = scenario(
        {"algorithm": "ugal_n", "threshold": 1.0},
        machine="theta",
        jobs=[{"routing": {"bias": "8 flits"}}, {"routing_all_to_all": "aries_ad2"}],
    )
    assert made == read
    changes = {"routing.threshold": 3.0, "routing.algorithm": "par"}
    assert made.replace(changes) == read.replace(changes)
    assert (
        made.replace(changes).jobs[0].routing
        == scenario(
            {"algorithm": "par", "threshold": 3.0, "bias": "8 flits"}, machine="theta"
        ).routing
    )


@pytest.mark.parametrize(
    ("routing", "says"),
    [
        (
            "bias(16,0)",
            "routing.algorithm = \"bias(16,0)\": shift must be 0 to 15; write e.g. 'bias(2,0)'",
        ),
        ("bias(0,-1)", "add must be 0 to 15"),
        ("bias(1)", "is not known; choose one of minimal, "),
        ("aries_ad5", "is not known; did you mean 'aries_ad"),
        (
            {"algorithm": "aries", "aries": {"shift": [0, 16]}},
            "routing.aries.shift[1] = 16: must be at most 15",
        ),
        (
            {"algorithm": "aries", "aries": {"add": -1}},
            "routing.aries.add = -1: must be at least 0",
        ),
        (
            {"algorithm": "aries", "aries": {"shift": []}},
            "routing.aries.shift = []: is empty",
        ),
        (
            {"algorithm": "aries_ad2", "aries": {"add": 3}},
            "routing.aries.add = 3: follows from algorithm = 'aries_ad2'",
        ),
        (
            {"algorithm": "q_adaptive", "q_adaptive": {"exploration": 2.0}},
            "routing.q_adaptive.exploration = 2.0: must be",
        ),
        ({"threshold": 2.0}, "routing.algorithm: is missing; add algorithm = '...'"),
        (7, "routing = 7: is neither text nor a table; write a text, or its keys in { }"),
    ],
)
def test_a_wrong_routing_is_one_line(routing: object, says: str) -> None:
    with pytest.raises(pt.ScenarioError) as refused:
        scenario(routing)
    assert says in str(refused.value)
    assert refused.value.others == 0


def test_a_wrong_routing_of_a_job_names_the_job() -> None:
    with pytest.raises(
        pt.ScenarioError, match=r"key jobs\[1\]\.routing\.threshold = -1.0: must be at least 0"
    ):
        scenario("ugal_n", jobs=[{}, {"routing": {"threshold": -1.0}}])
    with pytest.raises(
        pt.ScenarioError,
        match=r"key jobs\[0\]\.routing_all_to_all\.algorithm = \"ad3\": is not known",
    ):
        scenario("ugal_n", jobs=[{"routing_all_to_all": "ad3"}])


def test_assumptions_of_an_algorithm_are_listed_until_changed() -> None:
    assert "routing.aries.shift" in scenario("aries_ad1").assumptions()
    assert "routing.aries.levels" in scenario("aries_ad2").assumptions()
    decided = scenario(
        {"algorithm": "aries_ad1", "aries": {"shift": [0, 2], "levels": 8}}
    ).assumptions()
    assert not {"routing.aries.shift", "routing.aries.levels"} & decided.keys()
    assert (
        "jobs[0].routing.aries.levels"
        in scenario("minimal", jobs=[{"routing": "aries_ad0"}]).assumptions()
    )


#: A value for every key that only some algorithms read.
VALUES: dict[str, Any] = {
    "threshold": 1.5,
    "bias": "8 flits",
    "minimal_up_to": "4 flits",
    "candidates_minimal": 3,
    "candidates_nonminimal": 3,
    "queue": "credits",
    "queue_scope": "vc",
    "tie": "random",
    "intermediate": "third",
    "intra_group": "valiant",
    "gateways": "nearest",
    "aries": {"levels": 8},
    "q_adaptive": {"exploration": 0.5},
}


@pytest.mark.parametrize("descriptor", DESCRIPTORS, ids=lambda descriptor: descriptor.name)
def test_a_key_is_rejected_if_the_algorithm_does_not_read_it(
    descriptor: RoutingDescriptor,
) -> None:
    for plan_key in KEYS:
        key = plan_key.removesuffix("_flits")
        for name in (descriptor.name, *(mode.name for mode in descriptor.modes)):
            given = {"algorithm": name, key: VALUES[key]}
            if plan_key in descriptor.reads:
                assert getattr(scenario(given).routing, key) is not None
            else:
                with pytest.raises(
                    pt.ScenarioError,
                    match=rf"key routing\.{key}.* has no effect under algorithm = '{name}'",
                ):
                    scenario(given)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (
            {"routing": {"algorithm": "minimal", "threshold": 2.0}},
            (
                "key routing.threshold = 2.0: has no effect under algorithm = 'minimal'; remove it,"
                " or choose one of ugal_g, "
            ),
        ),
        (
            {"routing": {"algorithm": "ugal_g", "aries": {"add": 3}}},
            (
                "key routing.aries.add = 3: has no effect under algorithm = 'ugal_g'; remove it,"
                " or choose one of aries"
            ),
        ),
        (
            {"routing": "ugal_g", "routing_all_to_all": {"intra_group": "valiant"}},
            "key routing_all_to_all.intra_group",
        ),
        (
            {
                "routing": "ugal_g",
                "jobs": [{"routing": {"algorithm": "minimal", "bias": "8 flits"}}],
            },
            "key jobs[0].routing.bias = \"8 flits\": has no effect under algorithm = 'minimal'",
        ),
        (
            {
                "routing": "ugal_g",
                "jobs": [{"routing_all_to_all": {"q_adaptive": {"truncate": False}}}],
            },
            (
                "key jobs[0].routing_all_to_all.q_adaptive.truncate = false: has no effect under"
                " algorithm = 'ugal_g'"
            ),
        ),
        (
            {"routing": pt.Routing(algorithm="minimal", threshold=1.5)},
            "key routing.threshold = 1.5: has no effect",
        ),
        (
            {"routing": pt.Routing(algorithm="ugal_n", aries={"add": 2})},
            "key routing.aries.add = 2: has no effect",
        ),
    ],
)
def test_a_key_without_effect_is_reported_with_its_readers(data: dict[str, Any], says: str) -> None:
    with pytest.raises(pt.ScenarioError) as refused:
        scenario(**data)
    assert says in str(refused.value)


@pytest.mark.parametrize(
    "data",
    [
        {"routing": "minimal", "machine": "kang2022"},  # whose preset has a threshold
        {"routing": {"algorithm": "minimal", "threshold": 1.5}, "jobs": [{"routing": "ugal_n"}]},
        {"routing": {"algorithm": "minimal", "threshold": 1.5}, "routing_all_to_all": "ugal_n"},
        {"routing": {"algorithm": "ugal_n", "threshold": 1.5}, "jobs": [{"routing": "minimal"}]},
        {"routing": {"threshold": 1.5, "algorithm": "par"}, "routing_all_to_all": "valiant_node"},
        {"machine": "theta", "routing": {"aries": {"levels": 8}}},
    ],
)
def test_only_keys_that_no_routing_reads_are_rejected(data: dict[str, Any]) -> None:
    made = scenario(**data)
    again = {"routing": made.routing, "routing_all_to_all": made.routing_all_to_all}
    assert scenario(**{**data, **again}).routing == made.routing, (
        "another routing of the scenario reads it"
    )


def test_a_routing_key_can_have_any_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key of the plan that ends in its unit is spelled without it, in the schema too."""
    from pantala.catalogue.key import UNITS, split_unit
    from pantala.scenario import routing
    from pantala.text.units import Duration

    assert [split_unit(f"pause_{unit}") for unit in UNITS] == [("pause", unit) for unit in UNITS]
    assert split_unit("steps") == ("steps", "")
    monkeypatch.setattr(routing, "KEYS", ("threshold_ps",))
    monkeypatch.setattr(routing, "readers", lambda key: ["minimal"])
    schema = pt.Routing.model_json_schema()
    assert "Has an effect under minimal." in str(schema)
    effects = routing._effects_under.__wrapped__(("minimal",))
    assert list(effects) == ["threshold"]
    assert routing._as_scenario(("pause_ps", 3000)) == ("pause", Duration(3000))


@pytest.mark.parametrize(
    ("at", "given"),
    [
        ("routing.minimal_up_to", {"routing": {"algorithm": "ugal_n", "minimal_up_to": "15 KiB"}}),
        (
            "routing_all_to_all.bias",
            {"routing": "minimal", "routing_all_to_all": {"algorithm": "par", "bias": "15 KiB"}},
        ),
        (
            "jobs[0].routing.bias",
            {"routing": "minimal", "job": {"routing": {"algorithm": "par", "bias": "15 KiB"}}},
        ),
    ],
)
def test_a_capacity_of_no_whole_flits_is_refused(at: str, given: dict[str, Any]) -> None:
    noise = {"kind": "pattern", "pattern": "uniform", "load": 0.1}
    job = {"name": "a", "ranks": 8, "workload": noise, **given.pop("job", {})}
    buffers = {"input_buffer": "60 flits", "output_buffer": "60 flits"}
    machine = {"preset": "kang2022", "packet": "1000 B", "flit": "100 B", "router": buffers}
    tables = {"name": "x", "machine": machine, "jobs": [job], "stop": {"duration": "1 us"}}
    with pytest.raises(pt.ScenarioError) as raised:
        pt.Scenario.from_dict({**tables, **given})
    assert f"key {at} = " in str(raised.value)
    assert "15 KiB" in str(raised.value)
    assert "is not a whole number of flits of 100 B" in str(raised.value)


def test_a_routing_of_another_scenario_brings_only_its_given_keys() -> None:
    theirs = scenario({"algorithm": "aries_ad0", "candidates_minimal": 1}, machine="theta")
    assert theirs.routing.as_given() == {"algorithm": "aries_ad0", "candidates_minimal": 1}
    mine = pt.Scenario(
        name="mine", machine="kang2022", routing=theirs.routing, jobs=list(theirs.jobs)
    )
    assert mine.given["routing"] == {"algorithm": "aries_ad0", "candidates_minimal": 1}
    assert scenario(machine="theta").routing.as_given() == {}
