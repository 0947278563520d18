"""The command of a capture: launchers, scripts, refusals at once, salvage and recorded parts."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from operation_files import Operation, iterations_of, operations_of
from pantala.capture import capture, salvage
from pantala.capture.launchers import stand_ins
from pantala.errors import UsageError
from pantala.system.process_marks import this_machine
from small_mpi import MPIRUN, compiled, needs_mpi, replay
from support import Ended

Cli = Callable[..., Ended]

PROGRAM = """
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
HELP
int main(int argc, char **argv) {
    int rank, ranks, data[64] = {0}, flag;
    MPI_Request request, other;
    MPI_Comm made;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
    BODY
    MPI_Finalize();
}
"""
RING = (
    "MPI_Sendrecv(data, 8, MPI_INT, next, 3, data + 8, 8, MPI_INT, last, 3, MPI_COMM_WORLD,"
    " MPI_STATUS_IGNORE);"
)


def program(folder: Path, body: str, help_text: str = "", name: str = "program") -> str:
    source = folder / f"{name}.c"
    source.write_text(PROGRAM.replace("BODY", body).replace("HELP", help_text))
    return str(compiled(source, folder / name, "-pthread"))


def names(operations: list[Operation]) -> list[str]:
    return [each.name for each in operations if each.name != "compute"]


@needs_mpi
@pytest.mark.full
def test_the_options_of_the_user_reach_the_launcher(tmp_path: Path) -> None:
    body = 'if (strcmp(getenv("COLOUR"), "blue") || getenv("MINE") == NULL) return 1;' + RING
    binary = program(tmp_path, body)
    command = [*MPIRUN, "2", "-x", "COLOUR=blue", "-x", "MINE", binary]
    script = tmp_path / "script.sh"
    script.write_text(f"MINE=1 {' '.join(command)}\n")
    (made,) = capture(["sh", str(script)], tmp_path / "out")
    assert [names(rank) for rank in operations_of(made.file)] == [
        ["sendrecv_to", "sendrecv_from"]
    ] * 2


@needs_mpi
@pytest.mark.full
def test_each_program_of_a_script_gets_a_file(tmp_path: Path) -> None:
    first = program(tmp_path, RING, name="first")
    second = program(tmp_path, "MPI_Barrier(MPI_COMM_WORLD);", name="second")
    script = tmp_path / "script.sh"
    run = " ".join(MPIRUN)
    script.write_text(f"set -e\n{run} 2 {first}\n{run} 3 {second}\n{second}\n")
    made = capture(["sh", str(script)], tmp_path / "out", keep=True)
    assert [each.file.name for each in made] == [f"out-{n}.operations" for n in (1, 2, 3)]
    assert [each.ranks for each in made] == [2, 3, 1]
    assert names(operations_of(made[0].file)[1]) == ["sendrecv_to", "sendrecv_from"]
    assert [names(rank) for rank in operations_of(made[1].file)] == [["barrier"]] * 3
    kept = sorted(path.name for path in (tmp_path / "out" / "out.ranks").iterdir())
    assert kept == ["job-00000", "job-00001", "job-00002"]


@needs_mpi
@pytest.mark.full
@pytest.mark.parametrize("in_script", [False, True])
def test_a_program_stops_at_the_first_call_that_is_refused(in_script: bool, tmp_path: Path) -> None:
    body = (
        f"{RING} MPI_Barrier(MPI_COMM_WORLD);"
        "MPI_Comm half; MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &half);"
        "MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN); MPI_Comm_join(-1, &half);"
        "for (;;) pause();"
    )
    command = [*MPIRUN, "2", program(tmp_path, body)]
    if in_script:
        (tmp_path / "script.sh").write_text(f"{' '.join(command)}\ntouch {tmp_path / 'after'}\n")
        command = ["sh", str(tmp_path / "script.sh")]
    out = tmp_path / "out"
    with pytest.raises(UsageError, match="MPI_Comm_join: a capture does not follow") as raised:
        capture(command, out)
    assert f"pantala capture salvage {out} makes one" in str(raised.value)
    assert not (tmp_path / "after").exists()
    (made,) = salvage(out)
    expected = ["sendrecv_to", "sendrecv_from", "barrier", "comm_split"]
    assert [names(rank) for rank in operations_of(made.file)] == [expected] * 2
    assert made.notes[0].startswith(
        "the program was cut off: the operations end after collective 2"
    )
    assert [path.name for path in out.iterdir()] == ["out.operations"]


KILLED = (
    f"for (int turn = 0; turn < 5; turn++) {{ {RING}"
    "  MPI_Allgatherv(data, 1, MPI_INT, data + 8, (int[]){1, 1, 1}, (int[]){0, 1, 2}, MPI_INT,"
    "                 MPI_COMM_WORLD); }"
    "MPI_Request sum;"
    "MPI_Iallreduce(data, data + 8, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &sum);"
    "MPI_Isend(data, 4, MPI_INT, next, 9, MPI_COMM_WORLD, &request);"
    "MPI_Irecv(data, 4, MPI_INT, last, 8, MPI_COMM_WORLD, &other);"
    "MPI_Barrier(MPI_COMM_WORLD);"
    "MPI_Wait(&sum, MPI_STATUS_IGNORE);"
    "if (rank == 1) { sleep(1); kill(getpid(), 9); }"
    "MPI_Barrier(MPI_COMM_WORLD);"
)


@needs_mpi
@pytest.mark.full
def test_a_killed_program_is_cut_at_the_last_point_of_all_ranks(cli: Cli, tmp_path: Path) -> None:
    binary = program(tmp_path, KILLED, "#include <signal.h>")
    out = tmp_path / "out"
    ended = cli("capture", "--out", str(out), "--", *MPIRUN, "3", binary)
    assert ended.status == 2
    assert "pantala capture salvage" in ended.err
    ended = cli("capture", "salvage", str(out))
    assert ended.status == 0, ended.err
    assert "collective 6 of all ranks (of 6" in ended.err
    assert "3 messages that no rank receives are left out: 1 from rank" in ended.err
    assert "3 receives without a message are left out" in ended.err
    for rank in operations_of(out / "out.operations"):
        turn = ["sendrecv_to", "sendrecv_from", "allgatherv"]
        assert names(rank) == [*turn * 5, "allreduce", "barrier", "waitall"]
    replay(out / "out.operations", 3, tmp_path / "run")
    again = cli("capture", "salvage", str(out))
    assert (again.status, again.err) == (2, f"{out}: has no unfinished capture named out; nothing"
                                            " to salvage\n")  # fmt: skip


@needs_mpi
@pytest.mark.full
def test_files_of_two_runs_are_not_put_together(tmp_path: Path) -> None:
    binary = program(tmp_path, f"{RING} MPI_Barrier(MPI_COMM_WORLD); exit(3);")
    for out in ("first", "second"):
        with pytest.raises(UsageError, match="ended with status 3"):
            capture([*MPIRUN, "2", binary], tmp_path / out)
    rank = Path("job-00000") / "rank-000001.operations"
    one, two = (tmp_path / name / f"{name}.unfinished" for name in ("first", "second"))
    shutil.copy(two / rank, one / rank)
    with pytest.raises(UsageError, match=r"rank-000001\.operations: is of another job than rank-0"):
        salvage(tmp_path / "first")
    (two / rank).write_bytes(b"x" * 100)
    with pytest.raises(UsageError, match=r"rank-000001\.operations: is no file of a rank"):
        salvage(tmp_path / "second")
    (two / rank).unlink()
    with pytest.raises(UsageError, match="rank 1 of 2 left no file"):
        salvage(tmp_path / "second")


REGION = (
    f"MPI_Comm_dup(MPI_COMM_WORLD, &made);"
    "MPI_Send_init(data, 5, MPI_INT, next, 4, made, &request);"
    "MPI_Recv_init(data + 8, 5, MPI_INT, last, 4, made, &other);"
    f"for (int turn = 0; turn < 4; turn++) {{ MPI_Pcontrol(1); {RING}"
    "  MPI_Start(&other); MPI_Start(&request);"
    "  MPI_Wait(&request, MPI_STATUS_IGNORE); MPI_Wait(&other, MPI_STATUS_IGNORE);"
    "  MPI_Barrier(MPI_COMM_WORLD); }"
    "MPI_Pcontrol(0);"
)
TURN = ["sendrecv_to", "sendrecv_from", "start", "start", "wait", "wait"]


@needs_mpi
@pytest.mark.full
@pytest.mark.parametrize(
    ("start", "end", "turns"),
    [("barrier:1", "barrier:3", 2), ("barrier", None, 3), ("pcontrol:2", "pcontrol:4", 2),
     (None, "barrier:2", 2), (None, None, 4)],
)  # fmt: skip
def test_a_part_of_a_program_is_recorded(
    start: str | None, end: str | None, turns: int, tmp_path: Path
) -> None:
    binary = program(tmp_path, REGION)
    (made,) = capture([*MPIRUN, "3", binary], tmp_path / "out", clock="cpu", start=start, end=end)
    assert made.notes == ()
    for rank in operations_of(made.file):
        found = Counter(names(rank))
        first = ["comm_dup"] if start is None else ["comm_join"]
        assert names(rank)[:1] == first
        assert sorted(names(rank)[1:3]) == ["recv_init", "send_init"]
        for name in ("sendrecv_to", "barrier"):
            assert found[name] == turns
        assert found["start"] == found["wait"] == 2 * turns
    marks = {"iteration_start": turns, "iteration_end": turns}
    assert iterations_of(made.file) == [marks] * 3
    replay(made.file, 3, tmp_path / "run")


MADE_OUTSIDE = (
    "for (int turn = 0; turn < 5; turn++) {"
    "  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &made);"
    "  if (turn != 3) MPI_Comm_free(&made); }"
    "MPI_Comm kept = made; MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &kept);"
    "MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &made); MPI_Comm_free(&made);"
    "MPI_Barrier(MPI_COMM_WORLD); MPI_Bcast(data, 2, MPI_INT, 0, kept);"
    "MPI_Barrier(MPI_COMM_WORLD);"
    "MPI_Comm_dup(kept, &made); MPI_Barrier(made);"
)


@needs_mpi
@pytest.mark.full
def test_a_part_has_the_communicators_that_the_program_has_there(tmp_path: Path) -> None:
    binary = program(tmp_path, MADE_OUTSIDE)
    out = tmp_path / "out"
    (made,) = capture([*MPIRUN, "3", binary], out, clock="cpu", start="barrier:1", end="barrier:2")
    for rank, operations in enumerate(operations_of(made.file)):
        calls = [(each.name, each.communicator) for each in operations if each.name != "compute"]
        # The split that was kept by mistake, then the reversed world; 1 is MPI_COMM_SELF.
        assert calls == [("comm_join", 0), ("comm_join", 0), ("bcast", 3), ("barrier", 0)]
        first, second = (each.second for each in operations if each.name == "comm_join")
        assert first == ((0, 2) if rank % 2 == 0 else (1,))
        assert second == (2, 1, 0)
    replay(made.file, 3, tmp_path / "run")


def test_a_launcher_that_is_named_by_its_path_is_the_one_that_starts(tmp_path: Path) -> None:
    launcher = tmp_path / "other" / "mpirun"
    launcher.parent.mkdir()
    launcher.write_text("#!/bin/sh\necho 'mpirun (Open MPI) 4.9'\n")
    launcher.chmod(0o755)
    stand_ins(tmp_path / "launchers", str(launcher))
    script = (tmp_path / "launchers" / "mpirun").read_text()
    assert f" {launcher} open_mpi " in script


def test_a_capture_that_runs_is_in_use(tmp_path: Path) -> None:
    unfinished = tmp_path / "out" / "out.unfinished"
    (unfinished / "job-00000").mkdir(parents=True)
    (unfinished / "owner").write_text(f"{this_machine()}~1")
    with pytest.raises(UsageError, match=r"process 1 of .* captures there; wait for its end"):
        salvage(tmp_path / "out")
    with pytest.raises(
        UsageError, match="no unfinished capture named app; name one with --name: out"
    ):
        salvage(tmp_path / "out", name="app")


@needs_mpi
@pytest.mark.full
def test_messages_across_the_border_of_a_part_are_left_out(tmp_path: Path) -> None:
    body = (
        "MPI_Isend(data, 4, MPI_INT, next, 6, MPI_COMM_WORLD, &request);"
        f"MPI_Barrier(MPI_COMM_WORLD); {RING}"
        "MPI_Recv(data, 4, MPI_INT, last, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);"
        "MPI_Wait(&request, MPI_STATUS_IGNORE);"
        "MPI_Irecv(data, 4, MPI_INT, last, 7, MPI_COMM_WORLD, &other);"
        "MPI_Barrier(MPI_COMM_WORLD);"
        "MPI_Send(data, 4, MPI_INT, next, 7, MPI_COMM_WORLD); MPI_Wait(&other, MPI_STATUS_IGNORE);"
    )
    (made,) = capture(
        [*MPIRUN, "2", program(tmp_path, body)], tmp_path / "out", clock="cpu", start="barrier:1",
        end="barrier:2",
    )  # fmt: skip
    for rank in operations_of(made.file):
        assert names(rank) == ["sendrecv_to", "sendrecv_from", "barrier"]
    assert made.notes[0].startswith("4 receives without a message are left out: 1 from rank")


@needs_mpi
@pytest.mark.full
def test_the_end_of_a_part_that_is_not_reached_is_an_error(tmp_path: Path) -> None:
    binary = program(tmp_path, REGION)
    with pytest.raises(UsageError, match=r"rank 0 did not reach the call of --to: it made 4 of"):
        capture([*MPIRUN, "2", binary], tmp_path / "out", start="barrier:1", end="barrier:9")
    with pytest.raises(UsageError, match=r"--to: barrier:1 is not after --from barrier:1; name a"):
        capture([*MPIRUN, "2", binary], tmp_path / "out", start="barrier", end="barrier")
    with pytest.raises(UsageError, match="call of --to comes before that of --from; name a later"):
        capture([*MPIRUN, "2", binary], tmp_path / "out", start="barrier:3", end="pcontrol:2")
    with pytest.raises(UsageError, match=r"--from: bcast:2 is no call; name barrier, allreduce"):
        capture([*MPIRUN, "2", binary], tmp_path / "out", start="bcast:2")


@needs_mpi
@pytest.mark.full
def test_requests_that_are_given_up_replay(tmp_path: Path) -> None:
    body = (
        "MPI_Isend(data, 4, MPI_INT, next, 6, MPI_COMM_WORLD, &request);"
        "MPI_Request_free(&request);"
        "MPI_Irecv(data + 8, 4, MPI_INT, last, 6, MPI_COMM_WORLD, &other);"
        "MPI_Request_free(&other); MPI_Barrier(MPI_COMM_WORLD);"
        "MPI_Irecv(data + 8, 4, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &other);"
        "MPI_Cancel(&other); MPI_Request_free(&other);"
        "MPI_Irecv(data + 8, 4, MPI_INT, last, 7, MPI_COMM_WORLD, &other);"
        "MPI_Isend(data, 4, MPI_INT, next, 8, MPI_COMM_WORLD, &request);"
        "MPI_Barrier(MPI_COMM_WORLD);"
    )
    (made,) = capture([*MPIRUN, "3", program(tmp_path, body)], tmp_path / "out", clock="cpu")
    for rank in operations_of(made.file):
        assert [name for name in names(rank) if name != "request_free"] == [
            "isend",
            "irecv",
            "barrier",
            "barrier",
        ]
    assert made.notes == (
        "3 messages that no rank receives are left out: 1 from rank 0 to rank 1 with tag 8, and 2"
        " other pairs",
        "3 receives without a message are left out: 1 from rank 2 to rank 0 with tag 7, and 2 other"
        " pairs",
    )
    replay(made.file, 3, tmp_path / "run")


WORKER = """
static void *work(void *none) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int turn = 0; turn < 3; turn++)
        MPI_Barrier(MPI_COMM_WORLD);
    return none;
}
"""


@needs_mpi
@pytest.mark.full
@pytest.mark.parametrize("clock", ["cpu", "wall"])
def test_one_thread_at_a_time_may_call(clock: str, tmp_path: Path) -> None:
    body = (
        "pthread_t thread; MPI_Barrier(MPI_COMM_WORLD);"
        "pthread_create(&thread, NULL, work, NULL); pthread_join(thread, NULL);"
    )
    binary = program(tmp_path, body + RING, WORKER)
    source = (tmp_path / "program.c").read_text()
    start = "MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &flag)"
    (tmp_path / "program.c").write_text(source.replace("MPI_Init(&argc, &argv)", start))
    compiled(tmp_path / "program.c", Path(binary), "-pthread")
    (made,) = capture([*MPIRUN, "2", binary], tmp_path / "out", clock=clock)  # type: ignore[arg-type]
    for rank in operations_of(made.file):
        assert names(rank) == ["barrier"] * 4 + ["sendrecv_to", "sendrecv_from"]


@pytest.mark.needs("cc")
def test_a_shared_library_is_no_static_program(tmp_path: Path) -> None:
    from pantala.capture.reasons import is_static

    source = tmp_path / "main.c"
    source.write_text("int main(void) { return 0; }")
    expected = {"": False, "-shared": False, "-static": True, "-static-pie": True}
    for option, static in expected.items():
        out = tmp_path / f"main{option}"
        subprocess.run(["cc", *option.split(), "-fPIC", "-o", out, source], check=True)
        assert is_static(out) == static, option


@needs_mpi
@pytest.mark.full
def test_a_static_program_is_named(tmp_path: Path) -> None:
    source = tmp_path / "static.c"
    source.write_text("int main(void) { return 0; }")
    subprocess.run(["cc", "-static", "-o", tmp_path / "static", source], check=True)
    with pytest.raises(
        UsageError, match="static is linked statically, so no library stands before"
    ):
        capture([*MPIRUN, "1", str(tmp_path / "static")], tmp_path / "out")


@needs_mpi
@pytest.mark.full
def test_a_good_capture_is_replaced_by_a_complete_one_only(tmp_path: Path) -> None:
    good = program(tmp_path, RING, name="good")
    bad = program(tmp_path, f"{RING} exit(3);", name="bad")
    (made,) = capture([*MPIRUN, "2", good], tmp_path / "out", name="app", keep=True)
    before = made.file.read_bytes()
    with pytest.raises(UsageError, match="ended with status 3"):
        capture([*MPIRUN, "2", bad], tmp_path / "out", name="app", overwrite=True, keep=True)
    assert made.file.read_bytes() == before
    assert (tmp_path / "out" / "app.ranks" / "job-00000" / "rank-000001.operations").exists()


@needs_mpi
@pytest.mark.needs("mpicc.mpich", "mpirun.mpich")
@pytest.mark.full
def test_a_program_of_another_library_is_recognised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "ring.c"
    source.write_text(PROGRAM.replace("BODY", RING).replace("HELP", ""))
    binary = tmp_path / "ring"
    subprocess.run(["mpicc.mpich", "-pthread", "-o", binary, source], check=True)
    with pytest.raises(
        UsageError, match=r"libmpi(ch)?\S*, and the capture library is built for anoth"
    ):
        capture([*MPIRUN, "2", str(binary)], tmp_path / "out")
    with pytest.raises(
        UsageError, match=r"mpirun\.mpich: starts programs of MPICH, and the MPI com"
    ):
        capture(["mpirun.mpich", "-n", "2", str(binary)], tmp_path / "out")
    monkeypatch.setenv("MPICC", "mpicc.mpich")
    (made,) = capture(["mpirun.mpich", "-n", "2", str(binary)], tmp_path / "out")
    assert names(operations_of(made.file)[1]) == ["sendrecv_to", "sendrecv_from"]


@needs_mpi
@pytest.mark.needs("mpicc.mpich", "mpicc_abi", "mpirun.mpich")
@pytest.mark.full
def test_a_program_with_the_abi_of_mpi_is_recognised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MPICC", "mpicc.mpich")
    source = tmp_path / "ring.c"
    source.write_text(PROGRAM.replace("BODY", RING).replace("HELP", ""))
    binary = tmp_path / "ring"
    subprocess.run(["mpicc_abi", "-pthread", "-o", binary, source], check=True)
    command = ["mpirun.mpich", "-n", "2", str(binary)]
    with pytest.raises(
        UsageError, match=r"libmpi_abi\S*, and the capture library is built for anoth"
    ):
        capture(command, tmp_path / "out")
    monkeypatch.setenv("MPICC", "mpicc_abi")
    (made,) = capture(command, tmp_path / "out")
    assert names(operations_of(made.file)[1]) == ["sendrecv_to", "sendrecv_from"]


@needs_mpi
@pytest.mark.needs("mpicc.mpich", "mpirun.mpich")
@pytest.mark.full
def test_a_rank_that_ends_without_finalize_can_be_salvaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MPICC", "mpicc.mpich")
    source = tmp_path / "ended.c"
    body = f"{RING} MPI_Barrier(MPI_COMM_WORLD); _exit(0);"
    source.write_text(PROGRAM.replace("BODY", body).replace("HELP", ""))
    binary = tmp_path / "ended"
    subprocess.run(["mpicc.mpich", "-pthread", "-o", binary, source], check=True)
    out = tmp_path / "out"
    with pytest.raises(UsageError) as raised:
        capture(["mpirun.mpich", "-n", "2", str(binary)], out)
    assert "did not reach MPI_Finalize; a capture needs a complete run; no" in str(raised.value)
    assert f"pantala capture salvage {out} makes one" in str(raised.value)
    (made,) = salvage(out)
    assert names(operations_of(made.file)[1]) == ["sendrecv_to", "sendrecv_from", "barrier"]


def test_a_python_without_mpi4py_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pantala.capture.reasons import why_no_rank

    script = tmp_path / "python3"
    script.write_text("#!/bin/sh\nexit 1\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert why_no_rank(["mpirun", "-n", "2", "python3", "train.py"]) == (
        "python3 has no mpi4py; install it there: python3 -m pip install mpi4py"
    )
    assert why_no_rank(["no-such-program"]) is None


#: What srun hands on in these tests.
NAMED = "LD_PRELOAD=lib,PANTALA_CAPTURE_DIR"


@pytest.mark.parametrize(
    ("kind", "words", "environment", "expected", "loaded"),
    [
        ("open_mpi", ["-n", "2", "app"], {},
         ["-x", "LD_PRELOAD=lib", "-x", "PANTALA_CAPTURE_DIR=out", "-n", "2", "app"], None),
        ("open_mpi", ["-x", "A", "-x", "LD_PRELOAD=own", "app"], {},
         ["-x", "LD_PRELOAD=lib:own", "-x", "PANTALA_CAPTURE_DIR=out", "-x", "A", "app"], None),
        ("open_mpi", ["app"], {"OMPI_MCA_mca_base_env_list": "A=1"}, ["app"], None),
        ("open_mpi", ["--mca", "mca_base_env_list", "A=1", "app"], {},
         ["--mca", "mca_base_env_list", "A=1;LD_PRELOAD=lib;PANTALA_CAPTURE_DIR=out", "app"], None),
        ("open_mpi", ["app"], {"LD_PRELOAD": "lib:own"},
         ["-x", "LD_PRELOAD=lib:own", "-x", "PANTALA_CAPTURE_DIR=out", "app"], "own"),
        ("hydra", ["-n", "2", "app"], {}, ["-genv", "LD_PRELOAD", "lib", "-genv",
                                          "PANTALA_CAPTURE_DIR", "out", "-n", "2", "app"], None),
        *(
            ("slurm", words, environment, expected, None)
            for words, environment, expected in [
                (["app"], {}, [f"--export=ALL,{NAMED}", "app"]),
                (["--export=A,B", "app"], {}, [f"--export=A,B,{NAMED}", "app"]),
                (["--export=NONE", "app"], {}, [f"--export={NAMED}", "app"]),
                (["--export", "NIL", "-n2", "app"], {}, [f"--export={NAMED}", "-n2", "app"]),
                (["app"], {"SLURM_EXPORT_ENV": "NONE"}, [f"--export={NAMED}", "app"]),
                (["app"], {"SLURM_EXPORT_ENV": "A"}, [f"--export=A,{NAMED}", "app"]),
                (["-n", "4", "-l", "app", "--export=B"], {},
                 [f"--export=ALL,{NAMED}", "-n", "4", "-l", "app", "--export=B"]),
                (["-lN", "1", "--label", "--mpi", "pmix", "app", "--export", "B"], {},
                 [f"--export=ALL,{NAMED}", "-lN", "1", "--label", "--mpi", "pmix", "app",
                  "--export", "B"]),
                (["-n1", "a", ":", "--export=A", "b"], {},
                 [f"--export=ALL,{NAMED}", "-n1", "a", ":", f"--export=A,{NAMED}", "b"]),
            ]
        ),
    ],
)  # fmt: skip
def test_a_launcher_hands_the_library_to_its_ranks(
    kind: str,
    words: list[str],
    environment: dict[str, str],
    expected: list[str],
    loaded: str | None,
) -> None:
    from pantala.capture.launcher import handed

    given = {"LD_PRELOAD": "lib", "PANTALA_CAPTURE_LIBRARY": "lib", "PANTALA_CAPTURE_DIR": "out"}
    arguments, before = handed(kind, words, given | environment)
    assert arguments == expected
    assert before.get("LD_PRELOAD") == loaded
    if "OMPI_MCA_mca_base_env_list" in environment:
        assert before["OMPI_MCA_mca_base_env_list"] == (
            "A=1;LD_PRELOAD=lib;PANTALA_CAPTURE_DIR=out"
        )
    json.dumps(before)


LARGE = """
    MPI_Sendrecv_c(data, 8, MPI_INT, next, 3, data + 8, 8, MPI_INT, last, 3, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    MPI_Irecv_c(data, 2, MPI_INT, last, 4, MPI_COMM_WORLD, &request);
    MPI_Send_c(data, 2, MPI_INT, next, 4, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Allreduce_c(MPI_IN_PLACE, data, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Count counts[2] = {1, 2};
    MPI_Aint places[2] = {0, 1};
    MPI_Iallgatherv_c(data, rank + 1, MPI_INT, data + 8, counts, places, MPI_INT, MPI_COMM_WORLD,
                      &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
"""


@needs_mpi
@pytest.mark.needs("mpicc.mpich", "mpirun.mpich")
@pytest.mark.full
def test_counts_of_64_bits_are_captured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPICC", "mpicc.mpich")
    source = tmp_path / "large.c"
    source.write_text(PROGRAM.replace("BODY", LARGE).replace("HELP", ""))
    binary = tmp_path / "large"
    subprocess.run(["mpicc.mpich", "-pthread", "-o", binary, source], check=True)
    (made,) = capture(["mpirun.mpich", "-n", "2", str(binary)], tmp_path / "out", clock="cpu")
    for rank in operations_of(made.file):
        calls = [(each.name, each.first) for each in rank if each.name not in {"compute", "wait"}]
        assert calls == [
            ("sendrecv_to", 32),
            ("sendrecv_from", 32),
            ("irecv", 8),
            ("send", 8),
            ("allreduce", 12),
            ("allgatherv", 0),
        ]
        (lists,) = (each.second for each in rank if each.name == "allgatherv")
        assert lists == (4, 8)
