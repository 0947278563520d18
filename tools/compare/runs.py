"""Alternating runs: Pantala, a simulator, Pantala, the next simulator, and so on."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median

from compare.description import Description, NotComparable
from compare.process import Failed, run
from compare.simulator import Simulator

__all__ = ["Measured", "Run", "Settings", "measure"]


@dataclass(frozen=True)
class Settings:
    """The settings of a comparison.

    Attributes:
        repeats: runs of every simulator; Pantala runs before each of them.
        share: share of the bench's simulated time that the other simulators simulate.
        timeout: time limit per run in seconds.
        keep: directory for configurations and outputs; None deletes them.
    """

    repeats: int = 3
    share: float = 0.1
    timeout: float = 1_200.0
    keep: Path | None = None


@dataclass(frozen=True)
class Run:
    """The result of one run.

    Attributes:
        packet_hops: the packet-hops of the run.
        cpu_seconds: CPU time of the whole process.
        network_cpu_seconds: CPU time without set-up; None if the simulator does not report it.
        simulated_us: simulated time.
    """

    packet_hops: float
    cpu_seconds: float
    network_cpu_seconds: float | None
    simulated_us: float

    @property
    def whole(self) -> float:
        """Packet-hops per CPU-second of the whole process."""
        return self.packet_hops / self.cpu_seconds

    @property
    def network(self) -> float | None:
        """Packet-hops per CPU-second without set-up; None if the simulator does not report it."""
        return self.packet_hops / self.network_cpu_seconds if self.network_cpu_seconds else None


@dataclass
class Measured:
    """The runs of a simulator.

    Attributes:
        simulator: the simulator.
        runs: its runs.
        before: Pantala's run before each of them; for Pantala itself, all its runs.
        differences: the differences between its machine and the description.
        missing: why it has no runs; empty if it has.
    """

    simulator: Simulator
    runs: list[Run] = field(default_factory=list)
    before: list[Run] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)
    missing: str = ""

    def ratio(self, rate: Callable[[Run], float | None]) -> float | None:
        """Returns the median over pairs of runs of Pantala's rate over the simulator's rate.

        The result is None if a run has no such rate.
        """
        ratios = []
        for ours, theirs in zip(self.before, self.runs, strict=True):
            first, second = rate(ours), rate(theirs)
            if first is None or second is None:
                return None
            ratios.append(first / second)
        return median(ratios)


def measure(
    described: Description,
    pantala: tuple[Simulator, str],
    others: Mapping[Simulator, str],
    settings: Settings,
    tell: Callable[[str], None] = lambda _: None,
) -> list[Measured]:
    """Measures Pantala and the other simulators in turn.

    A simulator that cannot repeat the bench, or that fails, has no runs and a reason.

    Args:
        described: the bench.
        pantala: Pantala and the path of its executable.
        others: the other simulators with the paths of their executables.
        settings: the settings of the comparison.
        tell: receives a line before each run.
    """
    shorter = replace(
        described, simulated_ps=max(1, round(described.simulated_ps * settings.share))
    )
    ours = Measured(pantala[0])
    rows = [ours]
    for simulator in others:
        row = Measured(simulator)
        try:
            row.differences = simulator.differences(described)
        except NotComparable as error:
            row.missing = f"not compared: {error}"
        rows.append(row)
    for repeat in range(settings.repeats):
        for row in [row for row in rows[1:] if not row.missing] or [ours]:
            tell(
                f"{described.title}: {row.simulator.title}, run {repeat + 1} of {settings.repeats}"
            )
            before = _once(pantala, described, settings)
            ours.runs.append(before)
            if row is not ours:
                _run_beside(row, others[row.simulator], shorter, before, settings)
    ours.before = ours.runs
    return rows


def _run_beside(
    row: Measured, path: str, described: Description, before: Run, settings: Settings
) -> None:
    """Adds a run of another simulator, or the reason why there is none."""
    try:
        row.runs.append(_once((row.simulator, path), described, settings))
        row.before.append(before)
    except Failed as error:
        row.missing = f"failed: {error}"


def _once(program: tuple[Simulator, str], described: Description, settings: Settings) -> Run:
    """Runs a simulator once in its own directory and returns the result."""
    simulator, path = program
    with tempfile.TemporaryDirectory() as temporary:
        directory = Path(temporary)
        if settings.keep is not None:
            directory = settings.keep / described.title.replace(" ", "-") / simulator.key
            directory.mkdir(parents=True, exist_ok=True)
        arguments = simulator.prepare(described, directory)
        process = run([path, *arguments], directory, settings.timeout, simulator.statuses)
        moved = simulator.moved(described, directory, process)
    return Run(
        moved.packet_hops,
        process.cpu_seconds,
        moved.network_cpu_seconds,
        described.simulated_ns / 1_000,
    )


def spread(values: Sequence[float]) -> tuple[float, float, float]:
    """Returns the median, the least and the greatest of some values."""
    return median(values), min(values), max(values)
