"""Capture: real MPI programs, compared call by call with a library that counts their calls."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

import pantala as pt
from operation_files import NAMES, Operation, in_the_world, operations_of, starting_groups
from pantala.capture import capture
from pantala.errors import UsageError
from pantala.export.operation_files import export_job
from small_mpi import MPIRUN, needs_mpi, replay
from support import ROOT, Ended

Cli = Callable[..., Ended]

PROGRAMS = ROOT / "tests" / "mpi_programs"
SIX = [
    "ping_pong",
    "halo",
    "all_to_all",
    "ring_allreduce",
    "subcommunicators",
    "wavefront",
]
#: Operations of the program `features` on every rank.
KINDS = set(NAMES.values()) - {
    "compute",
    "rsend",
    "comm_create",
    "comm_join",
    "comm_free",
    "alltoall",
    "alltoallv",
    "bcast",
    "abort",
    "ipost",
    "run",
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a folder with the programs and the library that counts."""
    folder = tmp_path_factory.mktemp("programs")
    for source in PROGRAMS.glob("*.c"):
        shared = ["-shared", "-fPIC"] if source.stem == "count" else []
        out = folder / (f"{source.stem}.so" if shared else source.stem)
        subprocess.run(["mpicc", "-O1", *shared, "-o", out, source], check=True)
    return folder


def counted(built: Path, program: str, ranks: int, folder: Path) -> list[list[str]]:
    """Returns the calls of each rank of a program, as the counting library writes them."""
    folder.mkdir()
    environment = {
        **os.environ,
        "OMPI_MCA_mca_base_env_list": f"LD_PRELOAD={built / 'count.so'}",
        "COUNT_DIR": str(folder),
    }
    subprocess.run([*MPIRUN, str(ranks), built / program], check=True, env=environment)
    return [(folder / f"calls-{rank}.txt").read_text().splitlines() for rank in range(ranks)]


def calls(path: Path) -> list[list[str]]:
    """Returns the calls of each rank of an operation file as the counting library writes them."""
    return [[text for text in map(line, rank) if text] for rank in operations_of(path)]


def traffic(path: Path) -> list[Counter[str]]:
    """Returns how often each rank makes each call, with partners as ranks of MPI_COMM_WORLD.

    A Sendrecv counts as a send and a receive. Waits are left out.
    """
    ranks, groups = operations_of(path), starting_groups(path)
    point = {
        "sendrecv_to": "send",
        "sendrecv_from": "recv",
        "isend": "send",
        "irecv": "recv",
        "send": "send",
        "recv": "recv",
        "bcast": "bcast",
    }
    found: list[Counter[str]] = []
    for rank, operations in enumerate(ranks):
        counts: Counter[str] = Counter()
        for each, group in in_the_world(rank, len(ranks), operations, groups[rank]):
            if each.name in point:
                members = sorted(group) if each.name == "bcast" else ""
                counts[f"{point[each.name]} {each.peer} {each.first} {members}"] += 1
            elif each.name not in {"compute", "wait", "waitall"}:
                counts[f"{each.name} {each.first} {each.second} {sorted(group)}"] += 1
        found.append(counts)
    return found


def line(operation: Operation) -> str | None:
    """Returns an operation as the counting library writes it; None if it does not count it."""
    name, peer, size = operation.name, operation.peer, operation.first
    if name in {"compute", "comm_split", "comm_create", "comm_dup", "comm_free"}:
        return None
    if name in {"wait", "waitall"}:
        return "Waitall"
    if name == "alltoallv":
        assert isinstance(operation.first, tuple)
        assert isinstance(operation.second, tuple)
        pairs = zip(operation.first, operation.second, strict=True)
        return "Alltoallv " + " ".join(f"{sent}/{received}" for sent, received in pairs)
    if name == "barrier":
        return "Barrier"
    if name in {"allreduce", "alltoall"}:
        return f"{name.capitalize()} {size}"
    shown = {"sendrecv_to": "Sendrecv to", "sendrecv_from": "Sendrecv from"}
    return f"{shown.get(name, name.capitalize())} {peer} {size}"


@needs_mpi
@pytest.mark.full
@pytest.mark.parametrize("program", SIX)
def test_a_capture_has_the_calls_of_the_program(built: Path, program: str, tmp_path: Path) -> None:
    (made,) = capture([*MPIRUN, "6", str(built / program)], tmp_path / program, clock="cpu")
    assert made.file == tmp_path / program / f"{program}.operations"
    assert (made.ranks, made.notes) == (6, ())
    assert [path.name for path in made.file.parent.iterdir()] == [made.file.name]
    assert calls(made.file) == counted(built, program, 6, tmp_path / "counted")


