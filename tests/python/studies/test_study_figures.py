"""Figures and tables of a study: entries checked before runs, numbers equal to tables, drawings."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import pantala as pt
from pantala.errors import UsageError
from pantala.papers import studies
from pantala.store.run_store import RunStore
from pantala.studies import Campaign, StudyDefinition, read_study
from pantala.studies.campaign import check_measures
from pantala.studies.figures.drawings import DRAWINGS
from pantala.studies.figures.kinds import KINDS
from pantala.studies.figures.links import links_of
from pantala.studies.figures.made import MadeFigure
from pantala.studies.figures.numbers import NUMBERS
from pantala.studies.study_page import render_study
from support import Ended

Cli = Callable[..., Ended]

STUDY = """
title = "Two jobs"
source = "Nobody, 2026"
quick = "Quick version: one seed."

[labels]
ring = "Ring job"

[experiments.pair]
file = "pair.toml"
[experiments.pair.quick]
only = { "routing.algorithm" = ["par"] }
"""
PAIR = """
seeds = 2
keep = [
    "jobs", "ranks", "calls", "links", "link_jobs", "job_windows", "latency_windows",
    "port_windows", "rank_messages", "router_windows", "system_windows", "nic_windows",
]

[scenario]
interference = true
routing = "minimal"

[scenario.machine]
preset = "kang2022"
topology = { p = 2, a = 2, h = 1, g = 3 }
nic = { responses = true }

[scenario.record]
window = "2 us"
latency_windows = "20 us"
ports = {}
rank_messages = true
routers = { windows = ["2 us", "4 us"] }
system = { windows = ["2 us"] }
nic_windows = "2 us"

[[scenario.jobs]]
name = "ring"
ranks = 6
workload = { kind = "halo3d", grid = [6, 1, 1], message = "8 KiB", iterations = 3 }

[[scenario.jobs]]
name = "cube"
ranks = 6
workload = { kind = "halo3d", grid = [3, 2, 1], message = "16 KiB", iterations = 3 }

[[axes]]
"routing.algorithm" = ["minimal", "par"]
"""
CLAIMS = """
[[claims]]
id = "A-1"
where = "I"
kind = "result"
statement = "A photo shows it."
paper = "a photo"
unjudged = "a photo"
"""


def entry(kind: str, more: str = "") -> str:
    """Returns an entry for a kind; without the condition, a kind has both."""
    return f"""
[[figures]]
name = "fig-{kind}"
kind = "{kind}"
title = "The {kind}"
source = "Fig. 1"
experiment = "pair"
{more}
"""


ROUTINGS = 'panels = ["routing.algorithm"]\nwhere = { condition = "together" }'
ENTRIES = {
    "bars": 'groups = ["routing.algorithm"]\nseries = ["beside"]',
    "throughput": 'panels = ["name", "routing.algorithm"]',
    "latency-over-time": 'panels = ["name", "routing.algorithm"]',
    "packet-latency": 'groups = ["name", "routing.algorithm"]',
    "rank-boxes": 'groups = ["name", "routing.algorithm"]',
    "routers-over-time": f'{ROUTINGS}\njobs = ["ring"]',
    "group-ring": ROUTINGS,
    "link-load-map": ROUTINGS,
    "link-shares": 'series = ["routing.algorithm"]\nwhere = { condition = "together" }',
    "router-traffic": 'series = ["routing.algorithm"]\nwhere = { condition = "together" }',
    "sample-boxes": 'series = ["routing.algorithm"]',
    "z-scores": 'series = ["routing.algorithm"]',
    "call-bars": 'panels = ["name", "routing.algorithm"]',
    "tile-scatter": 'series = ["routing.algorithm"]\nwhere = { condition = "together" }',
    "tile-ratios": 'panels = ["name"]\nseries = ["routing.algorithm", "condition"]',
    "system-counters": 'series = ["routing.algorithm"]\nwhere = { condition = "together" }',
    "latency-percentiles": 'series = ["routing.algorithm"]\nwhere = { condition = "together" }',
    "job-sizes": 'series = ["name", "routing.algorithm"]',
}
TOGETHER = pl.col("part") == "together"


def write(folder: Path, *more: str) -> StudyDefinition:
    """Writes a study with figures."""
    folder.mkdir(exist_ok=True)
    (folder / "study.toml").write_text(STUDY + "".join(more))
    (folder / "pair.toml").write_text(PAIR)
    (folder / "claims.toml").write_text(CLAIMS)
    (folder / "measures.py").write_text("MEASURES = {}\n")
    return read_study("two", folder)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the directory of the study's runs."""
    folder = tmp_path_factory.mktemp("study")
    campaign = Campaign(write(folder / "two"), folder / "runs", quick=False)
    campaign.run_one("pair", workers=1)
    return folder / "runs"


