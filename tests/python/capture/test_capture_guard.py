"""A capture notices each call of MPI that its wrappers do not see."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

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
    r"|MPI_Win_(get_\w+|set_\w+|shared_query)"
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
def test_every_symbol_that_escapes_the_wrappers_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    guarded = exported(built_library())
    found = lists()
    followed = set(found["FOLLOWED"]) | set(found["COURSES"])
    stopping = {"Init", "Init_thread", "Finalize"}
    expected: dict[str, int] = {}
    symbols = []
    for name in {each for names in found.values() for each in names} - stopping:
        for symbol in (f"MPI_{name}", f"PMPI_{name}", f"MPIX_{name}", f"PMPIX_{name}"):
            if symbol in guarded and not (name in followed and symbol[0] == "M"):
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
    monkeypatch.setenv("LD_PRELOAD", str(tmp_path / "stub.so"))
    out = tmp_path / "out"
    with pytest.raises(UsageError, match="no operation file is written"):
        capture([*MPIRUN, "1", str(program), str(tmp_path / "names")], out, keep=True)
    monkeypatch.delenv("LD_PRELOAD")
    counted: dict[str, int] = {}
    for line in (out / "rank-000000.note").read_text().splitlines():
        kind, call, number, *_ = line.split(": ")
        if kind != "refused":
            counted[call] = counted.get(call, 0) + int(number)
    assert counted == expected
    assert not list(out.glob("*.operations"))


CALLS_A_LIBRARY = """
#include <mpi.h>
void traffic_(void);
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    traffic_();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}
"""
LOADS_A_LIBRARY = """
#include <dlfcn.h>
#include <mpi.h>
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    void (*traffic)(void) = dlsym(dlopen(argv[1], RTLD_NOW | RTLD_LOCAL), "traffic_");
    traffic();
    MPI_Finalize();
}
"""
TRAFFIC = """subroutine traffic() bind(c, name="traffic_")
  BINDING
  integer :: rank, error
  real(8) :: from(100), to(100)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Allreduce(from, to, 100, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  if (rank == 0) call MPI_Send(from, 100, MPI_DOUBLE_PRECISION, 1, 7, MPI_COMM_WORLD, error)
  if (rank == 1) call MPI_Recv(to, 100, MPI_DOUBLE_PRECISION, 0, 7, MPI_COMM_WORLD, &
                               MPI_STATUS_IGNORE, error)
end subroutine
"""
ONLY_LOCAL = """subroutine traffic() bind(c, name="traffic_")
  use mpi
  integer :: rank, error
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
end subroutine
"""
needs_fortran = pytest.mark.needs("gfortran", "mpif90")


def fortran_library(folder: Path, text: str) -> Path:
    (folder / "traffic.f90").write_text(text)
    library = folder / "libtraffic.so"
    subprocess.run(["mpif90", "-fPIC", "-shared", "-o", library, folder / "traffic.f90"],
                   check=True, cwd=folder)  # fmt: skip
    return library


@needs_fortran
@needs_mpi
@pytest.mark.full
@pytest.mark.parametrize(
    ("binding", "shown"),
    [("include 'mpif.h'", ""), ("use mpi", ""), ("use mpi_f08", " (mpi_f08)")],
)
@pytest.mark.parametrize("loaded", [False, True])
def test_a_library_in_fortran_is_refused(
    binding: str, shown: str, loaded: bool, tmp_path: Path
) -> None:
    library = fortran_library(tmp_path, TRAFFIC.replace("BINDING", binding))
    source = tmp_path / "main.c"
    source.write_text(LOADS_A_LIBRARY if loaded else CALLS_A_LIBRARY)
    linked = ["-ldl"] if loaded else [str(library), f"-Wl,-rpath,{tmp_path}"]
    program = compiled(source, tmp_path / "main", *linked)
    out = tmp_path / "out"
    with pytest.raises(UsageError) as raised:
        capture([*MPIRUN, "2", str(program), str(library)], out)
    assert str(raised.value) == (
        f"capture: rank 0: MPI_ALLREDUCE{shown}: the call comes by a Fortran binding, and a capture"
        f" follows calls of C (all ranks: 2 MPI_ALLREDUCE{shown}, 1 MPI_RECV{shown}, 1"
        f" MPI_SEND{shown}); record an OTF2 trace of the program instead, e.g. with Score-P; no"
        " operation file is written"
    )
    assert list(out.iterdir()) == []


@needs_fortran
@needs_mpi
@pytest.mark.full
def test_a_library_in_fortran_that_sends_nothing_is_no_fault(tmp_path: Path) -> None:
    library = fortran_library(tmp_path, ONLY_LOCAL)
    source = tmp_path / "main.c"
    source.write_text(CALLS_A_LIBRARY)
    program = compiled(source, tmp_path / "main", str(library), f"-Wl,-rpath,{tmp_path}")
    made = capture([*MPIRUN, "2", str(program)], tmp_path / "out")
    assert made.notes == ()


@needs_fortran
@needs_mpi
@pytest.mark.full
def test_a_program_in_fortran_is_refused_by_its_first_call(tmp_path: Path) -> None:
    source = tmp_path / "main.f90"
    source.write_text(
        "use mpi\ncall MPI_Init(i)\ncall MPI_Barrier(MPI_COMM_WORLD, i)\n"
        "call MPI_Finalize(i)\nend\n"
    )
    subprocess.run(["mpif90", "-o", tmp_path / "main", source], check=True, cwd=tmp_path)
    out = tmp_path / "out"
    with pytest.raises(UsageError, match="rank 0: MPI_INIT: the call comes by a Fortran binding"):
        capture([*MPIRUN, "2", str(tmp_path / "main")], out)
    assert list(out.iterdir()) == []


BODY = """
#include <mpi.h>
#include <mpi-ext.h>
int main(int argc, char **argv) {
    int data[8] = {0}, rank;
    MPI_Request request;
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
            "PMPI_Bcast(data, 8, MPI_INT, 0, MPI_COMM_WORLD);",
            "PMPI_Bcast: the program calls it by its PMPI name, and a capture follows the MPI names"
            " (all ranks: 2 PMPI_Bcast); call the MPI name",
        ),
        ("PMPI_Init(&argc, &argv);", "", "PMPI_Init: the program calls it by its PMPI name"),
        (
            START,
            "MPIX_Bcast_init(data, 8, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);"
            "MPI_Start(&request); MPI_Wait(&request, MPI_STATUS_IGNORE);"
            "MPI_Request_free(&request);",
            "MPIX_Bcast_init: a capture does not follow persistent collectives (all ranks: 2",
        ),
        (
            START,
            "MPI_Comm half, both; MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &half);"
            "MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank, 5, &made);"
            "MPI_Intercomm_merge(made, 0, &both);",
            "MPI_Intercomm_create: a capture does not follow intercommunicators",
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
    assert list(out.iterdir()) == []


@needs_mpi
@pytest.mark.full
def test_calls_that_are_left_out_are_counted(tmp_path: Path) -> None:
    written = tmp_path / "written"
    calls = (
        "MPI_Win_create(data, sizeof data, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &window);"
        "MPI_Win_fence(0, window);"
        "for (int i = 0; i < 5; i++) MPI_Put(&rank, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, window);"
        "MPI_Win_fence(0, window); MPI_Win_free(&window);"
        f'MPI_File_open(MPI_COMM_WORLD, "{written}", MPI_MODE_CREATE | MPI_MODE_WRONLY,'
        " MPI_INFO_NULL, &file);"
        "MPI_File_write_at_all(file, 4 * rank, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);"
        "MPI_File_close(&file);"
    )
    source = tmp_path / "main.c"
    source.write_text(BODY.replace("START", START).replace("CALLS", calls))
    program = compiled(source, tmp_path / "main")
    made = capture([*MPIRUN, "2", str(program)], tmp_path / "out")
    assert made.notes == (
        "a capture counts the files of MPI as computing; a replay lacks their traffic: 2"
        " MPI_File_close, 2 MPI_File_open, 2 MPI_File_write_at_all (2 of 2 ranks)",
        "a capture leaves out one-sided communication; a replay lacks its traffic: 10 MPI_Put, 4"
        " MPI_Win_fence, 2 MPI_Win_create, 2 MPI_Win_free (2 of 2 ranks)",
    )
    assert written.stat().st_size == 8


@needs_mpi
@pytest.mark.full
def test_a_tool_inside_the_program_does_not_hide_calls(tmp_path: Path) -> None:
    # A profiling library that is linked into the program comes before the capture library.
    source = tmp_path / "main.c"
    own = "#include <mpi.h>\nint MPI_Barrier(MPI_Comm comm) { return PMPI_Barrier(comm); }\n"
    source.write_text(own + BODY.replace("START", START).replace("CALLS", ""))
    program = compiled(source, tmp_path / "main", "-rdynamic")
    with pytest.raises(UsageError, match="rank 0: PMPI_Barrier: the program calls it by its PMPI"):
        capture([*MPIRUN, "2", str(program)], tmp_path / "out")
