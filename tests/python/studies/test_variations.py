"""Variations of an experiment: what becomes of the claims that do not hold."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from pantala.errors import UsageError
from pantala.studies import Campaign, StudyDefinition, read_study
from pantala.studies.campaign import check_measures
from pantala.studies.evidence import Evidence
from pantala.studies.packs import pack, unpack
from pantala.studies.study_page import render_study
from pantala.studies.variations import VariedExperiment
from support import ROOT, Ended

Cli = Callable[..., Ended]
EXAMPLE = ROOT / "examples/study"
VARIED = """
[[axes]]
name = "variation"
cases."as in the study" = {}
cases."messages of 32 KiB" = { "jobs.halo.workload.message" = "32 KiB" }
"""


def study(tmp_path: Path, axes: str = VARIED, keep: str = '["jobs"]') -> StudyDefinition:
    """Returns the example with an experiment that varies it, with one seed."""
    folder = Path(shutil.copytree(EXAMPLE, tmp_path / "mine", dirs_exist_ok=True))
    text = (folder / "beside.toml").read_text()
    (folder / "beside.toml").write_text(text.replace('keep = ["jobs"]', f"keep = {keep}"))
    (folder / "varied.toml").write_text(text.replace("seeds = 4", "seeds = [2]") + axes)
    with (folder / "study.toml").open("a") as file:
        file.write('\n[experiments.varied]\nfile = "varied.toml"\nvaries = "beside"\n')
    return read_study("mine", folder)


def test_the_claims_are_computed_for_each_variation(tmp_path: Path, cli: Cli) -> None:
    mine = study(tmp_path)
    campaign = Campaign(mine, tmp_path / "out", quick=False, seeds=2)
    assert {name: each.description.seeds for name, each in campaign.sweeps.items()} == {
        "beside": 2,
        "varied": 1,
    }
    campaign.run_one("beside", workers=1)
    done = len(campaign.sweeps["beside"].entries)
    campaign.run_one("varied", workers=1)
    # The runs of the first variation are those of the study.
    assert len(campaign.sweeps["varied"].entries) == done + 2
    same, smaller = campaign.variations()
    assert (same.experiment, same.name, same.runs) == ("beside", "as in the study", 4)
    beside = Evidence(mine.descriptions(quick=False), {"beside": campaign.experiments["beside"]})
    whole = mine.measures["EX-2"](beside)["difference"]
    (found,) = (each for each in same.judgements if each.claim.id == "EX-2")
    assert found.seeds == 1
    assert found.measured[0].interval.mean == whole[beside.seeds.index(2)]
    (other,) = (each for each in smaller.judgements if each.claim.id == "EX-2")
    assert other.measured[0].interval.mean != found.measured[0].interval.mean
    # Verdicts do not count the runs of variations.
    judged = {each.claim.id: each for each in campaign.judgements()}
    assert judged["EX-2"].seeds == 2
    assert np.isclose(judged["EX-2"].measured[0].interval.mean, np.mean(whole))
    page = render_study(campaign)
    assert "What was varied of beside" in page
    assert "EX-2: difference" in page
    printed = cli("study", "claims", mine.folder, "--out", tmp_path / "out", "--json")
    (_, document) = json.loads(printed.out)["variations"]
    assert document["variation"] == "messages of 32 KiB"
    assert document["claims"]["EX-2"]["difference"]["place"] in ("inside", "outside")
    # A run that two experiments share is unpacked once.
    packed = pack(campaign, tmp_path / "packs").moved
    taken = unpack(Campaign(mine, tmp_path / "other", quick=False), tmp_path / "packs")
    assert (taken.moved, taken.there) == (packed, 0)


def test_experiments_with_one_variation_are_taken_together(tmp_path: Path) -> None:
    """Each has one routing of two; the claim compares both."""
    whole = study(tmp_path / "whole")
    parts = study(tmp_path / "parts")
    text = (parts.folder / "varied.toml").read_text()
    for name, routing in (("varied", "minimal"), ("more", "par")):
        own = text.replace('["minimal", "par"]', f'["{routing}"]')
        (parts.folder / f"{name}.toml").write_text(own)
    with (parts.folder / "study.toml").open("a") as file:
        file.write('\n[experiments.more]\nfile = "more.toml"\nvaries = "beside"\n')
    found = []
    for folder, names in ((whole.folder, ["varied"]), (parts.folder, ["varied", "more"])):
        campaign = Campaign(read_study("mine", folder), folder.parent / "out", quick=False)
        for name in names:
            campaign.run_one(name, workers=1)
        found.append(campaign.variations())
        page = render_study(campaign)
        assert page.count(">messages of 32 KiB<") == 1
    of_one, of_two = found
    assert [each.name for each in of_two] == ["as in the study", "messages of 32 KiB"]
    for one, two in zip(of_one, of_two, strict=True):
        assert two.runs == one.runs
        assert "EX-2" in {each.claim.id for each in one.judgements}
        assert [(each.claim.id, each.measured) for each in two.judgements] == [
            (each.claim.id, each.measured) for each in one.judgements
        ]


@pytest.mark.parametrize(
    ("axes", "keep", "said"),
    [
        ("", '["jobs"]', "has no axis variation; give it an axis"),
        (
            VARIED + '\n[[axes]]\n"jobs.*.placement" = ["random"]\n',
            '["jobs"]',
            "only one of both has the axis jobs.*.placement",
        ),
        (VARIED, '["jobs", "ranks"]', "does not keep table ranks"),
    ],
)
def test_a_wrong_variation_is_found_before_the_runs(
    tmp_path: Path, axes: str, keep: str, said: str
) -> None:
    with pytest.raises(UsageError) as error:
        check_measures(study(tmp_path, axes, keep))
    assert said in str(error.value)


def test_only_an_experiment_with_claims_can_be_varied(tmp_path: Path) -> None:
    mine = study(tmp_path)
    path = mine.folder / "study.toml"
    path.write_text(path.read_text().replace('varies = "beside"', 'varies = "varied"'))
    with pytest.raises(UsageError, match="varies = 'varied': there is no such experiment"):
        check_measures(read_study("mine", mine.folder))


def test_runs_without_parts_are_those_of_all_jobs(tmp_path: Path) -> None:
    mine = study(tmp_path)
    path = mine.folder / "varied.toml"
    path.write_text(path.read_text().replace('interference = { targets = ["fft"] }', ""))
    varied = Campaign(read_study("mine", mine.folder), tmp_path / "out", quick=False)
    varied.run_one("varied", workers=1)
    for variation in ("as in the study", "messages of 32 KiB"):
        found = VariedExperiment([varied.experiments["varied"]], variation)
        assert set(found.table("jobs").collect()["part"]) == {"together"}


def test_a_study_says_why_jobs_that_end_early_are_no_limit(tmp_path: Path) -> None:
    mine = study(tmp_path)
    path = mine.folder / "study.toml"
    for said in (False, True):
        if said:
            path.write_text('overlap = "As in the paper."\n' + path.read_text())
        campaign = Campaign(read_study("mine", mine.folder), tmp_path / "out", quick=False)
        campaign.run_one("beside", workers=1)
        texts = [each.text for each in campaign.caveats if each.kind == "overlap"]
        assert (texts == ["As in the paper."]) == said
        assert all("ran for" in each for each in texts) != said
