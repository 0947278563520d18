"""Measured cases of SST Ember: Pantala repeats them within the bars."""

from __future__ import annotations

from pathlib import Path

import pytest

from support import ROOT
from validation import tables
from validation.ember import command, figure, page
from validation.ember.bars import Comparison, compare, limit
from validation.ember.cases import LOADS, Case, cases
from validation.ember.page import CasePage, Replayed, case_row, times
from validation.ember.replay import replay

CASES = {case.name: case for case in cases()}
PAGE = (ROOT / "docs" / "explanation" / page.PAGE).read_text(encoding="utf-8")
#: `make test` runs these cases, a small one of each motif. `make test-all` runs all cases.
SMALL = {
    "allreduce64_1",
    "alltoallv64_64",
    "coll64_small",
    "fft64_n128",
    "halo128b_rand_qadp",
    "halo26_64_16",
    "halo64_2k_reduce",
    "lqcd64_32",
    "lulesh64_s1",
    "naslu64_rdv",
    "pingpong_limits_a",
    "random64_4096",
    "stencil64_32k",
    "sweep64_eager",
    "two_random384_halo64k",
}


def exact(case: Case) -> dict[str, float]:
    return {name: each.value for name, each in case.theirs.items()}


@pytest.mark.native
@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=name, marks=pytest.mark.slow if name in SMALL else pytest.mark.full)
        for name, case in CASES.items()
    ],
)
def test_a_case_agrees_with_sst(case: Case) -> None:
    ours = replay(case)
    item = Replayed(case, compare(case, ours))
    assert not CasePage([item]).failures
    assert ours["packets"] == case.theirs["packets"].value
    assert ours["bytes"] == case.theirs["bytes"].value
    for row in [case_row(item), *times(item)]:
        assert tables.line(row) in PAGE, "run python -m validation ember --write"


def test_every_motif_of_the_cases_is_in_make_test() -> None:
    assert CASES.keys() >= SMALL
    motifs = {motif for case in CASES.values() for job in case.jobs for motif in job}
    assert motifs == {motif for name in SMALL for job in CASES[name].jobs for motif in job}


def test_the_cases_are_complete() -> None:
    assert len(CASES) == 22
    assert {case.load_file.name for case in CASES.values()} == {
        path.name for path in LOADS.iterdir()
    }
    assert sum(len(case.theirs) for case in CASES.values()) == 1685


@pytest.mark.parametrize(
    ("name", "metric", "expected"),
    [
        ("pingpong_limits_a", "PingPong.12000B.one_way", 0.02),
        ("allreduce64_1", "Allreduce_5_1_0.iter3.comm.mean", 0.02),
        ("coll64_small", "Barrier.printed_latency", 0.02),
        ("coll64_small", "Bcast.1024B.printed_latency", 0.05),
        ("coll64_small", "simulated_end", 0.05),
        ("halo64_2k", "Halo3D.total.comm.mean", 0.05),
        ("halo64_2k", "Halo3D.iter1.comm.mean", None),
        ("halo64_2k", "mean_packet_latency", None),
        ("halo128_rand_valiant", "simulated_end", 0.05),
        ("halo128_rand_par", "simulated_end", 0.10),
        ("two_random384_halo64k", "Random.total.comm.mean", 0.10),
        ("two_random384_halo64k", "job1.bytes", 0.0),
    ],
)
def test_the_bar_of_a_metric(name: str, metric: str, expected: float | None) -> None:
    assert metric in CASES[name].theirs
    assert limit(CASES[name], metric) == expected


def test_a_bar_can_fail() -> None:
    case = CASES["pingpong_limits_a"]
    right = exact(case)
    assert not CasePage([Replayed(case, compare(case, right))]).failures
    for metric, factor in (("packets", 1.0001), ("PingPong.12001B.one_way", 1.021)):
        wrong = right | {metric: factor * right[metric]}
        (line,) = CasePage([Replayed(case, compare(case, wrong))]).failures
        assert line.startswith(f"pingpong_limits_a: {metric}: theirs ")


def test_the_error_of_a_share_is_a_difference() -> None:
    assert Comparison("nonminimal_share", "fraction", 0.5, 0.6).error == pytest.approx(0.1)
    assert Comparison("packets", "packets", 200, 210).error == pytest.approx(0.05)


def test_the_page_shows_every_case(tmp_path: Path) -> None:
    items = [Replayed(case, compare(case, exact(case))) for case in CASES.values()]
    text = CasePage(items).text()
    assert all(f"| `{name}` |" in text for name in CASES)
    assert "| `lulesh64_s1` | Lulesh, nn26 |" in text
    assert "**" not in text
    figure.cases(items).savefig(tmp_path / "cases.svg")


def test_the_command_prints_both_values_and_the_missed_bars(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "replay", lambda case: exact(case) | {"packets": 1.0})
    assert command.main(["allreduce64_1"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "allreduce64_1 (minimal)"
    assert [line for line in lines if line.endswith("MISSED")] == [lines[2]]
    assert not any(".iter3." in line for line in lines)
    assert command.main(["nothing"]) == 2
    assert "no case 'nothing'" in capsys.readouterr().err


def test_the_command_writes_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "together", lambda tasks: [exact(case) for _, (case, _) in tasks])
    monkeypatch.setattr(command, "DOCS", tmp_path)
    for folder in ("_static", "explanation"):
        (tmp_path / folder).mkdir()
    assert command.main(["--write"]) == 0
    text = (tmp_path / "explanation" / page.PAGE).read_text(encoding="utf-8")
    assert "117 of 117 bars are met" in text.replace("\n", " ")
    assert (tmp_path / "_static" / page.FIGURE).is_file()