def figures(runs: Path, folder: Path, *more: str) -> Iterator[MadeFigure]:
    return Campaign(write(folder, *more), runs, quick=False).figures()


def figure(runs: Path, folder: Path, kind: str, more: str | None = None) -> MadeFigure:
    """Returns the only figure of a study."""
    (made,) = figures(runs, folder, entry(kind, ENTRIES[kind] if more is None else more))
    return made


def tables(runs: Path, table: str, **where: Any) -> pl.DataFrame:
    """Returns rows of a table of the experiment."""
    found = pt.Experiment(runs, "pair").table(table).collect()
    return found.filter([pl.col(key.replace("__", ".")) == value for key, value in where.items()])


def remove(runs: Path, gone: set[str]) -> None:
    """Removes runs from a directory."""
    for index in (runs / "index").iterdir():
        lines = index.read_text().splitlines(keepends=True)
        index.write_text("".join(each for each in lines if not any(run in each for run in gone)))
    for run in gone:
        shutil.rmtree(RunStore(runs).path(run))


def test_every_kind_has_numbers_and_a_drawing() -> None:
    assert set(KINDS) == set(NUMBERS) == set(DRAWINGS) == set(ENTRIES)


@pytest.mark.parametrize("kind", list(ENTRIES))
def test_each_kind_is_drawn(runs: Path, tmp_path: Path, kind: str) -> None:
    made = figure(runs, tmp_path, kind)
    assert made.draw is not None
    assert KINDS[kind].text in made.caption
    drawn = made.draw()
    titles = [axes.get_title(loc="left") for axes in drawn.axes]
    words = {text.get_text() for axes in drawn.axes for text in axes.get_yticklabels()}
    words |= set(titles) | {text.get_text() for each in drawn.legends for text in each.get_texts()}
    if not KINDS[kind].of_links:
        assert any("Ring job" in each for each in words)  # the study's label
    assert made.numbers["routing.algorithm"].unique().sort().to_list() == ["minimal", "par"]
    assert ("Seed 1." in made.caption) == KINDS[kind].one_seed


def test_samples_are_jobs_and_seeds(runs: Path, tmp_path: Path) -> None:
    made = figure(
        runs,
        tmp_path,
        "sample-boxes",
        'where = { condition = "together" }\nseries = ["routing.algorithm"]\nvalue = "relative"',
    )
    rows = tables(runs, "jobs", part="together").with_columns(
        time=pl.col("end_ns") - pl.col("start_ns")
    )
    assert made.numbers.height == rows.height
    means = dict(rows.group_by("name").agg(pl.col("time").mean()).iter_rows())
    wanted = [row["time"] / means[row["name"]] for row in rows.iter_rows(named=True)]
    np.testing.assert_allclose(made.numbers["relative"].sort(), sorted(wanted))
    assert made.caption.endswith("Seeds 1 and 2.")


def test_bars_of_calls_sum_to_run_times(runs: Path, tmp_path: Path) -> None:
    more = 'where = { condition = "together" }\npanels = ["name", "routing.algorithm"]'
    made = figure(runs, tmp_path, "call-bars", more)
    keys = ["routing.algorithm", "seed", "job"]
    sums = made.numbers.group_by(keys).agg(pl.col("time_ns").sum()).sort(keys)
    ranks = tables(runs, "ranks", part="together")
    spent = pl.col("compute_time_ns") + pl.col("communication_time_ns")
    wanted = ranks.group_by(keys).agg(time=spent.mean()).sort(keys)
    np.testing.assert_allclose(sums["time_ns"], wanted["time"])


