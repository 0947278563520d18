"""Shared parts of tests: a small scenario, and the result of a command."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: Recorded plans and versions.
SNAPSHOTS = Path(__file__).parent / "snapshots"

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


def one_line(ended: Ended) -> str:
    """Returns the only line of a command that refused its input."""
    assert ended.status == 2, ended
    assert ended.out == ""
    assert ended.err.count("\n") == 1, ended.err
    assert "Traceback" not in ended.err
    return ended.err.strip()
