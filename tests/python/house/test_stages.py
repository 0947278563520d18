"""Costs of a packet-hop by stage: a stage for every hot file, and the difference of two runs."""

from __future__ import annotations

from collections import Counter

import pytest
from typer.testing import CliRunner

import stages
from stages import LIBRARY, REST, STAGES, by_file, costs, stage
from support import ROOT

HOT = ("pantala-engine", "pantala-fabric", "pantala-routing", "pantala-topology")

WRITTEN = """\
desc: I1 cache: 32768 B
cmd: python
events: Ir D1mr D1mw
fl=/somewhere/crates/pantala-fabric/src/router/link.rs
fn=run
12 100 5 1
13 50 0 0
fl=/rustc/59807616e/library/core/src/num/mod.rs
fn=run
7 40 0 0
fl=/somewhere/crates/pantala-fabric/src/router/link.rs
fn=other
20 10 1 1
summary: 200 6 2
"""


def test_every_file_of_the_hot_path_has_a_stage() -> None:
    named = {name for name, _ in STAGES}
    without = {"config.rs", "choices.rs", "audit.rs", "lib.rs", "deadlock.rs"}
    for crate in HOT:
        for file in (ROOT / "crates" / crate / "src").rglob("*.rs"):
            if file.name not in without and "dependencies" not in str(file):
                assert stage(str(file)) in named, (
                    f"{file} has no stage; add it to STAGES in tools/stages.py"
                )


@pytest.mark.parametrize(
    ("file", "wanted"),
    [
        ("/x/crates/pantala-routing/src/algorithms/ugal_n.rs", "routing"),
        ("crates/pantala-engine/src/wheel.rs", "wheel"),
        ("/rustc/5980/library/core/src/ptr/mod.rs", LIBRARY),
        ("/x/registry/arrow/src/lib.rs", REST),
        ("???", REST),
    ],
)
def test_the_stage_of_a_file(file: str, wanted: str) -> None:
    assert stage(file) == wanted


def test_costs_are_the_difference_of_two_runs() -> None:
    after = by_file(WRITTEN)
    assert after["/somewhere/crates/pantala-fabric/src/router/link.rs"] == {
        "Ir": 160,
        "D1mr": 6,
        "D1mw": 2,
    }
    before = {"/somewhere/crates/pantala-fabric/src/router/link.rs": Counter(Ir=60, D1mr=1)}
    found = costs(before, after)
    assert found["link"] == {"Ir": 100, "D1mr": 5, "D1mw": 2}
    assert found[LIBRARY]["Ir"] == 40


def test_the_table_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = iter([("events: Ir\n", 100), (WRITTEN, 110)])
    monkeypatch.setattr(stages, "cachegrind", lambda *_: next(runs))
    ended = CliRunner().invoke(stages.app, ["uniform-72"])
    assert ended.exit_code == 0, ended.output
    rows = [line.split() for line in ended.output.splitlines() if line.strip()]
    assert ["link", "16", "0.80", "0.00", "0.00", "80%"] in rows
    assert ["all", "20", "0.80", "0.00", "0.00", "100%"] in rows


def test_several_benches_share_a_table_in_markdown(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = iter(
        [
            ("events: Ir\n", 100),
            (WRITTEN, 110),
            ("events: Ir\n", 0),
            (WRITTEN.replace("link", "nic"), 20),
        ]
    )
    monkeypatch.setattr(stages, "cachegrind", lambda *_: next(runs))
    ended = CliRunner().invoke(stages.app, ["uniform-72", "uniform-1056", "--markdown"])
    assert ended.exit_code == 0, ended.output
    cells = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in ended.output.splitlines()
        if "|" in line
    ]
    assert cells[0][:2] == ["stage", "`uniform-72`: instructions"]
    assert cells[1] == ["---", *6 * ["---:"]]
    assert [line[0] for line in cells[2:]] == ["link", LIBRARY, "NIC", "all"]
    assert cells[2][1:] == ["16", "0.80", "0.00", "0", "0.00", "0.00"]
    assert cells[5][1:] == ["20", "0.80", "0.00", "10", "0.40", "0.00"]


def test_mistakes_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    assert CliRunner().invoke(stages.app, ["uniform-73"]).exit_code == 2
    monkeypatch.setattr(stages, "cachegrind", lambda *_: ("events: Ir\nfl=???\n1 5\n", 1))
    ended = CliRunner().invoke(stages.app, ["uniform-72"])
    assert ended.exit_code == 1
    assert "no line tables" in ended.output
