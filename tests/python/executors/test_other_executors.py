"""Sweeps with dask-jobqueue, Parsl and mpi4py.futures, where these packages are installed."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import pantala as pt
import slurm_cluster
from support import ROOT
from sweeps import scenario

pytestmark = pytest.mark.native


@pytest.mark.full
@pytest.mark.needs(packages=["dask_jobqueue", "distributed"])
@slurm_cluster.needs_cluster
def test_dask_jobqueue_on_a_real_slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import dask_jobqueue as jobqueue
    import distributed

    with slurm_cluster.cluster(tmp_path / "slurm") as configuration:
        monkeypatch.setenv("SLURM_CONF", str(configuration))
        options = {"queue": slurm_cluster.PARTITION, "walltime": "00:10:00", "interface": "lo"}
        # The node of the test has no memory in Slurm's configuration.
        alone = {"job_directives_skip": ["--mem"], "log_directory": str(tmp_path / "logs")}
        with jobqueue.SLURMCluster(cores=1, memory="1 GB", **options, **alone) as jobs:
            jobs.scale(jobs=2)
            with distributed.Client(jobs) as client:
                executor = client.get_executor(pure=False)
                made = pt.sweep(scenario(), tmp_path / "out", seeds=8, executor=executor)
        while subprocess.run(["squeue", "--noheader"], capture_output=True, check=True).stdout:
            time.sleep(0.05)  # slurmd waits for jobs that end
    assert made.runs["state"].to_list() == ["done"] * 8


#: A sweep with the workers of Parsl on this machine.
_PARSL = """
import sys, pantala as pt
from parsl.concurrent import ParslPoolExecutor
from parsl.configs.htex_local import config
from sweeps import scenario

long = scenario().replace({"jobs.noise.workload.iterations": 20000})
with ParslPoolExecutor(config) as executor:
    made = pt.sweep(long, sys.argv[1], seeds=6, executor=executor)
assert made.runs["state"].to_list() == ["done"] * 6, made.runs
"""

#: A sweep with the workers of mpi4py.futures. Each worker reads the file too.
_MPI = """
import sys, pantala as pt
from mpi4py.futures import MPIPoolExecutor
from sweeps import scenario

if __name__ == "__main__":
    with MPIPoolExecutor() as executor:
        made = pt.sweep(scenario(), sys.argv[1], seeds=6, executor=executor)
    assert made.runs["state"].to_list() == ["done"] * 6, made.runs
    print("swept")
"""


@pytest.mark.full
@pytest.mark.needs(packages=["parsl"])
def test_workers_of_parsl_do_the_runs_and_may_be_killed(tmp_path: Path) -> None:
    root = tmp_path / "out"
    swept = _script(tmp_path, _PARSL, [sys.executable], root)
    killed = False
    while swept.poll() is None and not killed:
        for partial in (root / "partial").glob("*~*~*"):
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(partial.name.rpartition("~")[2]), signal.SIGKILL)
                killed = True
            break
    said, _ = swept.communicate()
    assert (swept.returncode, killed) == (0, True), said


@pytest.mark.full
@pytest.mark.needs("mpiexec", packages=["mpi4py"])
def test_workers_of_mpi4py_do_the_runs(tmp_path: Path) -> None:
    command = ["mpiexec", "-n", "3", sys.executable, "-m", "mpi4py.futures"]
    environment = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    environment["OMPI_MCA_rmaps_base_oversubscribe"] = "1"
    swept = _script(tmp_path, _MPI, command, tmp_path / "out", environment)
    said, _ = swept.communicate()
    assert swept.returncode == 0, said
    assert said.count("swept") == 1


def _script(
    folder: Path, text: str, command: list[str], out: Path, more: dict[str, str] | None = None
) -> subprocess.Popen[str]:
    """Starts a script of an executor, which finds the modules of the tests."""
    script = folder / "script.py"
    script.write_text(text)
    paths = [str(ROOT / "tests" / "python"), os.environ.get("PYTHONPATH", "")]
    return subprocess.Popen(
        [*command, str(script), str(out)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), **(more or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


class _Parsl:
    """The module of Parsl's errors."""

    class WorkerLost(Exception):
        """A worker ended."""

    class ManagerLost(Exception):
        """A node ended."""


class _ParslFuture(Future[Any]):
    """A future that cannot be cancelled, as Parsl's."""

    def cancel(self) -> bool:
        raise NotImplementedError("Cancel not implemented")


class _ParslStandIn(ThreadPoolExecutor):
    """Runs work at once; some of its workers end first."""

    def __init__(self, ends: list[BaseException]) -> None:
        super().__init__(1)
        self._ends = ends

    def submit(self, work: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future = _ParslFuture()
        if self._ends:
            future.set_exception(self._ends.pop())
        else:
            future.set_result(work(*args, **kwargs))
        return future


def test_a_killed_worker_of_parsl_costs_its_run_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "parsl.executors.high_throughput.errors", _Parsl())
    with _ParslStandIn([_Parsl.WorkerLost(), _Parsl.ManagerLost()]) as executor:
        made = pt.sweep(scenario(), tmp_path / "a", seeds=2, executor=executor)
    assert made.runs["state"].to_list() == ["done", "done"]
    with _ParslStandIn([_Parsl.WorkerLost() for _ in range(3)]) as executor:
        made = pt.sweep(scenario(), tmp_path / "b", executor=executor)
    (reason,) = made.runs["reason"].to_list()
    assert reason == "its worker of Parsl was killed; it may need more memory, 3 times"


def test_an_executor_whose_work_cannot_be_cancelled_tells_its_own_fault(tmp_path: Path) -> None:
    with (
        _ParslStandIn([ImportError("No module named 'pantala'")]) as executor,
        pytest.raises(pt.PantalaError, match="the executor stopped: ImportError"),
    ):
        pt.sweep(scenario(), tmp_path, seeds=2, executor=executor)
