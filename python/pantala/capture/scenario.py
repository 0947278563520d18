"""A scenario for a capture: the captured program beside random traffic, compared with a run alone.

The machine is the smallest of a few in which the program takes at most half of the nodes. The
background is on all other nodes and starts with the program's first iteration. It sends until the
program ends. A program that computes for long would run beside billions of packets: if it has
iterations, the run stops after a number of packets, and the iterations that ended are compared.
"""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pantala.core import native
from pantala.errors import UsageError
from pantala.files.atomic_file import atomic_file

__all__ = ["check_scenario", "write_scenario"]

#: Nodes per router, routers per group, global links per router and groups, smallest first. The
#: second is the machine of the preset.
_MACHINES = ((2, 4, 2, 9), (4, 8, 4, 33), (6, 12, 6, 73), (8, 16, 8, 129))
_PRESET = _MACHINES[1]
#: The offered load of the background, a fraction of the bandwidth of its nodes.
_LOAD = 0.4
#: Packets per picosecond of a node at full load: 512 B at 25 GB/s.
_PACKETS_PER_PS = 25e9 / 512 / 1e12
#: The run stops after about that many packets of the background, and at the earliest when the
#: program has computed for that many iterations.
_PACKETS = 20e6
_ITERATIONS = 4


@dataclass(frozen=True)
class _Times:
    """The computing of the slowest rank, in ps: before the iterations, in one of them, and all."""

    before: int
    iteration: float
    all: int
    iterations: int


def write_scenario(capture: Path, out: Path, *, overwrite: bool = False) -> None:
    """Writes a scenario in which a captured program runs alone, and beside random traffic.

    Args:
        capture: the operation file.
        out: the scenario file.
        overwrite: whether to replace a file.

    Raises:
        UsageError: the file exists, cannot be written, or the capture is no operation file.
    """
    check_scenario(out, overwrite=overwrite)
    try:
        summary = native.operation_file_summary(str(capture))
    except ValueError as error:
        raise UsageError(f"{capture}: {error}") from None
    text = _text(capture, out, summary)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file(out) as half:
            half.write_text(text, encoding="utf-8")
    except OSError as error:
        message = f"{out}: cannot be written: {error.strerror}; name another --scenario"
        raise UsageError(message) from None


def check_scenario(out: Path, *, overwrite: bool) -> None:
    """Checks that a scenario can be written, before a program runs for hours.

    Raises:
        UsageError: the file exists, or is no file.
    """
    if out.suffix != ".toml":
        raise UsageError(f"{out}: a scenario is a TOML file; name it {out.name}.toml")
    if out.is_dir():
        raise UsageError(f"{out}: is a folder; name another --scenario")
    if out.exists() and not overwrite:
        raise UsageError(f"{out}: exists; name another --scenario, or add --overwrite")


def _text(capture: Path, out: Path, summary: dict[str, Any]) -> str:
    ranks: int = summary["ranks"]
    machine, per_node = _machine(ranks)
    p, a, h, g = machine
    nodes = p * a * g
    background = nodes - math.ceil(ranks / per_node)
    name = capture.stem
    other = "background" if name != "background" else "traffic"
    path = os.path.relpath(capture.absolute(), out.absolute().parent)
    topology = (
        "" if machine == _PRESET else f"topology = {{ p = {p}, a = {a}, h = {h}, g = {g} }}\n"
    )
    shared = "" if per_node == 1 else f"ranks_per_node = {per_node}\n"
    times = _times(summary)
    start = f'start = "{_us(times.before)}" # the loop starts\n' if times.before else ""
    return f"""\
# How much does random traffic slow {name} down? Made by `pantala capture`.
#
#   pantala run {out.name}
#
# The program runs alone, then beside the background, on the same nodes. Change what differs from
# your machine: the preset, the routing, the placements, and the workload of the background.

name = {_quoted(name)}
seed = 1
interference = {{ targets = [{_quoted(name)}] }}
routing = "ugal_g"

[machine] # {nodes:,} nodes
preset = "kang2022"
{topology}{_stop(times, background)}
[[jobs]]
name = {_quoted(name)}
ranks = {ranks}
{shared}placement = "random"
workload = {{ kind = "operations", path = {_quoted(path)} }}

[[jobs]] # on all other nodes, until the run ends
name = "{other}"
ranks = {background}
placement = "random"
{start}workload = {{ kind = "pattern", pattern = "uniform", load = {_LOAD} }}
"""


def _machine(ranks: int) -> tuple[tuple[int, int, int, int], int]:
    """Returns the machine for a number of ranks, and the ranks per node."""
    for machine in _MACHINES:
        p, a, _, g = machine
        if 2 * ranks <= p * a * g:
            return machine, 1
    p, a, _, g = _MACHINES[-1]
    return _MACHINES[-1], math.ceil(2 * ranks / (p * a * g))


def _times(summary: dict[str, Any]) -> _Times:
    ranks = summary["by_rank"]
    iterations = min(rank["iterations"] for rank in ranks)
    before = max(rank["compute_before_ps"] for rank in ranks) if iterations else 0
    every = max(rank["compute_ps"] for rank in ranks)
    inside = max(rank["compute_ps"] - rank["compute_before_ps"] for rank in ranks)
    return _Times(before, inside / max(iterations, 1), every, iterations)


def _stop(times: _Times, background: int) -> str:
    """Returns the table `stop`, if the background would send too many packets."""
    budget = _PACKETS / (_LOAD * background * _PACKETS_PER_PS)
    if not times.iterations or times.all - times.before <= budget:
        return ""
    # As long again for communication.
    enough = max(budget, 2 * _ITERATIONS * times.iteration)
    if times.all - times.before <= enough:
        return ""
    return f"""
[stop] # the iterations until then are compared; without this table, all {times.iterations:,} run
duration = "{_us(times.before + enough)}"
"""


def _us(ps: float) -> str:
    return f"{math.ceil(ps / 1e6)} us"


def _quoted(text: str) -> str:
    """Returns a text as a TOML string; JSON escapes the same characters."""
    return json.dumps(text, ensure_ascii=False).replace("\\x7f", "\\\\u007f")
