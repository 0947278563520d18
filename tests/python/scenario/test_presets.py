"""Presets: the numbers of their papers, with a source for every number."""

from __future__ import annotations

import re
from itertools import combinations
from typing import Any

import pytest

import pantala as pt
from pantala import papers
from pantala.runs.curve_setup import curve_setup
from pantala.scenario.paper_folders import paper_folders
from pantala.scenario.preset_file import Entry, PresetFile
from pantala.scenario.presets import (
    merge,
    mpi_presets,
    preset_entries,
    preset_source_texts,
    preset_text,
    router_preset,
    router_presets,
)
from pantala.scenario.routing import ALGORITHMS
from pantala.text.units import Bandwidth, Duration

#: The numbers of the papers' machines. The presets' files name the papers' sections.
NUMBERS: dict[str, dict[str, Any]] = {
    "kang2022": {
        "topology": {"kind": "dragonfly", "p": 4, "a": 8, "h": 4, "g": 33, "links_per_pair": 1},
        "links": {"local": ("200 Gb/s", "30 ns"), "global": ("200 Gb/s", "300 ns")},
        "sizes": (512, 128),
        "nodes": 1056,
    },
    "yang2016": {
        "topology": {"kind": "dragonfly", "p": 4, "a": 8, "h": 4, "g": 33, "links_per_pair": 1},
        "links": {
            "terminal": ("2 GiB/s", None),
            "local": ("2 GiB/s", None),
            "global": ("4 GiB/s", None),
        },
        "nodes": 1056,
        "ports": 15,
    },
    "wang2020_1d": {
        "topology": {"kind": "dragonfly", "p": 8, "a": 32, "h": 4, "g": 33},
        "links": {"terminal": ("16 GiB/s", None), "global": ("5.25 GiB/s", None)},
        "nodes": 8448,
    },
    "wang2020_2d": {
        "topology": {"kind": "dragonfly_2d", "p": 4, "rows": 6, "columns": 16, "h": 7, "g": 22},
        "links": {"terminal": ("16 GiB/s", None), "global": ("5.25 GiB/s", None)},
        "nodes": 8448,
    },
    "prisacari2015(2,3,2)": {
        "topology": {
            "kind": "dragonfly",
            "p": 2,
            "a": 3,
            "h": 2,
            "g": 7,
            "links_per_pair": 1,
            "global_arrangement": "palmtree",
        },
        "links": dict.fromkeys(("terminal", "local", "global"), ("40 Gb/s", None)),
        "sizes": (64, 64),
        "nodes": 42,
    },
    "prisacari2015(8,16,8)": {
        "topology": {"p": 8, "a": 16, "h": 8, "g": 129, "links_per_pair": 1},
        "nodes": 16_512,
    },
    "theta": {
        "topology": {
            "kind": "dragonfly_2d",
            "p": 4,
            "rows": 6,
            "columns": 16,
            "h": 10,
            "g": 12,
            "links_per_pair": 24,
        },
        "links": {
            "row": ("5.25 GB/s", None),
            "column": ("5.25 GB/s", None),
            "global": ("4.69 GB/s", None),
        },
        "nodes": 4608,
        "job_nodes": 4392,
        "ports": 4 + 15 + 15 + 10,
    },
    "cori": {
        "topology": {
            "kind": "dragonfly_2d",
            "p": 4,
            "rows": 6,
            "columns": 16,
            "h": 10,
            "g": 34,
            "links_per_pair": 8,
        },
        "links": {
            "row": ("5.25 GB/s", None),
            "column": ("5.25 GB/s", None),
            "global": ("4.69 GB/s", None),
        },
        "nodes": 13_056,
        "job_nodes": 9668,
        "ports": 4 + 15 + 15 + 10,
    },
}


def scenario(machine: str, routing: str = "minimal") -> pt.Scenario:
    work = {"kind": "allreduce_loop", "message": "1 B", "iterations": 1}
    job = {"name": "a", "ranks": 2, "workload": work}
    return pt.Scenario.from_dict(
        {"name": "x", "machine": machine, "routing": routing, "jobs": [job]}
    )


@pytest.mark.parametrize("name", pt.machine_presets())
def test_every_machine_preset_is_valid(name: str) -> None:
    plan = scenario(name, "ugal_n").plan()
    assert plan["topology"]["kind"] in {"dragonfly", "dragonfly_2d"}
    there = {key for key, link in plan["links"].items() if link is not None}
    assert there == {"terminal", *pt.Machine.of(name).topology.inside, "global"}


def test_every_machine_is_checked_against_its_paper() -> None:
    assert {name.partition("(")[0] for name in NUMBERS} <= set(pt.machine_presets())


