"""Lines of progress, on a terminal and in a log."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from pantala.core.plan import Progress
from pantala.experiments.session import Progress as State
from pantala.runs.progress import ProgressLine, SweepLine, shown_steps
from pantala.text.steps import announce

NOW: Progress = {
    "simulated_ns": 1_500_000.0,
    "packets_delivered": 1_234_567,
    "packet_hops": 8_000_000,
    "wall_seconds": 2.0,
    "ranks_done": 3,
    "ranks": 8,
    "fraction": 0.25,
}
END = {
    "simulated_ns": 6e6,
    "counters": {"packets_delivered": 5_000_000, "packet_hops": 32_000_000},
    "provenance": {"wall_seconds": 8.0},
}


def shown(terminal: bool, runs: int = 1) -> str:
    text = io.StringIO()
    console = Console(
        file=text, force_terminal=terminal, width=150, legacy_windows=False, color_system=None
    )
    with ProgressLine(runs, console) as line:
        line.start("fft3d")
        line.update(NOW)
        line.finish(END)
    return text.getvalue()


def test_a_log_gets_one_line_per_run() -> None:
    assert shown(False) == "fft3d: 6.00 ms, 5.00 M packets, 4.00 M packet-hops/s, 8.0 s\n"
    assert shown(False, 3).startswith("1/3 fft3d: ")


def test_a_log_gets_a_line_of_a_long_run_now_and_then() -> None:
    text = io.StringIO()
    console = Console(file=text, force_terminal=False, width=150, color_system=None)
    with ProgressLine(2, console) as line:
        for title in ("alone", "together"):
            line.start(title)
            for second in range(0, 3000, 10):
                line.update({**NOW, "wall_seconds": float(second)})
    lines = text.getvalue().splitlines()
    minutes = [lined.partition("after ")[2] for lined in lines if lined.startswith("1/2 alone: ")]
    assert minutes == [f"{minute} min 0 s" for minute in (1, 2, 4, 8, 16, 26, 36, 46)]
    assert len(lines) == 2 * len(minutes)
    assert lines[0] == (
        "1/2 alone: 25 %, 3 min 0 s left, 1.50 ms, 1.23 M packets, 133 k packet-hops/s,"
        " after 1 min 0 s"
    )


def test_a_terminal_shows_the_progress() -> None:
    text = shown(True)
    assert "fft3d: 25 %, 6.0 s left, 1.50 ms, 1.23 M packets, 4.00 M packet-hops/s" in text


def test_no_line_is_drawn_after_the_end() -> None:
    _, end, after = shown(True).partition("fft3d: 6.00 ms")
    assert end
    assert "left" not in after, "the line of a finished run"


def test_nothing_is_printed_without_a_console() -> None:
    with ProgressLine(1, None) as line:
        line.start("x")
        line.update(NOW)
        line.finish(END)


def sweep_shown(terminal: bool, states: list[State]) -> str:
    text = io.StringIO()
    console = Console(
        file=text, force_terminal=terminal, width=150, legacy_windows=False, color_system=None
    )
    with SweepLine(console) as line:
        for state in states:
            line.update(state)
    return text.getvalue()


def test_a_log_gets_few_lines_of_a_sweep() -> None:
    states = [State(total=1000, there=10, done=done) for done in range(991)]
    lines = sweep_shown(False, states).splitlines()
    assert 1 <= len(lines) <= 21
    assert lines[-1].startswith("1,000 of 1,000 runs, ")
    assert "left" not in lines[-1]


def test_a_terminal_shows_failures_and_other_processes() -> None:
    state = State(total=8, there=1, done=2, failed=1, elsewhere=3)
    text = sweep_shown(True, [state])
    assert "4 of 8 runs, 1 failed, 3 in other processes, " in text
    assert "left" in text


def test_a_sweep_says_for_whom_it_waits() -> None:
    sentence = "run 3f2a (process 12 on node7, since 2026-01-02 03:04:05)"
    state = State(total=8, done=4, elsewhere=4, waits=sentence)
    text = sweep_shown(True, [state])
    assert f"4 of 8 runs, 4 in other processes, waits for {sentence}" in text
    assert "left" not in text
    assert sweep_shown(False, [state, state]).count(sentence) == 1


def test_nothing_is_shown_of_a_sweep_without_a_console() -> None:
    with SweepLine(None) as line:
        line.update(State(total=1, done=1))


def steps_shown(terminal: bool, monkeypatch: pytest.MonkeyPatch) -> str:
    """Returns what is shown of three steps, which begin 1, 11 and 12 seconds after the start."""
    text, clock = io.StringIO(), iter([0.0, 1.0, 11.0, 12.0])
    console = Console(
        file=text, force_terminal=terminal, width=150, legacy_windows=False, color_system=None
    )
    monkeypatch.setattr("pantala.runs.progress.time.monotonic", lambda: next(clock))
    with shown_steps("report", console):
        for step in ("reading", "figure 1 of 2", "figure 2 of 2"):
            announce(step)
    announce("later")
    return text.getvalue()


def test_steps_replace_each_other_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    text = steps_shown(True, monkeypatch)
    for line in ("report: reading", "report: figure 1 of 2, 11 s", "report: figure 2 of 2, 12 s"):
        assert line in text
    assert "later" not in text


def test_a_log_gets_a_line_of_a_step_after_ten_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    assert steps_shown(False, monkeypatch) == "report: figure 1 of 2, 11 s\n"
