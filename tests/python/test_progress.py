from __future__ import annotations

import io

import pytest
from rich.console import Console

from pantala.native import Progress
from pantala.progress import ProgressLine, of_thousands, time_text

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
    assert shown(False) == "fft3d: 6 ms, 5 M packets, 4 M packet-hops/s, 8.0 s\n"
    assert shown(False, 3).startswith("1/3 fft3d: ")


def test_a_terminal_shows_the_progress() -> None:
    text = shown(True)
    assert "fft3d: 25 %, 6.0 s left, 1.5 ms, 1.23 M packets, 4 M packet-hops/s" in text


def test_no_line_is_drawn_after_the_end() -> None:
    _, end, after = shown(True).partition("fft3d: 6 ms")
    assert end
    assert "left" not in after, "the line of a finished run"


def test_nothing_is_printed_without_a_console() -> None:
    with ProgressLine(1, None) as line:
        line.start("x")
        line.update(NOW)
        line.finish(END)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (999, "999"),
        (1000, "1 k"),
        (999_600, "1000 k"),
        (4_123_000, "4.12 M"),
        (2e9, "2 G"),
    ],
)
def test_counts_have_three_digits(value: float, text: str) -> None:
    assert of_thousands(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0 ns"), (490.72, "490.7 ns"), (1234.5, "1.234 us"), (6e6, "6 ms")]
)
def test_times_have_a_suitable_unit(value: float, text: str) -> None:
    assert time_text(value) == text
