"""Several processes at one store: nothing that one of them has noted or stored gets lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import pantala as pt
from pantala.core.plan import Plan
from pantala.errors import UsageError
from pantala.experiments.axes import parse_axis
from pantala.store import lease as leases
from pantala.store.index import Entry, Index, failed_entry
from pantala.store.lease import claim
from pantala.store.run_store import RunStore
from pantala.store.worker import perform
from sweeps import a_task, scenario

pytestmark = pytest.mark.native


def test_a_failure_that_is_noted_before_a_merge_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = RunStore(tmp_path)
    store.begin()
    folder = tmp_path / "index"

    def note(run: str) -> None:
        index = Index(store)
        index.append(failed_entry(run, "stalled"))
        index.close()
        for path in folder.glob("*~*.jsonl"):  # its process has ended
            path.rename(folder / f"{run}.jsonl")

    note("first")
    note("second")
    merge = Index._merge

    def merge_late(index: Index, entries: dict[str, Entry], gone: Collection[str]) -> None:
        note("third")
        merge(index, entries, gone)

    monkeypatch.setattr(Index, "_merge", merge_late)
    runs = {"first", "second", "third"}
    assert set(Index(store).refresh()) == runs
    assert len(list(folder.iterdir())) == 1
    assert set(Index(store).read()) == runs


def test_a_run_that_cannot_replace_a_smaller_one_is_not_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = a_task(scenario(), tmp_path)
    assert perform(task)["state"] == "done"
    monkeypatch.setattr(RunStore, "remove", lambda *_: None)  # the folder belongs to another user
    assert perform(replace(task, keep=("jobs", "ranks")))["state"] == "unwritable"


def test_a_run_that_is_there_keeps_its_time(tmp_path: Path) -> None:
    task = a_task(scenario(), tmp_path)
    document = RunStore(tmp_path).document
    first = perform(task)
    times = document(task.run)["provenance"]
    assert first["seconds"] >= min(times["cpu_seconds"], times["wall_seconds"])
    assert perform(task)["seconds"] >= min(times["cpu_seconds"], times["wall_seconds"])


def test_a_failed_run_is_repeated_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, tried = Plan.run, Counter[int]()

    def run(plan: Plan, *more: Any) -> dict[str, Any]:
        tried[plan["seed"]] += 1
        if plan["seed"] == 2:
            raise pt.SimulationError("stalled")
        return real(plan, *more)

    monkeypatch.setattr(Plan, "run", run)
    several: dict[str, Any] = {"seeds": 20, "workers": 1, "precision": "0.001%", "retry": True}
    made = pt.sweep(scenario(), tmp_path, **several)
    assert made.runs.height == 20
    assert tried == Counter(dict.fromkeys(made.runs["seed"], 1))
    pt.sweep(scenario(), tmp_path, **several)
    assert tried[2] == 2


def test_a_key_that_an_axis_has_twice_is_named() -> None:
    with pytest.raises(UsageError, match=r"--axis seed=1,2;seed=3: has seed twice; write its"):
        parse_axis("seed=1,2;seed=3")


def test_a_lease_that_is_taken_over_at_once_stays_with_its_new_owner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lease = tmp_path / "lease"
    lease.write_text("stale")

    def look(path: Path, _: float) -> bool:
        path.write_text("another owner")
        return True

    monkeypatch.setattr(leases, "is_stale", look)
    with claim(lease) as mine:
        assert not mine
    assert lease.read_text() == "another owner"
    assert list(tmp_path.iterdir()) == [lease]