def test_ratios_of_two_experiments_have_a_column(runs: Path, tmp_path: Path) -> None:
    more = 'series = ["experiment", "condition"]\nwhere = { "routing.algorithm" = "par" }'
    made = figure(runs, tmp_path, "tile-ratios", f'jobs = ["ring"]\n{more}')
    assert made.numbers["experiment"].unique().to_list() == ["pair"]
    ratios = made.numbers.filter(pl.col("condition") == "together")
    links = tables(runs, "links", part="together", routing__algorithm="par", seed=1)
    own = tables(runs, "ranks", part="together", routing__algorithm="par", seed=1, job=0)
    used = links.filter(
        pl.col("source_router").fill_null(pl.col("target_router")).is_in(own["router"].to_list()),
        pl.col("busy_ns") > 0,
    )
    wanted = (used["stall_ns"] / used["busy_ns"]).sort().to_list()
    np.testing.assert_allclose(ratios["stalls_to_flits"].sort(), wanted)


@pytest.mark.parametrize("value", ["bytes", "stall_ns", "saturated_ns"])
def test_shares_of_links_have_several_quantities(runs: Path, tmp_path: Path, value: str) -> None:
    made = figure(runs, tmp_path, "link-shares", f'{ENTRIES["link-shares"]}\nvalue = "{value}"')
    own = made.numbers.filter(pl.col("routing.algorithm") == "par")
    assert own["share"].max() == 1
    if value == "bytes":
        links = tables(runs, "links", part="together", seed=1, routing__algorithm="par")
        assert own["bytes"].sum() == links["bytes"].sum()
    assert made.draw is not None
    made.draw()


def test_traffic_at_routers_is_that_of_the_windows(runs: Path, tmp_path: Path) -> None:
    rows = figure(runs, tmp_path, "routers-over-time").numbers
    where = {"seed": 1, "part": "together", "routing__algorithm": "par"}
    served = tables(runs, "ranks", job=0, **where)["router"].unique()
    windows = tables(runs, "router_windows", **where).filter(
        pl.col("window_ns") <= 2000, pl.col("router").is_in(served.to_list())
    )
    for job, name in enumerate(("ring", "cube")):
        own = rows.filter(pl.col("routing.algorithm") == "par", pl.col("source") == name)
        sent = (own["gb_per_s"] * (own["end_ns"] - own["start_ns"])).sum()
        expected = windows.filter(pl.col("job") == job)["bytes"].sum()
        assert expected > 0
        assert sent == pytest.approx(expected)


def test_a_figure_of_routers_names_one_job(tmp_path: Path) -> None:
    study = write(tmp_path, entry("routers-over-time", ROUTINGS))
    with pytest.raises(UsageError, match=r"shows the routers of one job; name one"):
        list(Campaign(study, tmp_path / "runs", quick=False).figures())


def test_boxes_of_messages_are_over_ranks(runs: Path, tmp_path: Path) -> None:
    more = 'groups = ["name", "routing.algorithm"]\nvalue = "latency_max_ns"'
    rows = figure(runs, tmp_path, "rank-boxes", more).numbers
    (row,) = rows.filter(
        pl.col("name") == "cube",
        pl.col("condition") == "together",
        pl.col("routing.algorithm") == "par",
    ).iter_rows(named=True)
    messages = tables(runs, "rank_messages", part="together", job=1, routing__algorithm="par")
    own = messages.filter(pl.col("direction") == "received")
    of_seeds = own.group_by("seed").agg(
        mean=pl.col("latency_max_ns").mean(), top=pl.col("latency_max_ns").max()
    )
    assert row["mean_ns"] == pytest.approx(of_seeds["mean"].mean())
    assert row["max_ns"] == pytest.approx(of_seeds["top"].mean())


def test_bars_are_means_over_seeds(runs: Path, tmp_path: Path) -> None:
    rows = figure(runs, tmp_path, "bars").numbers
    assert rows.columns[:3] == ["name", "routing.algorithm", "beside"]
    jobs = tables(runs, "jobs", routing__algorithm="par", name="ring")
    for beside, part in (("alone", "alone-ring"), ("cube", "together")):
        (row,) = rows.filter(
            pl.col("routing.algorithm") == "par",
            pl.col("name") == "ring",
            pl.col("beside") == beside,
        ).iter_rows(named=True)
        times = jobs.filter(pl.col("part") == part)["communication_time_mean_ns"]
        assert row["communication_time_mean_ns"] == pytest.approx(times.mean())
        assert row["seeds"] == 2
        assert row["low"] < row["communication_time_mean_ns"] < row["high"]


