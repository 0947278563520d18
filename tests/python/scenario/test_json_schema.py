"""The JSON Schema of scenarios: it accepts and refuses what the models do."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import jsonschema
import pytest

import pantala as pt
from pantala.scenario.json_schema import scenario_schema_text
from support import ROOT, SMALL

EXAMPLES = sorted((ROOT / "examples").glob("*.toml"))


@pytest.fixture(scope="module")
def schema() -> jsonschema.Draft202012Validator:
    jsonschema.Draft202012Validator.check_schema(pt.scenario_json_schema())
    return jsonschema.Draft202012Validator(pt.scenario_json_schema())


def test_the_committed_schema_is_current() -> None:
    committed = (ROOT / "schema" / "scenario.schema.json").read_text(encoding="utf-8")
    assert committed == scenario_schema_text(), "run 'make generate'"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_examples_match_the_schema(schema: jsonschema.Draft202012Validator, example: Any) -> None:
    schema.validate(tomllib.loads(example.read_text()))


def test_shorthands_match_the_schema(schema: jsonschema.Draft202012Validator) -> None:
    data = tomllib.loads(SMALL) | {"machine": "kang2022"}
    data["jobs"][0]["placement"] = "contiguous"
    data["jobs"][1]["placement"] = {"kind": "nodes", "nodes": list(range(8))}
    schema.validate(data)
    pt.Scenario.from_dict(data)


@pytest.mark.parametrize(
    "changes",
    [
        {"machine": "prisacari2015(4,8,4)"},
        {"machine": {"preset": "prisacari2015(2, 3, 2)", "nic": {"responses": "on"}}},
        {
            "machine": {
                "preset": "theta",
                "topology": {"links_per_cable": 4},
                "links": {"row": {"latency": "5 ns"}},
            }
        },
        {"routing": "bias(2,0)"},
        {
            "routing": {"algorithm": "aries_ad1", "aries": {"shift": [0, 3]}},
            "routing_all_to_all": "minimal",
        },
        {
            "routing": {"algorithm": "q_adaptive", "q_adaptive": {"truncate": False}},
            "allow_deadlock": True,
        },
    ],
)
def test_machines_and_routings_match_the_schema(
    schema: jsonschema.Draft202012Validator, changes: Any
) -> None:
    data = tomllib.loads(SMALL) | changes
    data["jobs"][0] |= {"routing": {"virtual_channels": 8}, "routing_all_to_all": "aries_ad3"}
    schema.validate(data)
    pt.Scenario.from_dict(data)


def test_a_machine_with_a_routing_needs_no_routing_key(
    schema: jsonschema.Draft202012Validator,
) -> None:
    data = tomllib.loads(SMALL) | {"machine": "theta"}
    del data["routing"]
    schema.validate(data)
    assert pt.Scenario.from_dict(data).routing.algorithm == "aries_ad0"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("ranks = 6", "rank = 6"),
        ("ranks = 6", "ranks = 0"),
        ('"1 kB"', "1000"),
        ('"1 kB"', '"1000"'),
        ('"1 kB"', '"-1 kB"'),
        ('"minimal"', '"minimum"'),
        ('"minimal"', '"bias(16,0)"'),
        ('"minimal"', '{ algorithm = "aries", aries = { shift = [] } }'),
        ('"kang2022"', '"prisacari2015(4,8)"'),
        ("g = 9", "g = 9, port_assignment = 'even'"),
        ('kind = "fft3d", ', ""),
        ("grid = [2, 3]", "grid = [2]"),
        ("name =", "seed = -1\nname ="),
        (SMALL[SMALL.index("[[jobs]]") :], "jobs = []"),
    ],
)
def test_the_schema_and_the_models_reject_the_same(
    schema: jsonschema.Draft202012Validator, old: str, new: str
) -> None:
    data = tomllib.loads(SMALL.replace(old, new, 1))
    assert not schema.is_valid(data)
    with pytest.raises(pt.ScenarioError):
        pt.Scenario.from_dict(data)


def test_every_key_is_described() -> None:
    schema = pt.scenario_json_schema()
    tables = [schema, *schema["$defs"].values()]
    missing = [
        f"{table.get('title', '')}.{key}"
        for table in tables
        for key, described in table.get("properties", {}).items()
        if not described.get("description")
    ]
    assert not missing


def test_the_kinds_of_workloads_are_declared_once(schema: jsonschema.Draft202012Validator) -> None:
    made = pt.scenario_json_schema()
    lists = [name for name, one in made["$defs"].items() if '"halo3d": "#/' in json.dumps(one)]
    assert lists == ["Workload"]
    for name in ("Job", "BackgroundApplication", "SnapshotApplication"):
        workload = made["$defs"][name]["properties"]["workload"]
        assert workload["$ref"] == "#/$defs/Workloads"
        assert workload["description"].startswith("The workload"), "an editor shows it"
    data = tomllib.loads(SMALL) | {"machine": "kang2022"}
    data["background"] = {"applications": [{"workload": {"kind": "halo3d"}}]}
    schema.validate(data)
    for wrong in ({"kind": "halo4d"}, {"kind": "halo3d", "mesage": "1 kB"}, [{"kind": "nothing"}]):
        data["background"]["applications"][0]["workload"] = wrong
        assert not schema.is_valid(data), wrong
        data["jobs"][0]["workload"] = wrong
        assert not schema.is_valid({**data, "background": {}}), wrong