@pytest.mark.parametrize("name", NUMBERS)
def test_a_machine_has_the_numbers_of_its_paper(name: str) -> None:
    machine, numbers = pt.Machine.of(name), NUMBERS[name]
    topology = machine.topology.model_dump()
    assert {key: topology[key] for key in numbers["topology"]} == numbers["topology"]
    assert machine.nodes == numbers["nodes"]
    assert machine.job_nodes == numbers.get("job_nodes", numbers["nodes"])
    if "ports" in numbers:
        assert sum(machine.topology.ports().values()) == numbers["ports"]
    if "sizes" in numbers:
        assert (int(machine.packet), int(machine.flit)) == numbers["sizes"]
    links = machine.links.classes()
    for key, (bandwidth, latency) in numbers.get("links", {}).items():
        assert links[key].bandwidth == Bandwidth.parse(bandwidth), key
        assert latency is None or links[key].latency == Duration.parse(latency), key


@pytest.mark.parametrize("name", ["wang2020_1d", "wang2020_2d"])
def test_the_local_links_of_wang2020_round_to_a_byte(name: str) -> None:
    machine = pt.Machine.of(name)
    for key in machine.topology.inside:
        assert abs(machine.links.classes()[key].bandwidth - 4.69 * 2**30) < 1


SMALL: dict[str, dict[str, Any]] = {
    "wang2020_1d": {"p": 2, "a": 4, "h": 2, "g": 5, "links_per_pair": 0},
    "wang2020_2d": {"p": 2, "rows": 2, "columns": 2, "h": 2, "g": 5, "links_per_pair": 0},
}


@pytest.mark.native
@pytest.mark.filterwarnings("ignore::pantala.ScenarioWarning")
@pytest.mark.parametrize("preset", SMALL)
def test_other_routings_and_routers_are_not_refused_for_what_a_preset_says(preset: str) -> None:
    def scenario(routing: str, **router: str) -> pt.Scenario:
        machine = {"preset": preset, "topology": SMALL[preset], "router": router}
        job = pt.Job(name="job", ranks=8, workload={"kind": "halo3d", "grid": [2, 2, 2]})
        return pt.Scenario(name="s", machine=machine, routing=routing, jobs=[job])

    keys = set()
    for routing in ALGORITHMS:
        try:
            scenario(routing).plan()
        except pt.ScenarioError as error:
            keys.add(error.key)
    # An algorithm can refuse such groups or links.
    assert keys <= {"routing.algorithm"}
    for model in router_presets():
        made = scenario("minimal", model=model)
        assert made.plan()
        # The order of links is of the preset's own router.
        of_codes = made.machine.router.link_order in {"lowest_vc", "highest_vc"}
        assert of_codes == (model == "codes_dally")


def test_the_cables_of_theta_and_cori() -> None:
    for name, cables in (("theta", 12), ("cori", 4)):
        shape = pt.Machine.of(name).topology
        assert shape.cables_per_pair == cables
        assert shape.links_per_pair * (shape.g - 1) == 264, (
            "a group's global links, of 96 routers with 10 each"
        )


FOLDERS = {
    "machines": pt.machine_presets(),
    "mixes": pt.mix_presets(),
    "routers": pt.router_presets(),
    "mpi": mpi_presets(),
}


@pytest.mark.parametrize(
    ("folder", "name"), [(folder, name) for folder, names in FOLDERS.items() for name in names]
)
def test_every_value_of_a_preset_names_a_declared_source(folder: str, name: str) -> None:
    entries = preset_entries(folder, name)
    declared = {*preset_source_texts(folder, name), "assumption"}
    assert entries
    assert all(entry.sources and set(entry.names) <= declared for entry in entries.values())
    assert preset_text(folder, name).endswith((".", ")"))


ENTRY = '[machine]\npacket = { value = "64 B", source = "paper IV.A", note = "one flit" }\n'
HEAD = 'about = "A machine."\n[sources]\npaper = "Somebody, 2015"\n'


