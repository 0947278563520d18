"""Programs that crash, never end, or change the interpreter: each ends in one line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pantala as pt
from pantala.programs import limits, outputs
from support import ROOT, Ended

Cli = Callable[..., Ended]
MPI = pt.programs.Communicator

pytestmark = pytest.mark.native

MACHINE = {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}}

#: A program that ends well, for the hash of its operations.
GOOD = "def program(mpi):\n    mpi.barrier()\n"

#: By name: the text of a program, its limits, and the error after its file.
HOSTILE: dict[str, tuple[str, dict[str, Any], str]] = {
    "endless loop in the file": (
        "import os\nwhile True:\n    os.getpid()\n",
        {"time_limit": "0.3 s"},
        ":{2,3}: the program has not ended after 0.3 s; end its loops, or set a longer time_limit",
    ),
    "endless loop in the function": (
        "def program(mpi):\n    while True:\n        try:\n            while True:\n"
        "                pass\n        except BaseException:\n            pass\n",
        {"time_limit": "0.3 s"},
        ":{2,3,4,5}: the program has not ended after 0.3 s; end its loops, or set a longer"
        " time_limit",
    ),
    "a call in C that does not end": (
        "import time\ndef program(mpi):\n    time.sleep(1e6)\n",
        {"time_limit": "0.3 s"},
        ":3: the program has not ended after 0.3 s; end its loops, or set a longer time_limit",
    ),
    "a call in C that holds the interpreter": (
        "def program(mpi):\n    sum(range(1 << 60))\n",
        {"time_limit": "0.3 s"},
        ":2: the program has not ended after 0.3 s; end its loops, or set a longer time_limit",
    ),
    "signals that it ignores": (
        "import signal, time\ndef program(mpi):\n"
        "    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\n    time.sleep(1e6)\n",
        {"time_limit": "0.3 s"},
        ":2: the program has not ended after 0.3 s; end its loops, or set a longer time_limit",
    ),
    "an endless lock": (
        "import threading\nlock = threading.Lock()\ndef program(mpi):\n    with lock, lock:\n"
        "        pass\n",
        {"time_limit": "0.3 s"},
        ":4: the program has not ended after 0.3 s; end its loops, or set a longer time_limit",
    ),
    "input": (
        "def program(mpi):\n    input('ranks? ')\n",
        {},
        ":2: rank 0: EOFError: EOF when reading a line; correct the program",
    ),
    "barriers for ever": (
        "def program(mpi):\n    while True:\n        mpi.barrier()\n",
        {"operations_limit": 400_000},
        ":3: rank 0: the program makes more than 400000 operations, counting this collective call"
        " for all ranks; it may never end, or set operations_limit",
    ),
    "messages for ever": (
        "def program(mpi):\n    while True:\n        mpi.send(1, 8)\n",
        {"operations_limit": 10_000},
        ":3: rank 0: the program makes more than 10000 operations; it may never end, or set"
        " operations_limit",
    ),
    "a segmentation fault": (
        "import ctypes\ndef program(mpi):\n    ctypes.string_at(0)\n",
        {},
        ":3: the program crashes (SIGSEGV); correct the call, or the library that it uses",
    ),
    "an abort while it loads": (
        "import os\nos.abort()\n",
        {},
        ":2: the program crashes (SIGABRT); correct the call, or the library that it uses",
    ),
    "a kill": (
        "import os\ndef program(mpi):\n    os.kill(os.getpid(), 9)\n",
        {},
        ":2: the process of the program was killed (SIGKILL); if the machine has too little"
        " memory, keep less data",
    ),
    "a signal to its group": (
        "import os\ndef program(mpi):\n    os.killpg(0, 15)\n",
        {},
        ":2: the program was ended by SIGTERM; do not send signals to it",
    ),
    "KeyboardInterrupt": (
        "def program(mpi):\n    raise KeyboardInterrupt\n",
        {},
        ":2: rank 0: KeyboardInterrupt; correct the program",
    ),
    "KeyboardInterrupt while it loads": (
        "raise KeyboardInterrupt\n",
        {},
        ":1: KeyboardInterrupt; correct the program",
    ),
    "SystemExit while it loads": (
        "import sys\nsys.exit(0)\n",
        {},
        ":2: the program exits; define a function and nothing that ends",
    ),
    "os._exit(0)": (
        "import os\ndef program(mpi):\n    os._exit(0)\n",
        {},
        ":2: the program ends its process with status 0; return from its function instead",
    ),
    "os._exit(7) while it loads": (
        "import os\nos._exit(7)\n",
        {},
        ": the program ends its process with status 7; return from its function instead",
    ),
    "an exception without a text": (
        "class Mute(Exception):\n    def __str__(self):\n        raise self\n"
        "def program(mpi):\n    raise Mute\n",
        {},
        ":5: rank 0: Mute, whose text cannot be read; correct the program",
    ),
    "an exception with a huge text": (
        "def program(mpi):\n    raise ValueError('x' * (1 << 24))\n",
        {},
        f":2: rank 0: ValueError: {'x' * 296} ...; correct the program",
    ),
    "an exception that controls a terminal": (
        "def program(mpi):\n    raise ValueError('\\x1b[31mred\\x07 \\u202edne\\r')\n",
        {},
        ":2: rank 0: ValueError: \\x1b[31mred\\x07 \\u202edne\\r; correct the program",
    ),
    "other builtins": (
        "import builtins\ndef program(mpi):\n    for name in list(vars(builtins)):\n"
        "        setattr(builtins, name, None)\n    mpi.send(1, 8)\n    raise_(1)\n",
        {},
        ":{3,4,5,6}: rank 0: ",
    ),
    "no builtins, and an exit": (
        "import builtins\ndef program(mpi):\n    vars(builtins).clear()\n    undefined\n",
        {},
        ":4: rank 0: NameError: name 'undefined' is not defined; correct the program",
    ),
    "closed files": (
        "import os\ndef program(mpi):\n    os.closerange(0, 4096)\n    mpi.barrier()\n",
        {},
        ":2: the program closes files that it did not open; close only its own",
    ),
    "too much memory": (
        "def program(mpi):\n    hoard = []\n    while True:\n"
        "        hoard.append(bytearray(1 << 22))\n",
        {"memory_limit": "64 MiB"},
        ":{3,4}: ",
    ),
    "too much memory while it loads": (
        "hoard = bytearray(1 << 50)\n",
        {},
        ":1: the program takes more memory than it may; keep less data, or set a larger"
        " memory_limit",
    ),
    "endless recursion": (
        "def program(mpi):\n    program(mpi)\n",
        {},
        ":2: rank 0: RecursionError: maximum recursion depth exceeded; correct the program",
    ),
    "a missing function": (
        "",
        {},
        ": has no function 'program'; it has none; set the key function",
    ),
    "no source": (
        "def program(mpi):\n    '\\0'\0\n",
        {},
        ": ",
    ),
}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "pantala"


def scenario(workload: Any, ranks: int = 4) -> pt.Scenario:
    job = pt.Job(name="job", ranks=ranks, workload=workload, placement="contiguous")
    return pt.Scenario(name="s", machine=MACHINE, routing="minimal", jobs=[job])


def planned(file: Path, **keys: Any) -> str:
    """Returns the hash of the operations of a program."""
    plan = scenario(pt.PythonProgram(file=str(file), **keys)).plan()
    return str(plan["jobs"][0]["workload"]["hash"])


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "program.py"
    path.write_text(text)
    return path


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_program_ends_in_one_line(name: str, tmp_path: Path, cache: Path) -> None:
    text, keys, expected = HOSTILE[name]
    path = written(tmp_path, text)
    with pytest.raises(pt.ProgramError) as raised:
        planned(path, **keys)
    error = str(raised.value)
    assert error.isprintable()
    assert error.startswith(str(path))
    rest = error.removeprefix(str(path))
    if expected.startswith(":{"):  # one of several lines
        lines, _, expected = expected[2:].partition("}: ")
        line, _, rest = rest[1:].partition(": ")
        assert line in lines.split(",")
    whole = bool(expected) and not expected.endswith(": ")
    assert rest == expected if whole else rest.startswith(expected)
    if name == "too much memory":  # the process notices it, or Pantala does
        assert "the program takes more " in rest
        assert rest.endswith("; end its loops, keep less data, or set a larger memory_limit")
    # Nothing is left in the cache: no partial file, no folder.
    assert list((cache / "operations").iterdir()) == []


HARMLESS: dict[str, str] = {
    "prints": "print('a')\ndef program(mpi):\n    print(mpi.rank)\n    mpi.barrier()\n",
    "a fork that returns": "import os\ndef program(mpi):\n    os.fork()\n    mpi.barrier()\n",
    "a fork that exits": (
        "import os\ndef program(mpi):\n    if os.fork() == 0:\n        os._exit(3)\n"
        "    os.wait()\n    mpi.barrier()\n"
    ),
    "a process that stays": (
        "import subprocess\ndef program(mpi):\n    subprocess.Popen(['sleep', '1000'])\n"
        "    mpi.barrier()\n"
    ),
    "a thread that stays": (
        "import threading, time\ndef program(mpi):\n"
        "    threading.Thread(target=time.sleep, args=(1000,)).start()\n    mpi.barrier()\n"
    ),
    "other output": (
        "import sys, os\nsys.stdout.close()\nos.close(1)\nsys.stderr = None\n"
        "def program(mpi):\n    mpi.barrier()\n"
    ),
    "another folder": "import os\nos.chdir('/')\ndef program(mpi):\n    mpi.barrier()\n",
    "an exit handler": (
        "import atexit, time\natexit.register(time.sleep, 1000)\n"
        "def program(mpi):\n    mpi.barrier()\n"
    ),
    "much output": "def program(mpi):\n    print('x' * (1 << 20))\n    mpi.barrier()\n",
    "odd output": (
        "import sys\ndef program(mpi):\n    print('\\udc80')\n"
        "    sys.stdout.buffer.write(b'\\xff')\n"
        "    mpi.barrier()\n"
    ),
}


@pytest.mark.parametrize("name", HARMLESS)
def test_what_a_program_does_besides_its_calls_changes_nothing(name: str, tmp_path: Path) -> None:
    good = planned(written(tmp_path, GOOD))
    before = Path.cwd()
    assert planned(written(tmp_path, HARMLESS[name])) == good
    assert Path.cwd() == before


def test_output_goes_to_a_log(
    tmp_path: Path, cache: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, "import os\ndef program(mpi):\n    print(mpi.rank, os.getpid() * 0)\n")
    planned(path)
    assert capfd.readouterr() == ("", "")
    [output] = [each for each in outputs() if each.program == str(path)]
    assert (output.ranks, output.lines, output.function) == (4, 4, "program")
    assert output.log.parent == cache / "program_logs"
    assert output.log.read_text() == "0 0\n1 0\n2 0\n3 0\n"
    # The log of a program that fails holds its last words; the next run replaces them.
    path.write_text("import os\ndef program(mpi):\n    print('here')\n    os.abort()\n")
    with pytest.raises(pt.ProgramError, match="SIGABRT"):
        planned(path)
    assert output.log.read_text().startswith("here\n")
    monkeypatch.setattr("pantala.programs.log.OUTPUT_LIMIT", 10)
    path.write_text("def program(mpi):\n    print('12345678')\n")
    planned(path)
    assert output.log.read_text() == "12345678\n1\npantala: more output is not kept\n"
    path.write_text(GOOD)
    planned(path)
    assert not output.log.exists()


def test_the_free_memory_is_the_default_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pantala.system.memory.available_memory", lambda: 6 << 30)
    assert limits.default_memory() == 3 << 30
    monkeypatch.setattr("pantala.system.memory.available_memory", lambda: 0)
    assert limits.default_memory() == limits.LEAST_MEMORY


def test_functions_of_a_session_run_in_a_fork() -> None:
    seen: list[int] = []

    def counts(mpi: MPI) -> None:
        seen.append(mpi.rank)
        mpi.barrier()

    def crashes(mpi: MPI) -> None:
        os.kill(os.getpid(), signal.SIGSEGV)

    def never_ends(mpi: MPI) -> None:
        while True:
            pass

    scenario(pt.Program(counts)).plan()
    assert seen == []
    with pytest.raises(pt.ProgramError, match=r"the program crashes \(SIGSEGV\)"):
        scenario(pt.Program(crashes)).plan()
    never = pt.Program(never_ends).model_copy(update={"time_limit": pt.Duration.parse("0.3 s")})
    with pytest.raises(pt.ProgramError, match=r"has not ended after 0\.3 s") as raised:
        scenario(never).plan()
    assert str(raised.value).startswith(f"{__file__}:")


def test_an_argument_that_is_no_plain_data(tmp_path: Path) -> None:
    path = written(tmp_path, "def program(mpi, call):\n    call(mpi)\n")
    workload = pt.PythonProgram(file=str(path), arguments={"call": lambda mpi: mpi.barrier()})
    plan = scenario(workload).plan()
    assert plan["jobs"][0]["workload"]["hash"] == planned(written(tmp_path, GOOD))


def test_a_thread_can_run_programs(tmp_path: Path) -> None:
    path, found = written(tmp_path, GOOD), list[str]()
    thread = threading.Thread(target=lambda: found.append(planned(path)))
    thread.start()
    thread.join()
    assert len(found) == 1


SCENARIO = """\
name = "hostile"
routing = "minimal"
machine = { preset = "kang2022", topology = { p = 2, a = 4, h = 2, g = 9 } }
[[jobs]]
name = "job"
ranks = 4
workload = { kind = "python", file = "program.py", time_limit = "0.3 s" }
[[jobs]]
name = "other"
ranks = 4
workload = { kind = "uniform_random", iterations = 2 }
"""

#: The commands that run the programs of a scenario.
COMMANDS = {
    "run": ("run", "s.toml", "--out", "out"),
    "check": ("check", "s.toml"),
    "interference": ("run", "s.toml", "--out", "out", "--set", "interference=true"),
    "export": ("workload", "export", "s.toml", "job.operations", "--job", "job"),
    "show": ("workload", "show", "s.toml"),
    "dry run": ("sweep", "s.toml", "--dry-run", "--axis", "routing=minimal,ugal_g"),
    "sweep": ("sweep", "s.toml", "--out", "out", "--axis", "routing=minimal,ugal_g"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_runs_programs_apart(name: str, workdir: Path, cli: Cli) -> None:
    Path("s.toml").write_text(SCENARIO)
    Path("program.py").write_text("import time\nprint('begun')\ntime.sleep(1e6)\n")
    ended = cli(*COMMANDS[name])
    assert ended.status == 2
    assert "program.py:3: the program has not ended after 0.3 s" in ended.err
    assert "begun" not in ended.out + ended.err
    assert "program.py: 1 line of output of the program, in " in ended.err
    assert {each.name for each in Path().iterdir()} == {"s.toml", "program.py"}


def test_commands_say_that_they_ran_programs(workdir: Path, cli: Cli) -> None:
    Path("s.toml").write_text(SCENARIO.replace("0.3 s", "60 s"))
    Path("program.py").write_text(GOOD)
    assert "ran the program program.py: job job, 4 ranks\n" in cli("check", "s.toml").err
    Path("program.py").write_text("def program(mpi):\n    mpi.allreduce(8)\n")
    ended = cli("sweep", "s.toml", "--dry-run", "--axis", "jobs.job.ranks=4,8")
    assert "ran the program program.py: " in ended.out + ended.err


def test_ctrl_c_stops_the_program(workdir: Path) -> None:
    Path("s.toml").write_text(SCENARIO.replace("0.3 s", "1000 s"))
    Path("program.py").write_text(
        "import os, time\nopen('pid.part', 'w').write(str(os.getpid()))\n"
        "os.rename('pid.part', 'pid')\ntime.sleep(1e6)\n"
    )
    command = [sys.executable, "-m", "pantala", "check", "s.toml"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not Path("pid").exists():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert (process.returncode, out, err) == (130, "", "interrupted\n")
    with pytest.raises(ProcessLookupError):
        os.kill(int(Path("pid").read_text()), 0)


def test_the_child_imports_little() -> None:
    code = "import sys; from pantala.programs import child, recording; print(*sys.modules)"
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    heavy = {"pydantic_core", "polars", "rich", "typer", "subprocess", "concurrent", "asyncio"}
    assert not heavy & set(ended.stdout.split())
