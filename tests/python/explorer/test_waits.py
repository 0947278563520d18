"""Who waited because of whom, by place, and time in calls: the numbers are those of the SQL."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import pantala as pt
from explored_runs import asked, explored
from explorer_speed import Synthetic
from pantala.explorer.subject import Subject, subject_of

pytestmark = pytest.mark.native


@pytest.fixture(scope="module")
def subject(tmp_path_factory: pytest.TempPathFactory) -> Subject:
    return subject_of(pt.load(explored(tmp_path_factory.mktemp("explorer") / "run")))


@pytest.mark.parametrize("by_call", [False, True])
def test_windows_of_calls_are_the_calls_of_a_run_without_them(
    subject: Subject, by_call: bool, tmp_path: Path
) -> None:
    """No call of the run computes beside itself, so both tables have the same time."""
    name = "phases" if by_call else "presence"
    key = ["window_start_ns", "job", *["call"] * by_call]
    windows, facts = subject.answer(0, name)
    assert subject.facts(0)["calls"] == "call_windows"
    path = explored(tmp_path / "run")
    file = (path / "together").resolve() / "run.json"
    document = json.loads(file.read_text(encoding="utf-8"))
    del document["plan"]["record"]["call_windows_ps"], document["tables"]["call_windows"]
    file.write_text(json.dumps(document), encoding="utf-8")
    (file.parent / "call_windows.parquet").unlink()
    older = subject_of(pt.load(path))
    events, others = older.answer(0, name)
    assert older.facts(0)["calls"] == "call_events"
    assert "call_windows" not in older.facts(0)["missing"]
    assert facts == others
    spent = windows.filter(pl.col("inside_ns") > 1e-3)
    both = spent.join(events.filter(pl.col("inside_ns") > 1e-3), on=key, validate="1:1")
    assert both.height == spent.height > 20
    np.testing.assert_allclose(both["inside_ns"], both["inside_ns_right"], atol=1e-2)
    assert both["ranks"].to_list() == both["ranks_right"].to_list()


@pytest.mark.parametrize(
    ("first", "last", "kind", "pair"),
    [(0, 1000, None, None), (2, 9, None, (0, 1)), (3, 4, "global", None), (1, 12, "local", (1, 0))],
)
def test_waits_between_groups_are_those_of_the_query(
    subject: Subject, first: int, last: int, kind: str | None, pair: tuple[int, int] | None
) -> None:
    rows, facts = subject.answer(0, "waits")
    assert facts["window_ns"] == 1000
    codes = facts["classes"]
    chosen = rows.filter(pl.col("window") >= first, pl.col("window") < last)
    if kind is None:
        nics = [codes.index("injection"), codes.index("ejection")]
        chosen = chosen.filter(~pl.col("class").is_in(nics))
    else:
        chosen = chosen.filter(pl.col("class") == codes.index(kind))
    values: dict[str, object] = {"from": first * 1000, "to": last * 1000, "class": kind}
    if kind is None:
        values["between"] = 1
    if pair is not None:
        chosen = chosen.filter(pl.col("victim") == pair[0], pl.col("aggressor") == pair[1])
        values |= {"victim": pair[0], "aggressor": pair[1]}
    mine = chosen.group_by("source", "target").agg(pl.col("wait_ns").sum().cast(float))
    mine = mine.sort("source", "target")
    theirs = asked(subject, "waits", **values)
    assert mine.height > 3
    assert mine.select("source", "target").rows() == [row[:2] for row in theirs.rows()]
    np.testing.assert_allclose(mine["wait_ns"], theirs["wait_ns"], rtol=1e-5)


def test_waits_of_places_sum_to_the_blame_of_their_class(subject: Subject) -> None:
    run = subject.run(0)
    key = ["window_start_ns", "class", "victim", "aggressor"]
    whole = run.blame.sort(key).collect()
    groups = run.blame_groups.group_by(key).agg(pl.col("wait_ns").sum()).sort(key).collect()
    assert groups.select(key).rows() == whole.select(key).rows()
    np.testing.assert_allclose(groups["wait_ns"], whole["wait_ns"], rtol=1e-12)
    # The links of a class are at most those asked for, and no longer wait is left out.
    links = run.blame_links.collect()
    assert links.group_by("class").agg(pl.col("link").n_unique())["link"].max() == 40
    kinds = dict(run.links.select("link", "class").collect().iter_rows())
    assert all(kinds[link] == name for link, name in links.select("link", "class").iter_rows())


def test_waits_at_a_link_are_those_of_the_query(subject: Subject) -> None:
    waited, _ = subject.answer(0, "waited")
    assert waited["wait_ns"].is_sorted(descending=True)
    link = waited["link"][0]
    rows, _ = subject.answer(0, "waiters", link)
    key = ["victim", "aggressor"]
    for first, last in ((0, 1000), (3, 8)):
        chosen = rows.filter(pl.col("window") >= first, pl.col("window") < last)
        mine = chosen.group_by(key).agg(pl.col("wait_ns").sum()).sort(key)
        values = {"link": link, "from": first * 1000, "to": last * 1000}
        theirs = asked(subject, "waiters", **values).sort(key)
        assert mine.select(key).rows() == theirs.select(key).rows()
        np.testing.assert_allclose(mine["wait_ns"], theirs["wait_ns"], rtol=1e-9)
    whole = waited.filter(pl.col("link") == link)["wait_ns"].sum()
    assert rows["wait_ns"].sum() == pytest.approx(whole)
    known = set(waited["link"])
    others = subject.run(0).links.collect().filter(~pl.col("link").is_in(known))
    said = {
        subject.answer(0, "waiters", other)[1]["why"].split(";")[-1]
        for other in others.group_by("class").agg(pl.col("link").first())["link"]
    }
    assert any("is not among them" in text for text in said)


def test_windows_of_many_waits_are_joined(
    subject: Subject, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, _ = subject.answer(0, "waits")
    monkeypatch.setattr("pantala.explorer.waits.MOST_WAITS", whole.height // 3)
    joined, facts = subject.answer(0, "waits")
    assert joined.height <= whole.height // 3
    assert facts["window_ns"] == 1000 * facts["joined"] > 2000
    assert joined["wait_ns"].cast(float).sum() == pytest.approx(whole["wait_ns"].cast(float).sum())


def test_a_recorded_table_without_rows_is_said_to_have_none(tmp_path: Path) -> None:
    """What records it is said only of a run that did not."""
    path = explored(tmp_path / "run")
    folder = (path / "together").resolve()
    empty = pl.read_parquet(folder / "iterations.parquet").clear()
    empty.write_parquet(folder / "iterations.parquet")
    missing = subject_of(pt.load(path)).facts(0)["missing"]
    assert missing == {"iterations": "The run recorded the table iterations, but it has no rows."}


def test_the_subject_of_the_benchmark_has_the_facts_of_a_run(subject: Subject) -> None:
    """Without one of them, the page waits for ever and the benchmark with it."""
    drawn = Synthetic("synthetic", Path(), {})
    assert drawn.facts(0).keys() == subject.facts(0).keys()
    for name in ("groups", "waits", "worst", "blame"):
        mine, theirs = drawn.answer(0, name), subject.answer(0, name)
        assert mine[0].columns == theirs[0].columns
        assert mine[1].keys() >= theirs[1].keys() - {"joined"}