@needs_mpi
@pytest.mark.full
@pytest.mark.parametrize("program", SIX)
def test_a_capture_is_the_python_and_the_conceptual_form(
    built: Path, program: str, tmp_path: Path
) -> None:
    (made,) = capture([*MPIRUN, "6", str(built / program)], tmp_path / program)
    workload = {
        "kind": "python",
        "file": str(PROGRAMS / "python_forms.py"),
        "function": program,
    }
    scenario = pt.Scenario.from_dict(
        {
            "name": program,
            "machine": "kang2022",
            "routing": "minimal",
            "jobs": [{"name": program, "ranks": 6, "workload": workload}],
        }
    )
    export_job(scenario, None, tmp_path / "python.operations")
    assert calls(made.file) == calls(tmp_path / "python.operations")
    assert traffic(made.file) == traffic(tmp_path / "python.operations")
    text = {"kind": "ncptl", "file": str(PROGRAMS / "ncptl" / f"{program}.ncptl")}
    export_job(scenario.replace({"jobs[0].workload": text}), None, tmp_path / "ncptl.operations")
    expected = traffic(made.file)
    if program == "all_to_all":  # coNCePTuaL has no blocks that differ by task
        for counts in expected:
            for call in [each for each in counts if each.startswith("alltoallv")]:
                del counts[call]
    assert traffic(tmp_path / "ncptl.operations") == expected


@needs_mpi
@pytest.mark.full
def test_every_kind_of_call_is_captured_and_replayed(built: Path, tmp_path: Path) -> None:
    out = tmp_path / "features"
    (made,) = capture([*MPIRUN, "4", str(built / "features")], out, clock="cpu", keep=True)
    assert (out / "features.ranks" / "job-00000" / "rank-000003.operations").is_file()
    ranks = operations_of(made.file)
    for rank, operations in enumerate(ranks):
        names = [operation.name for operation in operations if operation.name != "compute"]
        assert set(names) >= KINDS, (rank, KINDS - set(names))
        assert names.count("bcast") == (rank < 2)
        # No wildcard is left, and a call with MPI_PROC_NULL or a cancelled receive is no record.
        assert not any(operation.flags & 3 for operation in operations)
        sizes = {operation.first for operation in operations if operation.name != "compute"}
        assert 92 not in sizes
        assert names.count("isend") + names.count("issend") + names.count("irecv") == 14
        for name in ("gatherv", "scatterv", "allgatherv", "reduce_scatter"):
            lists = [each.second for each in operations if each.name == name]
            assert lists
            assert set(lists) == {(8, 16, 24, 32)}
        collective = [each for each in operations if each.flags & 8]
        assert [each.name for each in collective] == ["gatherv", "allreduce", "barrier"]
        splits = [each.second for each in operations if each.name == "comm_split"]
        # Ranks 1 and 0 in this order; then ranks 1 and 3.
        assert splits == [(2 << 32 | 1, 2 << 32, 0, 0), (0, 2 << 32, 0, 2 << 32 | 1)]
        used = [each.communicator for each in operations if each.name == "barrier"]
        assert used == ([0, 0, 2, 3, 4] if rank % 2 else [0, 0, 2, 3])  # 1 is MPI_COMM_SELF
    replay(made.file, 4, tmp_path / "run")


