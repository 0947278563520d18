"""A capture notices each call of MPI that its wrappers do not see."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from operation_files import operations_of
from pantala import capture as capture_package
from pantala.capture import built_library, capture
from pantala.errors import UsageError
from small_mpi import MPIRUN, compiled, needs_mpi

LIBRARY = Path(capture_package.__file__).with_name("library")
#: Functions without effect on other ranks, and those that only make or read handles.
LOCAL = re.compile(
    r"MPI_T_\w+|MPIX?_Query_\w+|MPI_\w*(f2c|c2f|f082f|f2f08|errhandler|keyval|_attr)|MPI_[A-Z_0-9]+"
    r"|MPI_(Type|Info|Group|Op|Get|Is|Add|Pack|Unpack|Status|Address|Attr|Buffer|Errhandler|Keyval"
    r"|Error|Grequest|Initialized|Finalized|Pcontrol|Query|Register|Wtime|Wtick|Free|Alloc|Dims"
    r"|Graphdims|Cartdim|Topo|Close|Open|Lookup|Publish|Unpublish)(_\w+)?"
    r"|MPI_Cart_(coords|get|map|rank|shift)|MPI_Graph_(get|map|neighbors|neighbors_count)"
    r"|MPI_Dist_graph_neighbors(_count)?|MPI_Reduce_local|MPI_Request_get_status"
    r"|MPI_Cancel|MPI_Test_cancelled|MPI_File_(get_\w+|seek)"
    r"|MPI_Comm_(compare|get_\w+|set_\w+|group|rank|size|remote_\w+|test_inter)"
    r"|MPI_Win_(get_\w+|set_\w+|shared_query|attach|detach|sync|flush\w*)"
)


def lists() -> dict[str, list[str]]:
    """Returns the lists of functions in ``calls.h``."""
    text = (LIBRARY / "calls.h").read_text()
    return {
        each[1]: re.findall(r"X\((\w+)", each[2])
        for each in re.finditer(r"#define (\w+)\(X\)((?:.*\\\n)*.*\n)", text)
    }


def exported(library: Path) -> set[str]:
    """Returns the functions that a shared library has."""
    shown = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True,
                           check=True).stdout  # fmt: skip
    return {line.split()[-1] for line in shown.splitlines() if line.split()[-2] in "TWi"}


@needs_mpi
@pytest.mark.needs("ldd", "nm")
@pytest.mark.full
def test_every_function_of_the_library_is_followed_noticed_or_local() -> None:
    shown = subprocess.run(["ldd", built_library()], capture_output=True, text=True, check=True)
    (library,) = re.findall(r"libmpi\.so\S* => (\S+)", shown.stdout)
    functions = {name for name in exported(Path(library)) if re.match(r"MPIX?_", name)}
    assert len(functions) > 400
    covered = exported(built_library())
    unknown = {name for name in functions - covered if not LOCAL.fullmatch(name)}
    assert unknown == set()


ESCAPES = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    char name[200];
    MPI_Init(&argc, &argv);
    FILE *names = fopen(argv[1], "r");
    while (fscanf(names, "%199s", name) == 1) {
        int (*call)(long, long, long, long) = dlsym(RTLD_DEFAULT, name);
        call(0, 0, 0, 0);
        call(0, 0, 0, 0);
    }
    fclose(names);
    MPI_Finalize();
}
"""


@needs_mpi
@pytest.mark.full
def test_every_symbol_that_escapes_the_wrappers_is_counted(tmp_path: Path) -> None:
    guarded = exported(built_library())
    found = lists()
    wrapped = ("FOLLOWED", "FOLLOWED_NEW", "FOLLOWED_LARGE", "COURSES", "PERSISTENT")
    followed = {name for names in wrapped for name in found[names]}
    stopping = {"Init", "Init_thread", "Finalize"}
    expected: dict[str, int] = {}
    symbols = []
    for name in {each for names in found.values() for each in names} - stopping:
        for symbol in (f"MPI_{name}", f"PMPI_{name}", f"MPIX_{name}", f"PMPIX_{name}"):
            if symbol in guarded and name not in followed:  # those have wrappers
                expected[symbol] = 2
                symbols.append(symbol)
        for prefix in ("mpi", "pmpi"):
            low, high = f"{prefix}_{name.lower()}", f"{prefix}_{name}".upper()
            spellings = [low, f"{low}_", f"{low}__", high]
            modules = [f"{low}_f08_", f"{low}_f08ts_"]
            if high in guarded:
                assert guarded >= {*spellings, *modules}
                expected[high] = 2 * len(spellings)
                expected[f"{high} (mpi_f08)"] = 2 * len(modules)
                symbols += spellings + modules
    assert len(symbols) > 1500
    stub = tmp_path / "stub.c"
    stub.write_text("".join(f"long {symbol}(void) {{ return 0; }}\n" for symbol in symbols))
    compiled(stub, tmp_path / "stub.so", "-shared", "-fPIC")
    (tmp_path / "names").write_text("\n".join(symbols))
    source = tmp_path / "escapes.c"
    source.write_text(ESCAPES)
    program = compiled(source, tmp_path / "escapes", "-ldl")
    # Without the command, which stops a program at its first such call.
    loaded = f"LD_PRELOAD={built_library()}:{tmp_path / 'stub.so'}"
    command = [*MPIRUN, "1", "-x", loaded, "-x", f"PANTALA_CAPTURE_DIR={tmp_path}"]
    subprocess.run([*command, program, tmp_path / "names"], check=True)
    counted: dict[str, int] = {}
    for line in (tmp_path / "job-00000" / "rank-000000.note").read_text().splitlines():
        kind, call, number, *_ = line.split(": ")
        if kind != "refused":
            counted[call] = counted.get(call, 0) + int(number)
    assert counted == expected


