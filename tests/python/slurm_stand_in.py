"""A stand-in for Slurm's commands: tasks are processes of this machine.

A line ``JOB_TASK STATE REASON`` in the file ``states`` replaces the state of a task; with the state
``FORGOTTEN``, squeue does not list it. The file ``accounts`` is what sacct prints. The file
``silent`` has the number of times that sbatch reaches no controller, after the first array. With a
file ``hangs``, squeue answers only once something is cancelled.
"""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from pantala.executors.slurm import SlurmExecutor
from pantala.executors.slurm_options import SlurmOptions

__all__ = ["slurm", "stand_in"]

#: A stand-in for Slurm: tasks are processes of this machine, and a file says which live.
_SBATCH = """#!{python}
import os, subprocess, sys
folder = {folder!r}
if "--partition=none" in sys.argv:
    sys.exit("sbatch: error: invalid partition specified: none")
array = next(each for each in sys.argv if each.startswith("--array="))
last = int(array.rpartition("-")[2])
number = len(os.listdir(folder + "/jobs")) + 1
silent = folder + "/silent"
if number > 1 and os.path.exists(silent) and int(open(silent).read()):
    left = int(open(silent).read()) - 1
    open(silent, "w").write(str(left))
    sys.exit("sbatch: error: Batch job submission failed: Unable to contact slurm controller")
open(folder + "/options", "a").write(" ".join(sys.argv[1:]) + "\\n")
pids = []
for task in range(last + 1):
    environment = {{**os.environ, "SLURM_ARRAY_TASK_ID": str(task)}}
    script = sys.argv[-1]
    log = open(os.path.join(os.path.dirname(script), str(task) + ".log"), "a")
    started = subprocess.Popen(["sh", script], env=environment, stdout=log, stderr=log,
                               start_new_session=True)
    pids.append(str(started.pid))
open(folder + "/jobs/" + str(number), "w").write(" ".join(pids))
print(number)
"""
_SQUEUE = """#!{python}
import os, sys, time
if os.path.exists({folder!r} + "/hangs"):
    open({folder!r} + "/hangs", "w").write("asked")
    for _ in range(1000):
        if os.path.exists({folder!r} + "/cancelled"):
            open({folder!r} + "/hangs", "w").write("cancelled")
            break
        time.sleep(0.02)
job = next(each for each in sys.argv if each.startswith("--jobs=")).partition("=")[2]
try:
    said = dict(line.split(" ", 1) for line in open({folder!r} + "/states").read().splitlines())
except OSError:
    said = {{}}
for task, pid in enumerate(open({folder!r} + "/jobs/" + job).read().split()):
    try:
        state = open("/proc/" + pid + "/stat").read().rpartition(")")[2].split()[0]
    except OSError:
        state = "Z"
    state = "COMPLETED" if state == "Z" else "RUNNING"
    line = said.get(job + "_" + str(task), state + " None")
    if not line.startswith("FORGOTTEN"):
        print(task, line)
"""
_SACCT = """#!{python}
import os
accounts = {folder!r} + "/accounts"
print(open(accounts).read() if os.path.exists(accounts) else "")
"""
_SCANCEL = """#!{python}
import os, signal, sys
open({folder!r} + "/cancelled", "a").write(" ".join(sys.argv[1:]) + "\\n")
for job in sys.argv[1:]:
    for pid in open({folder!r} + "/jobs/" + job).read().split():
        try:
            os.kill(int(pid), signal.SIGTERM)
        except ProcessLookupError:
            pass
"""


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Puts a stand-in for Slurm on the PATH, and returns the folder of its jobs."""
    folder = tmp_path / "slurm stand-in"
    (folder / "jobs").mkdir(parents=True)
    programs = {"sbatch": _SBATCH, "squeue": _SQUEUE, "sacct": _SACCT, "scancel": _SCANCEL}
    for name, text in programs.items():
        program = folder / name
        program.write_text(text.format(python=sys.executable, folder=str(folder)))
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return folder


def slurm(root: Path, **options: Any) -> SlurmExecutor:
    return SlurmExecutor(root, SlurmOptions(**options), look_seconds=0.05, ask_seconds=0.2)
