"""Parallel work on threads: all results, and one error or Ctrl-C that stops all threads."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from threading import Barrier, Condition, Event, active_count

import pytest

from pantala.system.parallel import LocalWorkers, cores, on_threads, some_done


def test_every_item_has_a_result() -> None:
    for workers in (1, 2, 8):
        assert sorted(on_threads(lambda item, _: item * item, [1, 2, 3, 4], workers)) == [
            1,
            4,
            9,
            16,
        ]
    assert list(on_threads(lambda item, _: item, [], 2)) == []
    assert cores() >= 1


def test_items_run_at_the_same_time() -> None:
    meeting = Barrier(3, timeout=60)  # passes only if all three threads arrive
    assert sorted(on_threads(lambda item, _: meeting.wait() * 0 + item, [1, 2, 3], 3)) == [
        1,
        2,
        3,
    ]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_stops_the_others(error: type[BaseException]) -> None:
    began, stopped = Event(), Event()

    def work(item: str, check: Callable[[object], None]) -> None:
        if item == "faulty":
            began.wait(60)
            raise error
        began.set()
        try:
            while True:
                check(None)
        except KeyboardInterrupt:
            stopped.set()
            raise

    with pytest.raises(error):
        list(on_threads(work, ["endless", "faulty"], 2))
    assert stopped.is_set()


def test_a_signal_before_the_lock_is_back_interrupts(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(self: Condition, state: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Condition, "_acquire_restore", interrupted)
    pending: Future[None] = Future()
    with pytest.raises(KeyboardInterrupt):
        some_done({pending})


def test_an_interruption_leaves_no_thread_of_the_workers() -> None:
    def interrupted() -> None:
        with LocalWorkers(2) as workers:
            some_done([workers.submit(time.sleep, 60) for _ in range(8)])
            raise KeyboardInterrupt

    before = active_count()
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert active_count() == before
