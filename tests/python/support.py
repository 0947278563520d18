"""Shared parts of tests: a small scenario, and the result of a command."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]

#: A small scenario; tests replace parts of its text.
SMALL = """\
name = "small"
machine = { preset = "kang2022", topology = { p = 2, a = 4, h = 2, g = 9 } }
routing = "minimal"

[[jobs]]
name = "fft"
ranks = 6
workload = { kind = "fft3d", grid = [2, 3], row_message = "1 kB", iterations = 1 }

[[jobs]]
name = "halo"
ranks = 8
workload = { kind = "halo3d", grid = [2, 2, 2], message = "1 kB", iterations = 2 }
"""


@dataclass(frozen=True)
class Ended:
    """The result of a command: its exit status and its output."""

    status: int
    out: str
    err: str
