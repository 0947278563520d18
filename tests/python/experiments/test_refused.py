"""Cases that cannot be run: an error, or with ``skip_refused`` rows with the reason."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pantala as pt
from pantala.experiments.cases_file import REFUSED, over_seeds, read_cases, write_cases
from pantala.experiments.description import describe
from pantala.experiments.listing import Listing, list_runs
from pantala.experiments.runner import Sweep
from support import Ended
from sweeps import SCENARIO, scenario

pytestmark = pytest.mark.native
Cli = Callable[..., Ended]

#: The second grid has more cells than the job has ranks.
GRIDS = {"jobs.halo.workload.grid": [[4, 4, 2], [4, 4, 3]]}
WRONG = "the grid has 48 cells, but the job has 32 ranks"
GRID_OPTION = ["--axis", "jobs.halo.workload.grid=[4,4,2],[4,4,3]"]


def listed(tmp_path: Path, *, skip: bool = True, **given: Any) -> Listing:
    description = describe(scenario(), skip_refused=skip, **given)
    return list_runs(description, tmp_path, {})


def refused(listing: Listing) -> list[int]:
    return list(listing.refused["case"])


def test_a_refused_case_is_an_error_that_names_the_option(tmp_path: Path, cli: Cli) -> None:
    file = tmp_path / "tiny.toml"
    file.write_text(SCENARIO)
    ended = cli("sweep", file, *GRID_OPTION, "--seeds", "2", "--out", tmp_path / "out")
    assert ended.status == 2
    assert ended.err.count("\n") == 1
    assert 'case jobs.halo.workload.grid="[4, 4, 3]", seed=1: key jobs[0]' in ended.err
    assert WRONG in ended.err
    assert ended.err.endswith(
        ", or give --skip-refused (skip_refused=True) to simulate the other cases\n"
    )
    assert not (tmp_path / "out").exists()


def test_a_misspelled_axis_does_not_name_the_option(tmp_path: Path, cli: Cli) -> None:
    file = tmp_path / "tiny.toml"
    file.write_text(SCENARIO)
    command = ["sweep", file, "--axis", "routing.algoritm=ugal_g,par", "--seeds", "2"]
    ended = cli(*command, "--out", tmp_path / "out")
    assert ended.status == 2
    assert ended.err.endswith("unknown key; did you mean 'algorithm'?\n")


def test_one_case_alone_has_no_other_cases_to_simulate(tmp_path: Path) -> None:
    alone = scenario().replace({"seed": 3})
    with pytest.raises(pt.ScenarioError, match="48 cells") as raised:
        list_runs(describe(alone, axes={"jobs.halo.workload.grid": [[4, 4, 3]]}), tmp_path, {})
    assert "skip" not in str(raised.value)


def test_the_other_cases_are_simulated_and_the_refused_ones_listed(
    tmp_path: Path, cli: Cli
) -> None:
    file, out = tmp_path / "tiny.toml", tmp_path / "out"
    file.write_text(SCENARIO)
    command = ["sweep", file, *GRID_OPTION, "--seeds", "2", "--out", out, "--skip-refused"]
    planned = cli(*command, "--dry-run")
    assert planned.status == 0, planned.err
    assert "2 x 2 = 4 cases, 2 runs" in planned.out
    assert "refused: 2 of 4 cases, not simulated:" in planned.out
    assert "  jobs.halo.workload.grid=[4, 4, 3], 2 seeds: key jobs[0].workload.grid" in planned.out
    assert planned.out.count(WRONG) == 1
    assert not out.exists()

    ended = cli(*command)
    assert ended.status == 0, ended.err
    assert "refused: 2 of 4 cases" in ended.out
    assert "refused" not in ended.err
    quiet = cli(*command, "--quiet")
    assert (quiet.status, quiet.out) == (0, "")
    assert "2 of 4 cases refused and not simulated" in quiet.err

    (text,) = json.loads(cli("status", out, "--json").out)
    assert (text["cases"], text["refused"], text["runs"], text["done"]) == (4, 2, 2, 2)
    assert (text["missing"], text["failed"]) == (0, 0)
    assert [each["seed"] for each in text["refused_cases"]] == [1, 2]
    assert all(WRONG in each["reason"] for each in text["refused_cases"])
    shown = cli("status", out).out
    assert "2 of 4 cases cannot be run and are not simulated" in shown
    assert "2 seeds" in shown

    experiment = pt.Experiment(out)
    assert list(experiment.runs["state"]) == ["done", "done", "refused", "refused"]
    assert set(experiment.runs["part"]) == {"tiny"}
    assert experiment.cases.columns == ["case", "jobs.halo.workload.grid", "seed", "part", "run"]
    assert experiment.cases.height == 2
    assert experiment.refused[REFUSED].str.contains(WRONG, literal=True).all()
    assert experiment.table("jobs").collect()["case"].n_unique() == 2
    assert cli("report", out).status == 0
    page = (out / "report.html").read_text()
    assert "2 of 4 cases refused" in page
    assert "refused: jobs.halo.workload.grid = [4, 4, 3], 2 seeds: key" in page


def test_a_second_command_without_the_option_refuses_again(tmp_path: Path) -> None:
    made = pt.sweep  # the list is on the disk after the first one
    with pytest.warns(pt.ScenarioWarning, match="1 of 2 cases refused and not simulated"):
        made(scenario(), tmp_path, axes=GRIDS, workers=1, skip_refused=True)
    with pytest.raises(pt.ScenarioError, match="48 cells"):
        made(scenario(), tmp_path, axes=GRIDS, workers=1)
    with pytest.warns(pt.ScenarioWarning, match="48 cells"):
        again = made(scenario(), tmp_path, axes=GRIDS, workers=1, skip_refused=True)
    assert list(again.runs["state"]) == ["done", "refused"]


def test_an_experiment_of_refused_cases_only_is_an_error(tmp_path: Path) -> None:
    grids = {"jobs.halo.workload.grid": [[4, 4, 3], [4, 4, 4]]}
    with pytest.raises(pt.ScenarioError, match="all 4 cases are refused; case jobs") as raised:
        pt.sweep(scenario(), tmp_path / "out", axes=grids, seeds=2, skip_refused=True)
    assert WRONG in str(raised.value)
    assert not (tmp_path / "out").exists()


def test_zipped_axes_named_cases_and_selections_of_jobs(tmp_path: Path) -> None:
    zipped = [{"jobs.halo.workload.grid": [[4, 4, 3], [4, 4, 3]], "jobs.halo.ranks": [32, 48]}]
    assert refused(listed(tmp_path, axes=zipped)) == [0]
    named = [
        {
            "name": "which",
            "cases": {
                "good": {"routing.algorithm": "par"},
                "far": {"jobs.halo.ranks": 4000},
                "typo": {"routing.algoritm": "par"},
            },
        }
    ]
    listing = listed(tmp_path, axes=named, seeds=2)
    assert refused(listing) == [2, 3, 4, 5]
    assert list(listing.refused["which"]) == ["far", "far", "typo", "typo"]
    assert "did you mean 'algorithm'?" in listing.refused[REFUSED][3]
    assert listing.count == 2
    chosen = [{"jobs": ["halo", "noise"]}, GRIDS]
    assert refused(listed(tmp_path, axes=chosen)) == [1, 3]
    # No such job is a wrong axis, not a case.
    with pytest.raises(pt.UsageError, match="no such job"):
        listed(tmp_path, axes=[{"jobs": ["halo", "hallo"]}])


def test_parts_of_an_interference_experiment(tmp_path: Path) -> None:
    with pytest.warns(pt.ScenarioWarning):
        made = pt.sweep(
            scenario().replace({"interference": True}),
            tmp_path,
            axes=GRIDS,
            workers=1,
            skip_refused=True,
        )
    assert list(made.runs["part"]) == ["alone-halo", "alone-noise", "together", "together"]
    assert list(made.runs["state"]) == ["done", "done", "done", "refused"]
    assert made.slowdowns().height > 0


def test_batches_of_a_precision(tmp_path: Path) -> None:
    axes = [{"seed": [4, *range(6, 25)]}, GRIDS]
    description = describe(scenario(), axes=axes, skip_refused=True)
    whole = list_runs(description, tmp_path, {})
    assert (whole.count, whole.refused.height) == (20, 20)
    first = whole.first_seeds(10)
    assert list(first.frame["case"]) == list(range(0, 20, 2))
    assert refused(first) == list(range(1, 20, 2))
    assert first.frame["run"].to_list() == whole.frame["run"].to_list()[:10]
    for case, part, run in first.frame.select("case", "part", "run").iter_rows():
        (found,) = first.expansion.listed(case)
        assert (found.part, found.run) == (part, run)
    made = describe(scenario(), axes=GRIDS, seeds=20, precision=_wide(), skip_refused=True)
    sweep = Sweep(made, tmp_path / "out")
    sweep.run(workers=1)
    assert pt.Experiment(tmp_path / "out").runs["state"].value_counts().sort("state").rows() == [
        ("done", 10),
        ("refused", 10),
    ]


def _wide() -> Any:
    from pantala.analysis.statistics import Precision

    return Precision.parse("90%", None)


@settings(max_examples=30)
@given(
    st.lists(st.sampled_from([24, 32, 48]), min_size=1, max_size=4, unique=True),
    st.lists(st.sampled_from(["minimal", "par", "parr"]), min_size=1, max_size=3, unique=True),
    st.integers(1, 3),
    st.integers(0, 2),
)
def test_the_list_has_exactly_the_cases_that_run_alone(
    tmp_path_factory: pytest.TempPathFactory,
    ranks: list[int],
    routings: list[str],
    seeds: int,
    place: int,
) -> None:
    tmp_path = tmp_path_factory.mktemp("cases")
    axes: list[dict[str, Any]] = [{"jobs.halo.ranks": ranks}, {"routing.algorithm": routings}]
    axes.insert(place, {"seed": list(range(seeds))})
    works = [count == 32 and name != "parr" for count in ranks for name in routings]
    if not any(works):
        with pytest.raises(pt.ScenarioError, match=r"key"):
            listed(tmp_path, axes=axes)
        return
    listing = listed(tmp_path, axes=axes)
    listing.write(tmp_path)
    again = listed(tmp_path, axes=axes)
    assert again.frame.equals(listing.frame)
    assert again.refused.equals(listing.refused)
    sound = {
        number
        for number in range(len(listing.expansion))
        if (shown := listing.expansion.shown(number))["jobs.halo.ranks"] == 32
        and shown["routing.algorithm"] != "parr"
    }
    assert set(listing.frame["case"]) == sound
    assert set(refused(listing)) == set(range(len(listing.expansion))) - sound


def test_a_file_without_refused_cases_has_its_columns_of_old(tmp_path: Path) -> None:
    listing = listed(tmp_path, seeds=2)
    listing.write(tmp_path)
    folder = tmp_path / "experiments" / "tiny"
    assert pl.read_parquet(folder / "cases.parquet").columns == ["case", "seed", "part", "run"]
    frame, none = read_cases(folder)
    assert frame.equals(listing.frame)
    assert none.columns == ["case", "seed", REFUSED]
    write_cases(folder, frame, none)
    assert read_cases(folder)[0].equals(frame)


def test_seeds_with_one_reason_share_a_row() -> None:
    rows = pl.DataFrame(
        {"case": [0, 1, 2], "key": ["a", "a", "b"], "seed": [1, 2, 1], "refused": ["no"] * 3}
    )
    assert over_seeds(rows).rows() == [("a", "2 seeds", "no"), ("b", "1", "no")]
    assert over_seeds(rows.drop("seed")).rows() == rows.drop("seed").rows()


def test_the_key_of_an_experiment_file(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "tiny.toml").write_text(SCENARIO)
    file = tmp_path / "experiment.toml"
    text = "scenario = 'tiny.toml'\nskip_refused = {}\n[[axes]]\n'jobs.halo.ranks' = [32, 33]\n"
    file.write_text(text.format("true"))
    ended = cli("sweep", file, "--out", tmp_path / "out", "--dry-run")
    assert ended.status == 0, ended.err
    assert "refused: 1 of 2 cases" in ended.out
    file.write_text(text.format("'yes'"))
    ended = cli("sweep", file, "--out", tmp_path / "out", "--dry-run")
    assert ended.status == 2
    assert "skip_refused = 'yes': is not true or false; write skip_refused = true" in ended.err


def test_a_comparison_names_refused_cases(tmp_path: Path, cli: Cli) -> None:
    axes: list[dict[str, Any]] = [{"routing.algorithm": ["minimal", "par"]}, GRIDS]
    with pytest.warns(pt.ScenarioWarning):
        pt.sweep(scenario(), tmp_path / "a", axes=axes, workers=1, skip_refused=True)
    ended = cli("compare", tmp_path / "a", "--by", "routing.algorithm")
    assert ended.status == 0, ended.err
    assert "([4, 4, 3], seed 1): refused: key jobs[0].workload.grid" in ended.out + ended.err


def test_an_axis_with_another_seed_keeps_its_name_in_the_list(tmp_path: Path, cli: Cli) -> None:
    file = tmp_path / "tiny.toml"
    file.write_text(SCENARIO)
    draws = ["--set", "machine.topology.failed_links.count=2"]
    draws += [
        "--axis",
        "machine.topology.failed_links.seed=1,2",
        "--axis",
        "routing=minimal,ugal_g",
    ]
    ended = cli("sweep", file, *draws, "--seeds", "2", "--skip-refused", "--dry-run")
    assert ended.status == 0, ended.err
    assert "  machine.topology.failed_links.seed=1, routing=minimal, 2 seeds: key" in ended.out
