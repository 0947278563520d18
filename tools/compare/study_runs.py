"""The end-to-end case: whole processes, with set-up and report apart."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Protocol

from compare.ember import BENCH, LOAD_FILE, Study
from compare.process import Failed, run
from compare.runs import Settings

__all__ = ["MeasuredStudy", "PantalaStudy", "StudyRun", "StudySimulator", "measure_study"]


@dataclass(frozen=True)
class StudyRun:
    """The result of a whole run.

    Attributes:
        packet_hops: the packet-hops of the run.
        simulated_us: simulated time to the end of the last job.
        cpu_seconds: CPU time of the whole process, without a report.
        simulation_cpu_seconds: CPU time of the simulation alone.
        report_cpu_seconds: CPU time of the process that writes the report; None without reports.
    """

    packet_hops: float
    simulated_us: float
    cpu_seconds: float
    simulation_cpu_seconds: float
    report_cpu_seconds: float | None

    @property
    def setup_cpu_seconds(self) -> float:
        """CPU time of the process outside the simulation: start, set-up, tables."""
        return self.cpu_seconds - self.simulation_cpu_seconds

    @property
    def with_report(self) -> float:
        """CPU time of the run and of its report."""
        return self.cpu_seconds + (self.report_cpu_seconds or 0.0)

    @property
    def rate(self) -> float:
        """Packet-hops per CPU-second of the whole process."""
        return self.packet_hops / self.cpu_seconds


class StudySimulator(Protocol):
    """A simulator that runs the load file.

    Attributes:
        key: the name of its directory.
        title: its name in tables.
    """

    key: str
    title: str

    def run(self, path: str, study: Study, directory: Path, timeout: float) -> StudyRun:
        """Runs the load file in a directory with the executable at a path.

        Raises:
            Failed: the simulator fails, or its output has no result.
        """
        ...


class PantalaStudy:
    """Pantala. Its executable is the Python in which it is installed."""

    key = "pantala"
    title = "Pantala"

    def run(self, path: str, study: Study, directory: Path, timeout: float) -> StudyRun:
        """Runs the load file without a report, and writes the report in a second process."""
        study.write(directory)
        simulate = ["run", LOAD_FILE, "--preset", study.preset, "--routing", study.routing]
        simulate += ["--set", f"machine.router.model={study.model}"]
        simulate += ["--no-report", "--overwrite", "--quiet", "--out", "run"]
        simulated = run([path, "-m", "pantala", *simulate], directory, timeout)
        reported = run([path, "-m", "pantala", "report", "run"], directory, timeout)
        try:
            result = json.loads((directory / "run" / "run.json").read_text(encoding="utf-8"))
        except (OSError, json.JSONDecodeError) as error:
            raise Failed(f"pantala wrote no run.json: {simulated.output.strip()[-200:]}") from error
        return StudyRun(
            packet_hops=result["counters"]["packet_hops"],
            simulated_us=result["simulated_ns"] / 1_000,
            cpu_seconds=simulated.cpu_seconds,
            simulation_cpu_seconds=result["provenance"]["cpu_seconds"],
            report_cpu_seconds=reported.cpu_seconds,
        )


@dataclass
class MeasuredStudy:
    """The runs of a simulator.

    Attributes:
        title: the simulator.
        runs: its runs.
        before: Pantala's run before each of them; empty for Pantala itself.
        missing: why it has no runs; empty if it has.
    """

    title: str
    runs: list[StudyRun] = field(default_factory=list)
    before: list[StudyRun] = field(default_factory=list)
    missing: str = ""

    def ratio(self, seconds: Callable[[StudyRun], float]) -> float:
        """Returns the median over pairs of runs of its CPU time over Pantala's."""
        pairs = zip(self.runs, self.before, strict=True)
        return median(theirs.cpu_seconds / seconds(ours) for theirs, ours in pairs)


def measure_study(
    study: Study,
    pantala: tuple[StudySimulator, str],
    other: tuple[StudySimulator, str] | None,
    settings: Settings,
    tell: Callable[[str], None] = lambda _: None,
) -> list[MeasuredStudy]:
    """Measures Pantala and another simulator in turn; whole runs, whatever the share.

    A simulator that fails has no runs and a reason.
    """
    ours = MeasuredStudy(pantala[0].title)
    theirs = MeasuredStudy(other[0].title) if other else None
    for repeat in range(settings.repeats):
        tell(f"{BENCH}, end to end: run {repeat + 1} of {settings.repeats}")
        before = _once(pantala, study, settings)
        ours.runs.append(before)
        if other is None or theirs is None or theirs.missing:
            continue
        try:
            theirs.runs.append(_once(other, study, settings))
            theirs.before.append(before)
        except Failed as error:
            theirs.missing = f"failed: {error}"
    return [ours, theirs] if theirs else [ours]


def _once(program: tuple[StudySimulator, str], study: Study, settings: Settings) -> StudyRun:
    """Runs a simulator once in its own directory and returns the result."""
    simulator, path = program
    with tempfile.TemporaryDirectory() as temporary:
        directory = Path(temporary)
        if settings.keep is not None:
            directory = settings.keep / f"{BENCH}-end-to-end" / simulator.key
            directory.mkdir(parents=True, exist_ok=True)
        return simulator.run(path, study, directory, settings.timeout)
