"""Every output is a whole file: on a full disk the old one stays, and links are replaced."""

from __future__ import annotations

import ast
import resource
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

import pantala as pt
from pantala.api.load import load
from pantala.errors import RunDirectoryError
from pantala.files.atomic_file import atomic_file
from pantala.files.run_directory import REPORT_FILE
from small_runs import small_interference
from support import ROOT, SMALL, Ended

Cli = Callable[..., Ended]

#: The commands that write a file; each starts in a directory with a run, `experiment`.
COMMANDS = {
    "check": ("check", "small.toml", "--plan", "OUT.json"),
    "compare": ("compare", "experiment/together", "experiment", "--out", "OUT.html"),
    "explore": ("explore", "experiment", "--out", "OUT.html"),
    "export graphml": ("export", "experiment/together", "--format", "graphml", "--out", "OUT"),
    "export perfetto": ("export", "experiment/together", "--format", "perfetto", "--out", "OUT"),
    "figure pdf": ("figure", "placement-map", "experiment/together", "--out", "OUT.pdf"),
    "figure png": ("figure", "placement-map", "experiment/together", "--out", "OUT.png"),
    "figure svg": ("figure", "placement-map", "experiment/together", "--out", "OUT.svg"),
    "import": ("import", "ember", "ember.load", "--out", "OUT.toml", "--overwrite"),
    "report": ("report", "experiment"),
    "schema": ("schema", "--out", "OUT.json"),
    "topology csv": ("topology", "--preset", "kang2022", "--links", "OUT.csv"),
    "topology graphml": ("topology", "--preset", "kang2022", "--graphml", "OUT"),
    "topology parquet": ("topology", "--preset", "kang2022", "--links", "OUT.parquet"),
    "workload": (
        "workload",
        "export",
        "small.toml",
        "OUT.operations",
        "--job",
        "halo",
        "--overwrite",
    ),
}

#: Calls that write a file without `pantala.files.atomic_file`, and why that is right.
OTHER_WRITERS = {
    ("cli/streams.py", "open"): "os.devnull",
    ("capture/launchers.py", "write_text"): "in the folder of an unfinished capture",
    ("capture/rank_file.py", "write_bytes"): "in the folder of an unfinished capture",
    ("capture/run.py", "write_text"): "in the folder of an unfinished capture",
    ("executors/slurm.py", "touch"): "an empty file",
    ("executors/slurm_task.py", "touch"): "an empty file",
    ("executors/slurm_task.py", "open"): "a log of lines; a line that was cut off is skipped",
    ("store/index.py", "open"): "a log of lines; a line that was cut off is skipped",
    ("store/lease.py", "touch"): "an empty file",
    ("store/lease.py", "write_text"): "becomes the lease by a link",
    ("store/run_store.py", "ZipFile"): "in the directory of a run in progress",
    ("export/program_forms/write.py", "export_operations"): "in a scratch folder",
    ("figures/save.py", "savefig"): "into memory",
    ("studies/packed_columns.py", "write_parquet"): "into memory",
    ("traces/rank_file.py", "open"): "in a scratch folder",
    ("traces/rank_file.py", "write_bytes"): "in a scratch folder",
    ("core/native.py", "export_operations"): "the core's function",
    ("core/native.py", "merge_operation_files"): "the core's function",
    ("core/native.py", "write_link_table"): "the core's function",
    ("papers/wang2020/study/sources.py", "export_operations"): "in a temporary folder",
    ("programs/child.py", "open"): "in a scratch folder",
    ("programs/child.py", "write_bytes"): "in a scratch folder",
    ("programs/process.py", "open"): "the standard streams, and os.devnull",
    ("programs/process.py", "write_bytes"): "in a scratch folder",
    ("files/atomic_file.py", "open"): "a device or a pipe",
}
WRITERS = {
    "copyfile",
    "dump",
    "export_operations",
    "merge_operation_files",
    "mkstemp",
    "savefig",
    "sink_csv",
    "sink_ipc",
    "sink_parquet",
    "touch",
    "write",
    "write_bytes",
    "write_csv",
    "write_ipc",
    "write_link_table",
    "write_ndjson",
    "write_parquet",
    "write_text",
    "ZipFile",
}