def test_lines_carry_the_bytes_of_the_windows(runs: Path, tmp_path: Path) -> None:
    apart = figure(runs, tmp_path / "a", "throughput").numbers
    pooled = f"{ROUTINGS}\nseries = []\npool = true"
    whole = figure(runs, tmp_path / "b", "throughput", pooled).numbers
    windows = tables(runs, "job_windows", seed=1, part="together")
    for routing, own in windows.group_by("routing.algorithm"):
        for found, condition in ((apart, pl.col("condition") == "together"), (whole, True)):
            line = found.filter(pl.col("routing.algorithm") == routing[0], condition)
            sent = (line["gb_per_s"] * (line["end_ns"] - line["start_ns"])).sum()
            assert sent == pytest.approx(own["delivered_bytes"].sum())


def test_boxes_are_the_percentiles_of_the_tables(runs: Path, tmp_path: Path) -> None:
    rows = figure(runs, tmp_path / "a", "packet-latency").numbers
    own = rows.filter(
        pl.col("name") == "ring",
        pl.col("routing.algorithm") == "par",
        pl.col("condition") == "together",
    ).row(0, named=True)
    windows = tables(runs, "latency_windows", part="together", routing__algorithm="par", job=0)
    windows = windows.filter(pl.col("kind") == "packet")
    weight = pl.col("mean_ns") * pl.col("count")
    seeds = windows.group_by("seed").agg(mean=weight.sum() / pl.col("count").sum(), n=pl.len())
    assert own["mean_ns"] == pytest.approx(seeds["mean"].mean())
    if seeds["n"].to_list() == [1, 1]:
        for column in ("p25_ns", "p75_ns"):
            assert own[column] == pytest.approx(windows[column].mean())
    jobs = tables(runs, "jobs", part="together", routing__algorithm="par", job=0)
    for level in ("p50", "p95", "p99"):
        assert own[f"{level}_ns"] == pytest.approx(jobs[f"packet_latency_{level}_ns"].mean())
    pooled = 'groups = ["routing.algorithm"]\npool = true\nwhere = { condition = "together" }'
    whole = figure(runs, tmp_path / "b", "packet-latency", pooled).numbers
    assert whole.columns[0] == "routing.algorithm"
    assert whole.height == 2
    ranks = figure(runs, tmp_path / "c", "rank-boxes").numbers.filter(
        pl.col("name") == "ring",
        pl.col("routing.algorithm") == "par",
        pl.col("condition") == "together",
    )
    times = tables(runs, "ranks", part="together", routing__algorithm="par", job=0)
    each = times.group_by("seed").agg(pl.col("communication_time_ns").max())
    assert ranks["max_ns"].item() == pytest.approx(each["communication_time_ns"].mean())


def test_groups_are_means_of_links(runs: Path, tmp_path: Path) -> None:
    rows = figure(runs, tmp_path, "link-load-map").numbers
    links = tables(runs, "links", seed=1, part="together", routing__algorithm="par").filter(
        pl.col("source_group") == 0, pl.col("target_group") == 1
    )
    cell = rows.filter(
        pl.col("routing.algorithm") == "par", pl.col("from_group") == 0, pl.col("to_group") == 1
    )
    assert cell["utilization"].item() == pytest.approx(links["utilization"].mean())


def test_routers_of_a_job_carry_the_traffic_of_all(runs: Path, tmp_path: Path) -> None:
    rows = figure(runs, tmp_path, "router-traffic").numbers
    ranks = tables(runs, "ranks", seed=1, part="together", routing__algorithm="par", job=0)
    links = tables(runs, "links", seed=1, part="together", routing__algorithm="par").filter(
        pl.col("class").is_in(["local", "global"]),
        pl.col("source_router").is_in(ranks["router"].to_list()),
    )
    own = rows.filter(pl.col("name") == "ring", pl.col("routing.algorithm") == "par")
    assert own["bytes"].sum() == links["bytes"].sum()
    assert own["link"].n_unique() == links.height