def test_a_preset_file_is_parsed() -> None:
    text = (
        HEAD
        + ENTRY
        + 'flit = { value = "64 B", source = ["assumption", "paper II"] }\n'
        + '[mpi]\na = { value = 1, source = "assumption" }\n'
    )
    file = PresetFile.parse(text)
    assert (file.about, file.sources) == ("A machine.", {"paper": "Somebody, 2015"})
    assert file.tables() == {"machine": {"packet": "64 B", "flit": "64 B"}, "mpi": {"a": 1}}
    assert file.entries["machine.packet"] == Entry("64 B", ("paper IV.A",), "one flit")
    assert file.assumptions() == {"mpi.a": "no source states the value; chosen here"}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            HEAD + ENTRY.replace(', source = "paper IV.A"', ""),
            'machine.packet: has no source; add source = "...", one of ',
        ),
        (HEAD + ENTRY + "flit = { value = 1, source = [] }", "machine.flit: has no source"),
        (
            HEAD + ENTRY + 'flit = { value = 1, source = "SST" }',
            "machine.flit: source 'SST' is not in [sources]; add it",
        ),
        (
            HEAD + ENTRY + 'flit = "64 B"',
            "machine.flit = '64 B': is not an entry; write { value = ..., source = ... }",
        ),
        (
            HEAD + ENTRY + 'flit = { source = "paper" }',
            "machine.flit = {'source': 'paper'}: is not an entry",
        ),
        (
            HEAD + ENTRY + 'flit = { value = 1, source = "paper", unit = "B" }',
            "machine.flit: has unit; an entry has value",
        ),
        (
            HEAD + 'SST = "a simulator"\n' + ENTRY,
            "sources.SST: is not used by any value; remove it",
        ),
        (HEAD.partition("\n")[2] + ENTRY, 'about: is missing; add about = "..."'),
    ],
)
def test_a_fault_in_a_preset_file_names_the_key(text: str, line: str) -> None:
    with pytest.raises(ValueError, match=re.escape(line)):
        PresetFile.parse(text)


def test_values_without_a_paper_are_assumptions_until_changed() -> None:
    text = scenario("theta").plan()["assumptions"]
    assert text["machine.links.row.latency"] == "a backplane"
    assert "Faanes" in text["machine.packet"]
    assert "machine.topology.columns" not in text
    assert "machine.links.row.bandwidth" not in text
    changed = scenario("theta").replace({"machine.links.row.latency": "11 ns"}).assumptions()
    assert text.keys() - changed.keys() == {"machine.links.row.latency"}
    assert scenario("theta").replace({"machine.links.row.latency": "10 ns"}).assumptions() == text
    partly = scenario("prisacari2015(4,8,4)").assumptions()
    assert partly["machine.links.local.latency"] == "2 m of cable"
    assert "machine.links.local.bandwidth" not in partly
    assert not [key for key in partly if key.startswith("machine.topology.")]
    assert (
        "machine.router.model"
        not in scenario("theta").replace({"machine.router": "sst_sc22"}).assumptions()
    )


@pytest.mark.parametrize("name", pt.router_presets())
def test_every_router_model_is_valid(name: str) -> None:
    setup = curve_setup(preset=name)
    assert setup.scenario.machine.router.model == name
    assert setup.scenario.jobs[0].ranks == 1056
    assert setup.warmup > 0
    assert setup.measure > 0


def test_notes_are_true_for_other_values_of_other_keys() -> None:
    """A note said that one global link connects two groups, although the machine had four."""
    changes = {"machine.topology.g": 9, "machine.topology.links_per_pair": 4}
    sentence = scenario("kang2022", "ugal_g").replace(changes).assumptions()
    assert sentence["routing.candidates_minimal"].startswith(
        "the paper's text (II.B) says 2; from the simulator input"
    )
    assert not [reason for reason in sentence.values() if "one global link" in reason]


def test_merge_goes_table_by_table_and_changes_nothing() -> None:
    below = {"a": {"b": 1, "c": 2}, "d": [1, 2]}
    above = {"a": {"c": 3}, "d": [4]}
    assert merge(below, above) == {"a": {"b": 1, "c": 3}, "d": [4]}
    assert below == {"a": {"b": 1, "c": 2}, "d": [1, 2]}


def test_router_models_differ_in_stages_or_routing_names() -> None:
    machines = {name: pt.Machine.of("kang2022", router=name) for name in pt.router_presets()}
    meanings = {name: router_preset(name)["curve"].get("routings", {}) for name in machines}
    sentences = [
        (machine.router.model_dump(exclude={"model"}), meanings[name])
        for name, machine in machines.items()
    ]
    assert all(one != other for one, other in combinations(sentences, 2))


def test_every_paper_is_found_by_its_folder() -> None:
    named = {paper.name: paper for paper in papers.papers()}
    assert set(named) == {"chunduri2021", "kang2022", "prisacari2015", "wang2020", "yang2016"}
    assert [entry.name for entry in (paper_folders()["kang2022"] / "mixes").iterdir()] == [
        "kang2022.mixed.toml"
    ]
    assert all((folder / "machines").is_dir() for folder in paper_folders().values())
    with pytest.raises(pt.UsageError, match=r"paper = 'kang2021': .* did you mean 'kang2022'"):
        papers.paper("kang2021")
