"""The runs that some claims of a study need."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pantala.papers import studies
from pantala.studies import Campaign, StudyDefinition, Verdict, read_study
from pantala.studies.asked import cases_of_claims, chosen_claims
from support import ROOT, Ended, one_line

Cli = Callable[..., Ended]
EXAMPLE = ROOT / "examples/study"
CLAIM = """
[[claims]]
id = "EX-4"
where = "IV"
kind = "result"
statement = "Under PAR, FFT3D is slowed."
paper = "10 %"
holds.slowdown = [1.0, inf]
"""
MEASURE = """
def under_par(evidence):
    where = {"routing.algorithm": "par", "name": "fft"}
    return {"slowdown": evidence.cell("beside", "slowdown", where)}


MEASURES["EX-4"] = under_par
"""


def study(tmp_path: Path) -> StudyDefinition:
    """Returns the example with a claim on one of its two routings."""
    folder = Path(shutil.copytree(EXAMPLE, tmp_path / "mine"))
    for name, text in (("claims.toml", CLAIM), ("measures.py", MEASURE)):
        with (folder / name).open("a") as file:
            file.write(text)
    return read_study("mine", folder)


def judged(root: Path, mine: StudyDefinition, claim: str) -> tuple[Verdict, float]:
    campaign = Campaign(mine, root, quick=False, seeds=1)
    (found,) = (each for each in campaign.judgements() if each.claim.id == claim)
    return found.verdict, found.measured[0].interval.mean


def test_the_runs_of_a_claim_give_its_verdict(tmp_path: Path) -> None:
    mine = study(tmp_path)
    some = Campaign(mine, tmp_path / "some", quick=False, seeds=1)
    assert some.ask_for(["EX-4"]) == ["beside"]
    some.run_one("beside", workers=1)
    assert some.sweeps["beside"].to_simulate == []
    assert len(some.sweeps["beside"].missing) == 2
    whole = Campaign(mine, tmp_path / "some", quick=False, seeds=1)
    # Alone and together under the other routing.
    assert len(whole.sweeps["beside"].missing) == 2
    found = judged(tmp_path / "some", mine, "EX-4")
    assert found[0] is Verdict.ONE_SEED
    whole.run_one("beside", workers=1)
    assert judged(tmp_path / "some", mine, "EX-4") == found


def test_the_command_lists_and_makes_only_what_a_claim_needs(tmp_path: Path, cli: Cli) -> None:
    study(tmp_path)
    place = (tmp_path / "mine", "--out", tmp_path / "out")
    given = ("study", "run", *place, "--seeds", "1", "--claim", "EX-4")
    listed = cli(*given, "--dry-run").out
    assert "asked for: 2 of 4 runs" in listed
    assert "to simulate: 2 runs" in listed
    made = cli(*given, "--workers", "1")
    assert made.status == 0, made.err
    assert "EX-4" in made.out
    # What is not asked for is missing all the same.
    assert "Not in the results: 2 of 4 runs are not simulated yet" in " ".join(made.out.split())
    assert "there already: 2 of 2 runs" in cli(*given, "--dry-run").out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--claim", "EX-5"], "--claim EX-5: the study has no such claim; did you mean 'EX-4'?"),
        (["--claim", "EX-3"], "--claim EX-3: no run decides it; pantala study claims"),
        (["--claim", "configuration"], "--claim configuration: no run decides it"),
    ],
)
def test_a_claim_without_runs_is_refused(
    options: list[str], said: str, tmp_path: Path, cli: Cli
) -> None:
    study(tmp_path)
    ended = cli("study", "run", tmp_path / "mine", "--out", tmp_path / "out", *options)
    assert said in one_line(ended)


@pytest.mark.parametrize("name", [each.name for each in studies()])
def test_every_claim_of_a_paper_names_its_cases(name: str) -> None:
    (mine,) = (each for each in studies() if each.name == name)
    descriptions = mine.descriptions(quick=False)
    for claim in mine.claims:
        if claim.holds:
            assert cases_of_claims(mine, descriptions, chosen_claims(mine, [claim.id])), claim.id
