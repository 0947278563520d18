"""One small interference experiment, run by the core once per process.

Each test gets a copy. `python tests/python/small_runs.py DIR` writes the experiment to DIR.
"""

from __future__ import annotations

import atexit
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path

import pantala as pt
from pantala.experiments.experiment import Experiment
from pantala.results.run import Run

__all__ = ["small_interference", "small_run"]


def small_interference(directory: Path, packets: str = "sampled") -> Experiment:
    """Returns a copy of the experiment: fft3d and halo3d, alone and together.

    halo3d slows fft3d. fft3d does not slow halo3d.

    Args:
        directory: the directory of the copy.
        packets: the packets that the runs record.
    """
    shutil.copytree(_experiment(packets), directory, dirs_exist_ok=True)
    return Experiment(directory)


def small_run(directory: Path, packets: str = "sampled") -> Run:
    """Returns a copy of the run of both jobs together; arguments as in `small_interference`."""
    shutil.copytree(_experiment(packets) / "together", directory, dirs_exist_ok=True)
    return Run(directory)


@cache
def _experiment(packets: str) -> Path:
    directory = Path(tempfile.mkdtemp(prefix="pantala-tests-"))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    pt.run(scenario(packets), out=directory, overwrite=True, report=False)
    return directory


def scenario(packets: str) -> pt.Scenario:
    """Returns a scenario of 72 nodes with 36 and 32 ranks: 86 us in 0.4 s of CPU time."""
    return pt.Scenario(
        name="interference",
        interference=True,
        machine={"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}},
        routing="ugal_g",
        record={"window": "1 us", "packets": packets},
        jobs=[
            pt.Job(
                name="fft3d",
                ranks=36,
                workload=pt.Fft3d(
                    grid=(6, 6),
                    row_message="2 KiB",
                    column_message="2 KiB",
                    iterations=2,
                    compute_forward="4 us",
                    compute_backward="4 us",
                    start_delay="0 ns",
                ),
            ),
            pt.Job(
                name="halo3d",
                ranks=32,
                workload=pt.Halo3d(
                    grid=(2, 4, 4),
                    message="64 KiB",
                    iterations=4,
                    exchange="at_once",
                    start_delay="0 ns",
                ),
            ),
        ],
    )


if __name__ == "__main__":
    small_interference(Path(sys.argv[1]))