def test_traffic_by_job_stands_in_for_links(runs: Path) -> None:
    """Links that an experiment does not keep follow from the topology and `link_jobs`."""
    links = tables(runs, "links", seed=1, part="together", routing__algorithm="par")
    plan = pt.Experiment(runs, "pair").run(links["run"][0]).document["plan"]
    made = links_of(plan["topology"])
    own = ["link", "class", "source_router"]
    assert made.select(own).equals(links.sort("link").select(own))
    between = pl.col("class").is_in(["local", "global"])
    groups = ["link", "source_group", "target_group"]
    assert (
        made.filter(between)
        .select(groups)
        .equals(links.sort("link").filter(between).select(groups))
    )
    jobs = tables(runs, "link_jobs", seed=1, part="together", routing__algorithm="par")
    assert jobs["bytes"].sum() == links["bytes"].sum()


def test_an_experiment_without_links_has_the_same_figures(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind in ("router-traffic", "group-ring"):
        whole = figure(runs, tmp_path / f"a-{kind}", kind).numbers
        with monkeypatch.context() as patch:
            patch.setattr("pantala.studies.figures.rows._keeps_links", lambda _: False)
            other = figure(runs, tmp_path / f"b-{kind}", kind).numbers
        value = whole.columns[-1] if kind == "group-ring" else "bytes"
        assert other[value].to_list() == pytest.approx(whole[value].to_list())


def test_a_figure_can_show_several_experiments(runs: Path, tmp_path: Path) -> None:
    more = '[experiments.later]\nfile = "pair.toml"\n'
    both = entry("rank-boxes", ENTRIES["rank-boxes"]).replace('"pair"', '["pair", "later"]')
    (made,) = figures(runs, tmp_path, more, both)
    assert made.draw is not None
    assert "Experiment later has no run." in made.caption
    alone = figure(runs, tmp_path / "alone", "rank-boxes")
    assert made.numbers.equals(alone.numbers)


@pytest.mark.parametrize(
    ("kind", "more", "says"),
    [
        ("barss", "", "kind = 'barss': there is no such kind of figure; did you mean 'bars'?"),
        ("bars", 'value = "end"', 'value = "end": the study has none; did you mean'),
        ("bars", 'jobs = ["rings"]', "jobs = \"rings\": the study has none; did you mean 'ring'?"),
        ("bars", 'groups = ["routing"]', 'groups = "routing": the study has none'),
        ("bars", "where = { besides = 1 }", 'where = "besides": the study has none'),
        (
            "bars",
            'where = { "routing.algorithm" = ["parr"] }',
            "where.routing.algorithm = \"parr\": the study has none; did you mean 'par'?",
        ),
        ("bars", "pool = true", "pool = true: figure bars takes no jobs together"),
        ("throughput", 'panels = ["name", "job", "seed"]', "name at most 2 columns"),
        ("throughput", 'value = "bytes"', "figure throughput has no such value; remove it"),
        ("group-ring", 'panels = ["name"]', 'panels = "name": the study has none'),
    ],
)
def test_faults_are_found_before_the_runs(tmp_path: Path, kind: str, more: str, says: str) -> None:
    study = write(tmp_path, entry(kind, more))
    with pytest.raises(UsageError) as error:
        check_measures(study)
    assert str(error.value).startswith(f"study two: figure fig-{kind}: ")
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_a_figure_needs_its_experiment_its_table_and_a_name_of_its_own(tmp_path: Path) -> None:
    other = entry("bars").replace('"pair"', '"pairs"')
    with pytest.raises(UsageError, match=r'experiment = "pairs": .* did you mean \'pair\'\?'):
        check_measures(write(tmp_path, other))
    study = write(tmp_path, entry("rank-boxes"))
    (tmp_path / "pair.toml").write_text(PAIR.replace('"ranks", ', ""))
    with pytest.raises(UsageError, match="reads the table ranks, which experiment pair does not"):
        check_measures(study)
    with pytest.raises(UsageError, match="figure fig-bars: is there twice; rename one"):
        check_measures(write(tmp_path, entry("bars"), entry("bars")))


def test_cells_that_are_not_told_apart_are_an_error(runs: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"figure fig-throughput: .* has several rows per seed"):
        figure(runs, tmp_path, "throughput", 'panels = ["name"]')


def test_figures_without_runs_are_named(runs: Path, tmp_path: Path) -> None:
    made = list(Campaign(write(tmp_path / "a", entry("bars")), tmp_path, quick=False).figures())
    assert [each.draw for each in made] == [None]
    assert made[0].caption == "Not drawn: experiment pair has no run."
    less = tmp_path / "runs"
    shutil.copytree(runs, less)
    remove(less, set(tables(runs, "jobs", routing__algorithm="par")["run"]))
    half = figure(less, tmp_path / "b", "bars")
    assert half.draw is not None
    assert "Of 12 runs, 6 are missing." in half.caption
    none = figure(less, tmp_path / "c", "bars", 'where = { "routing.algorithm" = "par" }')
    assert none.caption == "Not drawn: 6 runs of experiment pair are missing."


def test_means_over_the_only_seed_that_ran_say_so(runs: Path, tmp_path: Path) -> None:
    study = write(tmp_path / "study", entry("bars", ENTRIES["bars"]))
    first = Campaign(study, tmp_path / "runs", quick=False, seeds=1)
    first.run_one("pair", workers=1)
    (whole,) = Campaign(study, runs, quick=False).figures()
    (part,) = Campaign(study, tmp_path / "runs", quick=False).figures()
    assert "Only seed" not in whole.caption
    assert whole.caption.startswith("Means over seeds, with 95 % intervals (Student).")
    assert "Only seed 1 has runs." in part.caption
    assert "Means" not in part.caption
    assert "intervals." in part.caption


@pytest.mark.native
def test_means_and_samples_that_are_compared_have_equal_seeds(runs: Path, tmp_path: Path) -> None:
    """A third seed of one routing changes no mean and no sample."""
    less = tmp_path / "runs"
    shutil.copytree(runs, less)
    later = write(tmp_path / "later", *(entry(kind, ENTRIES[kind]) for kind in _OF_EQUAL_SEEDS))
    (tmp_path / "later" / "pair.toml").write_text(PAIR.replace("seeds = 2", "seeds = 3"))
    Campaign(later, less, quick=False).run_one("pair", workers=1)
    remove(less, set(tables(less, "jobs", routing__algorithm="minimal", seed=3)["run"]))
    for made in Campaign(later, less, quick=False).figures():
        kind = made.entry.name.removeprefix("fig-")
        before = figure(runs, tmp_path / kind, kind)
        assert made.numbers.equals(before.numbers)
        assert "Seeds 1 and 2." in made.caption
        assert made.caption == before.caption


_OF_EQUAL_SEEDS = [name for name, kind in KINDS.items() if kind.equal_seeds]


def test_a_table_says_which_seeds_it_has(runs: Path, tmp_path: Path) -> None:
    study = write(tmp_path / "two", '[[tables]]\nname = "table-1"\ntitle = "The ranks"\n')
    (tmp_path / "two" / "tables.py").write_text(
        "import polars as pl\n"
        "TABLES = {'table-1': lambda e: (pl.DataFrame({'job': ['ring']}), 'Seeds 1 and 2.')}\n"
    )
    campaign = Campaign(study, runs, quick=False)
    assert [made.remark for made in campaign.tables()] == ["Seeds 1 and 2."]
    assert "The ranks. Seeds 1 and 2." in render_study(campaign)


def test_the_page_stands_before_all_experiments_are_begun(runs: Path, tmp_path: Path) -> None:
    later = '[experiments.later]\nfile = "pair.toml"\n'
    entries = entry("bars", ENTRIES["bars"]), entry("rank-boxes").replace('"pair"', '"later"')
    study = write(tmp_path / "two", later, *entries)
    page = render_study(Campaign(study, runs, quick=False))
    assert "Not drawn: experiment later has no run." in page


def test_the_files_have_the_numbers(runs: Path, tmp_path: Path, cli: Cli) -> None:
    write(tmp_path / "two", entry("bars", ENTRIES["bars"]), entry("group-ring", ROUTINGS))
    out = ("--out", str(runs), "--to", str(tmp_path / "to"))
    ended = cli("study", "figures", str(tmp_path / "two"), *out, "--format", "svg")
    assert ended.status == 0, ended.err
    assert "fig-bars.svg, fig-bars.csv" in ended.out
    again = pl.read_csv(tmp_path / "to" / "fig-bars.csv")
    made = figure(runs, tmp_path / "other", "bars")
    assert again["communication_time_mean_ns"].to_list() == pytest.approx(
        made.numbers["communication_time_mean_ns"].to_list()
    )
    assert (tmp_path / "to" / "fig-group-ring.svg").read_text().startswith("<?xml")
    page = render_study(Campaign(read_study("two", tmp_path / "two"), runs, quick=False))
    assert page.index("The bars") < page.index("The group-ring")
    assert "After Nobody, 2026, Fig. 1." in page
    refused = cli("study", "figures", str(tmp_path / "two"), *out, "--format", "gif")
    assert refused.status == 2
    assert refused.err.count("\n") == 1


def test_tables_stand_beside_the_claims(runs: Path, tmp_path: Path, cli: Cli) -> None:
    table = '[[tables]]\nname = "table-1"\ntitle = "The ranks"\nsource = "Table I"\n'
    folder = tmp_path / "two"
    study = write(folder, table)
    with pytest.raises(UsageError, match=r"tables\.py"):
        check_measures(study)
    (folder / "tables.py").write_text(
        "import polars as pl\n"
        "def ranks(e):\n"
        "    cell = {'name': 'ring', 'part': 'together', 'routing.algorithm': 'par'}\n"
        "    found = e.cell('pair', 'ranks', cell, 'jobs').mean()\n"
        "    return pl.DataFrame({'job': ['ring'], 'ranks': [found], 'paper': [8]})\n"
        "TABLES = {'table-1': ranks}\n"
    )
    study = read_study("two", folder)
    check_measures(study)
    campaign = Campaign(study, runs, quick=False)
    (made,) = campaign.tables()
    assert made.rows.rows() == [("ring", 6.0, 8)]
    assert "After Nobody, 2026, Table I." in render_study(campaign)
    ended = cli("study", "figures", str(folder), "--out", str(runs), "--to", str(tmp_path / "to"))
    assert ended.status == 0, ended.err
    assert (tmp_path / "to" / "table-1.csv").read_text() == "job,ranks,paper\nring,6.0,8\n"
    assert np.isnan(study.tables["table-1"](_nothing(study))["ranks"].item())


def _nothing(study: StudyDefinition) -> Any:
    from pantala.studies.evidence import Evidence

    return Evidence(study.descriptions(quick=False), {})


@pytest.mark.parametrize("name", [each.name for each in studies()])
def test_the_figures_of_each_paper_have_names_and_sources(name: str) -> None:
    found = next(each for each in studies() if each.name == name)
    assert all(each.source for each in found.file.figures)


def test_the_study_of_kang_has_the_figures_and_tables_of_the_paper() -> None:
    found = next(each for each in studies() if each.name == "kang2022")
    assert isinstance(found, StudyDefinition)
    parts = {each.source.split("(")[0] for each in found.file.figures}
    assert parts == {f"Fig. {number}" for number in range(4, 14)}
    assert [each.source for each in found.file.tables] == ["Table I", "Table II"]


def test_the_study_of_yang_has_the_figures_of_the_paper() -> None:
    found = next(each for each in studies() if each.name == "yang2016")
    assert isinstance(found, StudyDefinition)
    parts = {each.source.split(" (")[0] for each in found.file.figures}
    assert parts == {f"Fig. {number}" for number in range(2, 9)}


def test_the_study_of_chunduri_has_the_figures_and_tables_of_the_paper() -> None:
    found = next(each for each in studies() if each.name == "chunduri2021")
    assert isinstance(found, StudyDefinition)
    sources = [each.source for each in found.file.figures]
    assert sources == [f"Fig. {number}" for number in range(1, 15)]
    assert [each.source for each in found.file.tables] == ["Table I", "Table II"]