@needs_mpi
@pytest.mark.full
def test_the_command_tells_how_to_replay(built: Path, cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "pp"
    command = [*MPIRUN, "2", str(built / "ping_pong")]
    ended = cli("capture", "--out", str(out), "--name", "small", "--", *command)
    assert ended.status == 0, ended.err
    assert f"{out / 'small.operations'}: 2 ranks, " in ended.out
    assert f'workload = {{ kind = "operations", path = "{out / "small.operations"}" }}' in ended.out
    again = cli("capture", "--out", str(out), "--name", "small", "--", *command)
    assert again.status == 2
    assert "small.operations: exists; name another --out, or add --overwrite" in again.err


THREADS = """
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>
static void *other(void *none) {
    MPI_Recv(NULL, 0, MPI_INT, 0, 5, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    return none;
}
int main(int argc, char **argv) {
    int provided;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    pthread_create(&thread, NULL, other, NULL);
    for (;;) { MPI_Barrier(MPI_COMM_WORLD); usleep(1000); }
}
"""


@needs_mpi
@pytest.mark.full
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (THREADS, "several threads of the rank are in MPI calls at the same time"),
        (
            "int main(void) { return 3; }",
            "the program ended with status 3; a capture needs a complete run; no operation file is",
        ),
        (
            "int main(void) { return 0; }",
            "no rank called MPI_Init; the program makes no MPI calls",
        ),
        (
            "#include <mpi.h>\n#include <stdlib.h>\n"
            "int main(int a, char **b) { MPI_Init(&a, &b); MPI_Abort(MPI_COMM_WORLD, 4); }",
            "MPI_Abort: the program ended with MPI_Abort",
        ),
    ],
)
def test_what_a_capture_cannot_follow_is_refused(text: str, message: str, tmp_path: Path) -> None:
    source, program = tmp_path / "program.c", tmp_path / "program"
    source.write_text(text)
    subprocess.run(["mpicc", "-pthread", "-o", program, source], check=True)
    with pytest.raises(UsageError) as raised:
        capture([*MPIRUN, "2", str(program)], tmp_path / "out")
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


MPI4PY = """
from mpi4py import MPI
world = MPI.COMM_WORLD
rank, size = world.rank, world.size
other = world.sendrecv({"rank": rank}, dest=(rank + 1) % size, source=(rank - 1) % size)
assert other["rank"] == (rank - 1) % size
if rank == 0:
    world.send(list(range(100)), dest=1, tag=5)
elif rank == 1:
    world.recv(source=MPI.ANY_SOURCE, tag=MPI.ANY_TAG)
half = world.Split(rank % 2)
half.Allreduce([bytearray(8), MPI.DOUBLE], [bytearray(8), MPI.DOUBLE])
half.Free()
"""


@needs_mpi
@pytest.mark.full
def test_programs_of_mpi4py_are_captured(tmp_path: Path) -> None:
    python = os.environ.get("PANTALA_MPI4PY", sys.executable)
    tried = subprocess.run([python, "-c", "import mpi4py"], capture_output=True, check=False)
    if tried.returncode != 0:
        pytest.skip("mpi4py is not installed; PANTALA_MPI4PY names a Python that has it")
    program = tmp_path / "program.py"
    program.write_text(MPI4PY)
    (made,) = capture([*MPIRUN, "4", python, str(program)], tmp_path / "out")
    ranks = [[each.name for each in rank] for rank in operations_of(made.file)]
    assert all(names.count("comm_split") == 1 for names in ranks)
    assert all(names.count("allreduce") == 1 for names in ranks)
    received = [each for each in operations_of(made.file)[1] if each.name in {"probe", "recv"}]
    assert [each.peer for each in received if each.tag == 5] == [0, 0]


def script(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_without_a_compiler_the_error_names_the_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MPICC", "mpicc-of-nobody")
    with pytest.raises(UsageError, match="install an MPI library with its compiler"):
        capture(["true"], tmp_path / "out")


def test_the_library_is_built_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "log"
    build = f'[ "$1" = -show ] && exit\necho built >> {log}\nfor last; do\n  case $before in -o)'
    build += ' touch "$last";; esac\n  before=$last\ndone'
    monkeypatch.setenv("MPICC", str(script(tmp_path / "mpicc", build)))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("pantala.capture.run.why_not_loaded", lambda library: None)
    for _ in range(2):
        with pytest.raises(UsageError, match="no rank called MPI_Init"):
            capture(["true"], tmp_path / "out")
    assert log.read_text() == "built\n"


def test_a_compiler_that_fails_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "echo first >&2; echo 'mpi.h: error: no such file' >&2; exit 1"
    monkeypatch.setenv("MPICC", str(script(tmp_path / "mpicc", text)))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with pytest.raises(UsageError, match=r"does not compile: mpi\.h: error: no such file"):
        capture(["true"], tmp_path / "out")


def test_a_command_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="mpirum: the command does not exist"):
        capture(["mpirum", "-n", "2", "x"], tmp_path / "out")


def test_the_folder_of_a_capture_cannot_be_a_file(tmp_path: Path) -> None:
    out = tmp_path / "app"
    out.write_text("the program itself")
    with pytest.raises(UsageError, match="app: is a file, not a folder; name another --out"):
        capture(["true"], out)
