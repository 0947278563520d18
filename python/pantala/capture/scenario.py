"""A scenario for a capture: the captured program beside Halo3D, compared with a run alone.

The machine is the smallest of a few in which the program takes at most half of the nodes. The
background is Halo3D of Kang et al. (SC 2022, Table I) on the other nodes, with little computing
between two exchanges. Beside a short program, its messages and its computing are shorter. It starts
with the program's first iteration and repeats until the run ends. A program that computes for long
would run beside billions of packets. If it has iterations, the run stops after a number of packets,
and the iterations that ended are compared. Otherwise the background has fewer nodes, but at least
as many as the program.
"""

from __future__ import annotations

import json
import math
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pantala.core import native
from pantala.errors import UsageError
from pantala.files.atomic_file import atomic_file

__all__ = ["check_scenario", "scenario_path", "scenario_text", "write_scenario"]

#: Nodes per router, routers per group, global links per router and groups, smallest first. The
#: second is the machine of the preset.
_MACHINES = ((2, 4, 2, 9), (4, 8, 4, 33), (6, 12, 6, 73), (8, 16, 8, 129))
_PRESET = _MACHINES[1]
#: A message of the background in bytes, and its computing between two exchanges, in ps.
_MESSAGE, _COMPUTE = 576_000, 50e6
#: The time of its computing and of six messages at the bandwidth of its node, in ps.
_PERIOD = _COMPUTE + 6 * _MESSAGE / 25e9 * 1e12
#: It makes that many exchanges at least while the program computes, or in the shortest time if that
#: is more: a program that only communicates takes some time, too.
_EXCHANGES, _SHORTEST = 4, 20e6
#: What the background sends, about, as a fraction of the bandwidth of its nodes.
_LOAD = 0.3
#: Packets per picosecond of a node at full load: 512 B at 25 GB/s.
_PACKETS_PER_PS = 25e9 / 512 / 1e12
#: The run stops after about that many packets of the background, and at the earliest when the
#: program has computed for that many iterations.
_PACKETS = 15e6
_ITERATIONS = 4
#: Packets of the background beside a program without iterations, if it can do with few nodes.
_PACKETS_OF_WHOLE_RUNS = 60e6


@dataclass(frozen=True)
class _Times:
    """The computing of the slowest rank, in ps: before the iterations, in one of them, and all."""

    before: int
    iteration: float
    all: int
    iterations: int


def write_scenario(capture: Path, out: Path, *, overwrite: bool = False) -> None:
    """Writes a scenario in which a captured program runs alone, and beside another application.

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
    text = scenario_text(capture, out, summary)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{capture}: its name is no UTF-8, which TOML needs; rename it") from None
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file(out) as half:
            half.write_text(text, encoding="utf-8")
    except OSError as error:
        message = f"{out}: cannot be written: {error.strerror}; name another --scenario"
        raise UsageError(message) from None


def scenario_path(out: Path, index: int, jobs: int) -> Path:
    """Returns the scenario file of a job of a capture, which has the number of its job."""
    return out if jobs == 1 else out.with_name(f"{out.stem}-{index + 1}{out.suffix}")


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


def scenario_text(capture: Path, out: Path, summary: dict[str, Any]) -> str:
    """Returns the text of a scenario for a capture.

    Args:
        capture: the operation file.
        out: the scenario file, from whose folder the path of the capture starts.
        summary: the summary of the capture, see `pantala.core.native.operation_file_summary`.
    """
    ranks: int = summary["ranks"]
    machine, per_node = _machine(ranks)
    p, a, h, g = machine
    nodes = p * a * g
    own = math.ceil(ranks / per_node)
    times = _times(summary)
    grid = _grid(nodes - own)
    if not times.iterations:
        few = _PACKETS_OF_WHOLE_RUNS / (_LOAD * max(times.all, 1) * _PACKETS_PER_PS)
        grid = _grid(max(own, min(nodes - own, int(few))))
    background = math.prod(grid)
    message, compute = _exchange(times)
    name = _job_name(capture.stem)
    other = "halo3d" if name != "halo3d" else "background"
    path = os.path.relpath(capture.absolute(), out.absolute().parent)
    topology = (
        "" if machine == _PRESET else f"topology = {{ p = {p}, a = {a}, h = {h}, g = {g} }}\n"
    )
    shared = "" if per_node == 1 else f"ranks_per_node = {per_node}\n"
    start = f'start = "{_us(times.before)}" # the loop starts\n' if times.before else ""
    return f"""\
# How much does Halo3D slow {name} down? Made by `pantala capture`.
#
#   pantala run {out.name}
#
# The program runs alone, then beside the background, on the same nodes. {_found(times)}
# Change what differs from your machine: the preset, the routing, the placements, and the workload
# of the background.

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

[[jobs]] # the background, on the other nodes
name = "{other}"
ranks = {background}
placement = "random"
repeat = true # until the run ends
{start}
[jobs.workload]
kind = "halo3d"
grid = {list(grid)}
message = "{message}"
iterations = 30
compute = "{compute}"
start_delay = "0 ns"
"""


def _grid(nodes: int) -> tuple[int, int, int]:
    """Returns the sides of a grid that is nearly a cube and has at most `nodes` ranks."""
    x = max(1, int(nodes ** (1 / 3) + 1e-9))
    y = max(1, math.isqrt(nodes // x))
    return x, y, nodes // (x * y)


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


def _exchange(times: _Times) -> tuple[str, str]:
    """Returns a message of the background and its computing, shorter beside a short program."""
    time = max(times.all - times.before, _SHORTEST)
    part = min(1.0, time / (_EXCHANGES * _PERIOD))
    if part == 1:
        return f"{_MESSAGE // 1000} kB", _us(_COMPUTE)
    return f"{math.ceil(part * _MESSAGE)} B", f"{math.ceil(part * _COMPUTE / 1e3)} ns"


def _found(times: _Times) -> str:
    if not times.iterations:
        return "No iterations were found."
    return f"It has {times.iterations:,} iterations."


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


def _job_name(text: str) -> str:
    """Returns a text as the name of a job: letters, digits, dots, dashes and underscores."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).lstrip("._-")[:64] or "program"


def _quoted(text: str) -> str:
    """Returns a text as a TOML string; JSON escapes the same characters."""
    return json.dumps(text, ensure_ascii=False).replace("\\x7f", "\\\\u007f")