@contextmanager
def full_disk(room: int = 1000) -> Iterator[None]:
    """No file of this process can have more than `room` bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.fixture
def place(workdir: Path) -> Path:
    """The current directory, with what the commands read."""
    small_interference(workdir / "experiment")
    Path("small.toml").write_text(SMALL)
    Path("ember.load").write_text(
        "".join(
            f"[JOB_ID] {job}\n[NID_LIST] {job}\n[MOTIF] Init\n[MOTIF] Allreduce\n[MOTIF] Fini\n"
            for job in range(30)
        )
    )
    return workdir


def target_of(arguments: tuple[str, ...]) -> Path:
    found = [each for each in arguments if each.startswith("OUT")]
    return Path(found[0]) if found else Path("experiment") / REPORT_FILE


@pytest.mark.parametrize("command", COMMANDS)
def test_a_full_disk_leaves_the_old_file(place: Path, cli: Cli, command: str) -> None:
    arguments = COMMANDS[command]
    if "perfetto" in command:
        pytest.importorskip("perfetto", reason="the package perfetto is not installed")
    target = target_of(arguments)
    target.write_text("the old one")
    before = set(Path().rglob("*"))
    # The command prints long tables into a file of pytest, too.
    with full_disk(20_000 if command == "compare" else 1000):
        ended = cli(*arguments)
    assert ended.status == 2, ended
    last = ended.err.splitlines()[-1]
    assert f"{target}: cannot be written: File too large; " in last, ended.err
    assert target.read_text() == "the old one"
    assert set(Path().rglob("*")) == before
    ended = cli(*arguments)
    assert ended.status == 0, ended.err
    assert len(target.read_bytes()) > 1000


@pytest.mark.parametrize("command", ["report", "figure svg", "schema", "topology csv"])
def test_a_link_is_replaced_and_its_target_stays(place: Path, cli: Cli, command: str) -> None:
    arguments = COMMANDS[command]
    target = target_of(arguments)
    other = place / "thesis.tex"
    other.write_text("years of work")
    target.symlink_to(other)
    assert cli(*arguments).status == 0
    assert other.read_text() == "years of work"
    assert target.is_file()
    assert not target.is_symlink()


def test_a_run_on_a_full_disk_keeps_its_tables(workdir: Path, cli: Cli) -> None:
    Path("small.toml").write_text(SMALL)
    with full_disk(60_000):  # the tables fit, the report does not
        ended = cli("run", "small.toml", "--out", "run", "--quiet")
    assert ended.status == 2, ended
    assert ended.err.startswith("run/report.html: cannot be written: File too large; ")
    assert ended.err.count("\n") == 1
    assert "the tables are kept; raise the limit of a file's size (ulimit -f), or" in ended.err
    assert "and give the same command again" in ended.err
    assert load("run").complete
    assert not [path for path in Path("run").iterdir() if path.suffix in (".html", ".partial")]
    ended = cli("run", "small.toml", "--out", "run")
    assert ended.status == 0, ended.err
    assert "run: holds this run; writing its report" in ended.err
    assert Path("run/report.html").stat().st_size > 60_000


def test_devices_and_pipes_are_written_to(workdir: Path) -> None:
    import os

    out, into = os.pipe()
    for name in ("/dev/null", f"/dev/fd/{into}"):
        with atomic_file(Path(name)) as half:
            half.write_text("text")
    os.close(into)
    with os.fdopen(out) as pipe:
        assert pipe.read() == "text"
    assert Path("/dev/null").is_char_device()
    assert not list(workdir.iterdir())


def test_a_file_keeps_its_mode(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text("")
    file.chmod(0o600)
    with atomic_file(file) as half:
        half.write_text("x")
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_report_that_cannot_be_written_is_an_error(place: Path) -> None:
    from pantala.report.run_report import write_report

    run = small_interference(place / "other")
    with pytest.raises(RunDirectoryError, match="cannot be written: No such file or directory"):
        write_report(run, place / "nowhere" / "x.html")


def test_no_module_writes_files_in_another_way() -> None:
    package = Path(pt.__file__).parent
    found = set()
    for path in sorted(package.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for writer in _writers(tree, frozenset()):
            found.add((str(path.relative_to(package)), writer))
    assert found == set(OTHER_WRITERS)


def _writers(node: ast.AST, halves: frozenset[str]) -> Iterator[str]:
    """Yields the calls below a node that write a file not of `atomic_file`.

    Args:
        node: the tree.
        halves: the names of temporary files of the blocks around it.
    """
    for child in ast.iter_child_nodes(node):
        inside = halves
        if isinstance(child, ast.With):
            inside = halves | {
                item.optional_vars.id
                for item in child.items
                if isinstance(item.optional_vars, ast.Name)
                and isinstance(item.context_expr, ast.Call)
                and ast.unparse(item.context_expr.func).startswith("atomic_file")
            }
        if isinstance(child, ast.Call):
            called = ast.unparse(child.func).rpartition(".")[2]
            named = {each.id for each in ast.walk(child) if isinstance(each, ast.Name)}
            writes = called in WRITERS or _opens_to_write(child, called)
            if writes and not named & halves and not _is_own(child, called):
                yield called
        yield from _writers(child, inside)


def _is_own(call: ast.Call, called: str) -> bool:
    """Returns whether a call of one of these names writes no file, or calls `atomic_file`."""
    function = ast.unparse(call.func)
    if called == "write":  # of files that are open, of streams; ElementTree has a name to write to
        return "ElementTree" not in function
    if called == "write_csv":
        return not call.args  # as text
    if called == "ZipFile":
        return not any(isinstance(each, ast.Constant) and each.value == "w" for each in call.args)
    if called == "dump":
        return "sys.stdout" in ast.unparse(call)
    return function in ("write_bytes", "write_text")  # those of `atomic_file`


def _opens_to_write(call: ast.Call, called: str) -> bool:
    if called != "open":
        return False
    modes = [each.value for each in call.args if isinstance(each, ast.Constant)]
    modes += [key.value.value for key in call.keywords if key.arg == "mode"]  # type: ignore[attr-defined]
    return any(isinstance(mode, str) and set(mode) & set("wax+") for mode in modes)


def test_the_search_finds_writers() -> None:
    tree = ast.parse(
        "with atomic_file(path) as half:\n    half.write_text('')\n    open(path, 'w')\n"
        "frame.write_csv(path)\nhalf.open('ab')\nframe.write_csv()\nout.write('x')\n"
    )
    assert list(_writers(tree, frozenset())) == ["open", "write_csv", "open"]


if __name__ == "__main__":
    print(list(_writers(ast.parse(Path(sys.argv[1]).read_text()), frozenset())))


@pytest.mark.parametrize(
    ("command", "file", "named"),
    [
        (("ncptl", "export", ROOT / "examples/programs/milc.ncptl", "-n", "64", "--as", "goal"),
         "milc.goal", "--out"),
        (("workload", "export", "halo3d", "a.operations", "-n", "8"), "a.operations", "FILE"),
    ],
    ids=["ncptl", "workload"],
)  # fmt: skip
def test_an_export_replaces_a_file_only_if_it_is_told_to(
    command: Sequence[str | Path], file: str, named: str, cli: Cli, workdir: Path
) -> None:
    Path(file).write_text("mine")
    ended = cli(*command)
    assert ended.status == 2
    assert ended.err == f"{file}: exists; name another {named}, or add --overwrite\n"
    assert Path(file).read_text() == "mine"
    assert cli(*command, "--overwrite").status == 0
    assert Path(file).read_bytes() != b"mine"