BODY = """
#include <mpi.h>
#include <mpi-ext.h>
int main(int argc, char **argv) {
    int data[8] = {0}, rank;
    MPI_Comm made;
    MPI_Win window;
    MPI_File file;
    START
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    CALLS
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}
"""
START = "MPI_Init(&argc, &argv);"


@needs_mpi
@pytest.mark.full
@pytest.mark.parametrize(
    ("start", "calls", "message"),
    [
        (
            START,
            "MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);"
            "MPI_Comm_join(-1, &made); MPI_Comm_join(-1, &made);",
            "MPI_Comm_join: a capture does not follow processes that join during the run (all"
            " ranks: 4 MPI_Comm_join)",
        ),
        (
            START,
            "MPI_Comm half; MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &half);"
            "MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank, 5, &made);"
            "MPI_Bcast(data, 8, MPI_INT, rank ? 0 : MPI_ROOT, made);",
            "MPI_Bcast: a capture does not follow collectives of intercommunicators but barriers",
        ),
    ],
)
def test_a_call_without_a_wrapper_is_refused(
    start: str, calls: str, message: str, tmp_path: Path
) -> None:
    source = tmp_path / "main.c"
    source.write_text(BODY.replace("START", start).replace("CALLS", calls))
    program = compiled(source, tmp_path / "main")
    out = tmp_path / "out"
    with pytest.raises(UsageError) as raised:
        capture([*MPIRUN, "2", str(program)], out)
    assert f"capture: rank 0: {message}" in str(raised.value)
    assert [path.name for path in out.iterdir()] == ["out.unfinished"]


@needs_mpi
@pytest.mark.full
def test_calls_that_are_left_out_are_counted(tmp_path: Path) -> None:
    written = tmp_path / "written"
    calls = (
        "MPI_Win_create(data, sizeof data, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &window);"
        "MPI_Win_lock_all(0, window);"
        "for (int i = 0; i < 5; i++) MPI_Put(&rank, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, window);"
        "MPI_Win_unlock_all(window); MPI_Win_free(&window);"
        f'MPI_File_open(MPI_COMM_WORLD, "{written}", MPI_MODE_CREATE | MPI_MODE_WRONLY,'
        " MPI_INFO_NULL, &file);"
        "MPI_File_write_at_all(file, 4 * rank, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);"
        "MPI_File_close(&file);"
    )
    source = tmp_path / "main.c"
    source.write_text(BODY.replace("START", START).replace("CALLS", calls))
    program = compiled(source, tmp_path / "main")
    (made,) = capture([*MPIRUN, "2", str(program)], tmp_path / "out")
    assert made.notes == (
        "a capture counts the files of MPI as computing; a replay lacks their traffic: 2"
        " MPI_File_close, 2 MPI_File_open, 2 MPI_File_write_at_all (2 of 2 ranks)",
        "a capture leaves out one-sided communication under a lock; a replay lacks its traffic: 10"
        " MPI_Put (2 of 2 ranks)",
    )
    assert written.stat().st_size == 8


@needs_mpi
@pytest.mark.full
@pytest.mark.parametrize("start", [START, "PMPI_Init(&argc, &argv);"])
def test_a_tool_inside_the_program_does_not_hide_calls(start: str, tmp_path: Path) -> None:
    # A profiling library that is linked into the program comes before the capture library.
    source = tmp_path / "main.c"
    own = "#include <mpi.h>\nint MPI_Barrier(MPI_Comm comm) { return PMPI_Barrier(comm); }\n"
    calls = "PMPI_Bcast(data, 8, MPI_INT, 0, MPI_COMM_WORLD);"
    source.write_text(own + BODY.replace("START", start).replace("CALLS", calls))
    program = compiled(source, tmp_path / "main", "-rdynamic")
    (made,) = capture([*MPIRUN, "2", str(program)], tmp_path / "out")
    for rank in operations_of(made.file):
        assert [each.name for each in rank if each.name != "compute"] == ["bcast", "barrier"]
