"""Hostile input: files that do not end, deep nesting, paths and numbers beyond limits."""

from __future__ import annotations

import errno
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import hostile
import pantala as pt
from pantala.cli.application import ended
from pantala.experiments.axes import MOST_CASES
from pantala.files.input_file import read_text
from pantala.scenario.toml import DEPTH
from pantala.system.system_errors import system_fault, too_little_address_space
from support import SMALL, Ended, one_line

Cli = Callable[..., Ended]

JOB = 'workload = { kind = "fft3d", grid = [2, 3], row_message = "1 kB", iterations = 1 }'
EXPERIMENT = 'scenario = "small.toml"\n'


@pytest.fixture(params=["pipe", "zero", "urandom", "directory", "socket"])
def special(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Returns a path that is no regular file; its name has no ending."""
    path = tmp_path / "special"
    match request.param:
        case "pipe":
            os.mkfifo(path)
        case "directory":
            path.mkdir()
        case "socket":
            with socket.socket(socket.AF_UNIX) as made:
                here = Path.cwd()
                os.chdir(tmp_path)  # the path of a socket has at most 107 bytes
                made.bind("special")
                os.chdir(here)
        case device:
            path.symlink_to(f"/dev/{device}")
    return path


def named(special: Path, name: str) -> Path:
    """Returns a link to a special file under another name."""
    link = special.with_name(name)
    link.symlink_to(special)
    return link


def test_input_that_is_no_regular_file_is_refused_at_once(special: Path) -> None:
    with pytest.raises(OSError, match="not a regular file"):
        read_text(special)


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (["run", "FILE"], "scenario.toml"),
        (["check", "FILE"], "jobs.load"),
        (["check", "FILE"], "no_ending"),
        (["run", "FILE", "--ranks", "4"], "program.ncptl"),
        (["ncptl", "check", "FILE"], "program.ncptl"),
        (["sweep", "FILE", "--dry-run"], "experiment.toml"),
        (["sweep", "FILE", "--dry-run"], "experiment.py"),
        (["trace", "info", "FILE"], "trace.goal"),
        (["trace", "info", "FILE"], "trace.otf2"),
        (["import", "codes", "FILE", "--preset", "kang2022"], "codes.conf"),
    ],
)
def test_commands_refuse_files_that_do_not_end(
    cli: Callable[..., Ended], workdir: Path, special: Path, command: list[str], name: str
) -> None:
    file = named(special, name)
    done = cli(*(str(file) if word == "FILE" else word for word in command))
    assert one_line(done)
    assert not list(workdir.iterdir())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (JOB, 'workload = { kind = "trace", path = "FILE" }'),
        (JOB, 'workload = { kind = "ncptl", file = "FILE" }'),
        (JOB, 'workload = { kind = "python", file = "FILE" }'),
        (JOB, 'workload = { kind = "operations", path = "FILE" }'),
        (JOB, 'workload = { kind = "ember_unstructured", graphfile = "FILE" }'),
        ("ranks = 6", 'ranks = 6\nplacement = { kind = "nodes", nodes = { file = "FILE" } }'),
        (
            "ranks = 6",
            'ranks = 6\nplacement = { kind = "slurm", hosts = { file = "FILE" } }',
        ),
        ("g = 9 }", 'g = 9, links_file = "FILE" }'),
        ("g = 9 }", 'g = 9, failed_links = "FILE" }'),
        ("name =", 'snapshot = { file = "FILE", at = 1 }\nname ='),
        (
            'routing = "minimal"',
            'routing = { algorithm = "q_adaptive", q_adaptive = { table = "FILE" } }',
        ),
    ],
)
@pytest.mark.native
def test_files_that_a_scenario_names_must_be_regular(
    cli: Callable[..., Ended], workdir: Path, special: Path, old: str, new: str
) -> None:
    file = workdir.parent / "scenario.toml"
    assert old in SMALL
    file.write_text(SMALL.replace(old, new.replace("FILE", str(special)), 1))
    done = cli("check", file, "--plan", "plan.json")
    assert done.status == 2
    assert "Traceback" not in done.err
    assert not list(workdir.iterdir())


def test_a_text_has_a_largest_size(tmp_path: Path) -> None:
    file = tmp_path / "large.toml"
    file.write_bytes(b"#" * 2000)
    assert len(read_text(file, most=2000)) == 2000
    with pytest.raises(OSError, match="is larger than"):
        read_text(file, most=1999)


def nested(levels: int, form: str) -> str:
    """Returns a line of TOML with nested lists or tables."""
    match form:
        case "lists":
            return f"x = {'[' * levels}1{']' * levels}\n"
        case "tables":
            return f"x = {'{a = ' * levels}1{'}' * levels}\n"
        case _:
            return f"x{'.a' * levels} = 1\n"


@pytest.mark.parametrize("form", ["lists", "tables", "dots"])
@pytest.mark.parametrize("levels", [DEPTH + 1, 400, 3000])
@pytest.mark.parametrize("command", ["run", "check", "sweep"])
def test_deep_nesting_is_refused(
    cli: Callable[..., Ended], workdir: Path, form: str, levels: int, command: str
) -> None:
    file = workdir.parent / "deep.toml"
    file.write_text(nested(levels, form) + (EXPERIMENT if command == "sweep" else SMALL))
    assert "nested" in one_line(cli(command, file))


def test_deep_tables_of_python_are_refused() -> None:
    deep: object = 1
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(pt.ScenarioError, match="nested"):
        pt.Scenario.from_dict({"name": "x", "jobs": deep})
    with pytest.raises(pt.ScenarioError, match="nested"):
        pt.Scenario.from_dict({"name": "x"}, changes={"machine": deep})
    with pytest.raises(pt.ScenarioError, match="nested"):
        pt.Scenario.from_dict({"name": "x"}, changes={"a." * 5000 + "b": 1})


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (f"seed = {'9' * 5000}", "thousands of digits"),
        (f"seed = {'9' * 4000}", "must be at most"),
        (f"seed = {10**20}", "must be at most"),
        ('name = "a\\u0000b"', "is not a name"),
        (f'name = "{"a" * 3000}"', "key name"),
    ],
)
def test_numbers_and_names_beyond_limits_are_refused(
    cli: Callable[..., Ended], workdir: Path, line: str, says: str
) -> None:
    file = workdir.parent / "limits.toml"
    text = SMALL.partition("\n")[2] if line.startswith("name") else SMALL
    file.write_text(f"{line}\n{text}")
    assert says in one_line(cli("check", file))


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        (f"seeds = {10**20}", "must be at most 1,000,000"),
        (f"seeds = {10**9}", "must be at most 1,000,000"),
        ("seeds = 0", "must be at least 1"),
        (f"seeds = [{10**20}]", "seed"),
        ('name = "a\\u0000b"', "is not a name"),
        (f'name = "{"n" * 300}"', "is not a name"),
    ],
)
def test_an_experiment_beyond_limits_is_refused(
    cli: Callable[..., Ended], workdir: Path, lines: str, says: str
) -> None:
    (workdir.parent / "small.toml").write_text(SMALL)
    file = workdir.parent / "experiment.toml"
    file.write_text(f"{EXPERIMENT}{lines}\n")
    assert says in one_line(cli("sweep", file, "--dry-run"))


def test_an_experiment_has_a_largest_number_of_cases(
    cli: Callable[..., Ended], small: Path
) -> None:
    axes = [f"--axis=jobs.fft.ranks={','.join(map(str, range(1, 2000)))}"]
    axes += [f"--axis=jobs.halo.ranks={','.join(map(str, range(1, 2000)))}"]
    line = one_line(cli("sweep", small, "--dry-run", *axes))
    assert f"3996001 combinations, and an experiment has at most {MOST_CASES:,} cases" in line


@pytest.mark.parametrize("out", ["a" * 300, "a" * 5000, "b/" * 2500 + "c"])
@pytest.mark.parametrize("command", ["run", "sweep"])
def test_an_output_path_that_is_too_long_is_refused(
    cli: Callable[..., Ended], workdir: Path, small: Path, out: str, command: str
) -> None:
    line = one_line(cli(command, small, "--out", out))
    assert "too long for the system" in line
    assert len(line) < 400
    assert not list(workdir.iterdir())


def test_an_output_path_with_a_nul_is_refused(small: Path) -> None:
    with pytest.raises(pt.RunDirectoryError, match="NUL"):
        pt.run(pt.Scenario.from_toml(small), out="a\0b")


@pytest.mark.parametrize(
    ("error", "status", "says"),
    [
        (MemoryError(), 1, "raise the limit (ulimit -v"),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), 1, "raise the limit (ulimit -v"),
        (
            OSError(errno.EMFILE, "Too many open files", "x.parquet"),
            1,
            "raise the limit (ulimit -n)",
        ),
        (BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable"), 1, "ulimit -u"),
        (RuntimeError("can't start new thread"), 1, "ulimit -u"),
        (OSError(errno.ENOSPC, "No space left on device", "x"), 1, "make room"),
        (OSError(errno.ENAMETOOLONG, "File name too long", "a" * 9000), 2, "choose a shorter name"),
        (PermissionError(errno.EACCES, "Permission denied", "x"), 2, "check the permissions"),
        (ValueError("embedded null byte"), 2, "NUL character"),
    ],
)
def test_errors_of_the_system_are_one_line_with_the_remedy_that_fits(
    error: BaseException, status: int, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended(error) == status
    line = capsys.readouterr().err
    assert says in line
    assert line.count("\n") == 1
    assert "internal error" not in line
    assert len(line) < 500


def test_other_errors_are_none_of_the_system() -> None:
    assert system_fault(KeyError("x")) is None
    assert system_fault(OSError("of the core")) is None


LIMITED = """
import resource, sys
resource.setrlimit(resource.{limit}, ({value}, {value}))
from pantala.cli import main
main(sys.argv[1:])
"""


def limited(
    limit: str, value: int, *arguments: str, where: Path
) -> subprocess.CompletedProcess[str]:
    """Runs a command with a limit of the system."""
    return subprocess.run(
        [sys.executable, "-c", LIMITED.format(limit=limit, value=value), *arguments],
        capture_output=True,
        text=True,
        cwd=where,
        check=False,
        timeout=120,
    )


def test_a_small_address_space_is_told_before_any_library_fails(tmp_path: Path) -> None:
    assert too_little_address_space() is None
    done = limited("RLIMIT_AS", 10**9, "version", where=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert "1.0 GB (ulimit -v), and Pantala needs" in done.stderr


@pytest.mark.native
def test_too_many_open_files_of_the_core_have_the_remedy_that_helps(tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(SMALL)
    done = limited("RLIMIT_NOFILE", 9, "run", "small.toml", "--out", "out", where=tmp_path)
    assert done.returncode == 1
    assert "ulimit -n" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.native
def test_the_end_of_memory_is_one_line(tmp_path: Path) -> None:
    """The plan is valid, and the process may not have the memory of its run."""
    text = SMALL.replace("p = 2, a = 4, h = 2, g = 9", "p = 16, a = 32, h = 16, g = 513")
    (tmp_path / "large.toml").write_text(text)
    limit = 1_000_000 * (1_400 + 96 * len(os.sched_getaffinity(0)))
    done = limited("RLIMIT_AS", limit, "run", "large.toml", "--out", "out", where=tmp_path)
    assert done.returncode == 1, done.stderr
    assert "too little memory" in done.stderr.splitlines()[-1]
    assert "memory allocation" not in done.stderr


@pytest.mark.native
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pantala.ScenarioWarning")
def test_every_number_of_a_scenario_is_checked_by_its_range() -> None:
    base = hostile.base()
    faults: list[tuple[object, ...]] = []
    leaves = hostile.all_leaves()
    assert len(leaves) > 500
    for path, unit, kind in leaves:
        for value in hostile.values(unit):
            data = hostile.spoilt(base, path, kind, value)
            try:
                pt.Scenario.from_dict(data).resolve()
            except pt.PantalaError as error:
                if "\n" in str(error):
                    faults.append((path, value, error))
            except Exception as error:
                faults.append((path, value, error))
    assert not faults


#: Texts that a mutation puts in place of a value.
HOSTILE = (
    *(
        '""',
        '"\\u0000"',
        '"\\u202e"',
        '"' + "x" * 300 + '"',
        '"../../x"',
        "[]",
        "[[]]",
        "{}",
        "nan",
    ),
    *("inf", "-inf", "0", "-1", "1e308", "9223372036854775808", "1979-05-27", "true", '"0 ns"'),
    *('"1e99 B"', '"-1 ns"', '"1 KB"', "[1, [2]]", "{ kind = 1 }", "'%s'", "'{}'", "0x7f", "07"),
)
VALUES = [
    *('"small"', "2", "4", "9", '"minimal"', '"fft"', "6", '"fft3d"', "[2, 3]", '"1 kB"'),
    *('"halo"', "8", "[2, 2, 2]", '"kang2022"', '"halo3d"'),
]


@pytest.mark.native
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    changes=st.lists(
        st.tuples(st.sampled_from(VALUES), st.sampled_from(HOSTILE)), min_size=1, max_size=3
    ),
    cut=st.one_of(st.none(), st.integers(0, len(SMALL))),
)
def test_a_spoilt_scenario_is_checked_or_refused_in_lines(
    cli: Callable[..., Ended], workdir: Path, changes: list[tuple[str, str]], cut: int | None
) -> None:
    text = SMALL
    for old, new in changes:
        text = text.replace(old, new, 1)
    file = workdir.parent / "spoilt.toml"
    file.write_text(text[:cut])
    done = cli("check", file)
    assert done.status in (0, 2), (text, done.err)
    assert "internal error" not in done.err
    assert "Traceback" not in done.err
    if done.status == 2:
        assert done.out == ""
        assert all(line.startswith(str(file)) for line in done.err.splitlines()), done.err


@pytest.mark.native
@pytest.mark.parametrize("more", [{}, {"ranks_per_node": 2**32 - 1}])
def test_more_ranks_than_any_machine_has_are_refused_by_the_range(more: dict[str, int]) -> None:
    job = {"name": "a", "ranks": 2**32 - 1, "workload": {"kind": "uniform_random"}, **more}
    with pytest.raises(pt.ScenarioError, match=r"ranks = 4294967295: .*16777216"):
        pt.Scenario.from_dict(
            {"name": "s", "machine": {"preset": "kang2022"}, "routing": "minimal", "jobs": [job]}
        )


def test_more_ranks_than_any_machine_has_are_refused_of_a_program(
    cli: Callable[..., Ended], tmp_path: Path
) -> None:
    program = tmp_path / "p.ncptl"
    program.write_text("TASK 0 SENDS A 1 BYTE MESSAGE TO TASK 1.\n")
    ended = cli("ncptl", "explain", program, "--ranks", "4294967295")
    assert ended.status == 2
    assert "--ranks 4294967295: must be from 1 to 16777216" in ended.err


def test_a_capture_with_few_open_files_ends_at_once(tmp_path: Path) -> None:
    # mpirun of Open MPI waits for ever with 24 to 32 open files.
    done = limited("RLIMIT_NOFILE", 32, "capture", "--out", "out", "--", "true", where=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "at most 32 files may be open" in done.stderr
    assert "ulimit -n 1024" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()
