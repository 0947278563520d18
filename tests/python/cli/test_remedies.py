"""What a command says where a first guess at a key, a file or a directory is wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from support import Ended
from sweeps import SCENARIO

pytestmark = pytest.mark.native
Cli = Callable[..., Ended]


def scenario(*above: str, **replaced: str) -> str:
    """Returns a scenario with lines above its tables, and with replaced texts."""
    text = "\n".join([*above, SCENARIO])
    for old, new in replaced.items():
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("coarsen = 4", "key coarsen = 4: unknown key; it belongs in [detail]"),
        ('duration = "1 us"', 'key duration = "1 us": unknown key; it belongs in [stop]'),
        ('window = "1 us"', "unknown key; it belongs in [record]"),
        ("topology = { p = 2 }", "key topology: unknown key; it belongs in [machine]"),
        ("skip = 0.01", 'skip = 0.01: is neither text nor a table; write a text such as "1 %"'),
        ("detail = 4", "key detail = 4: is neither text nor a table; write a text, or its keys in"),
        ('seed = "8 KiB"', "is not a whole number; write it without a unit: 8192"),
        (
            'skip = "auto"',
            'is a value of --skip only; write { tolerance = "1 %", if_worth = true }',
        ),
        ("interference = { targets = [] }", "is empty; add an item, or remove the key"),
        (
            'interference = { targets = "halo" }',
            'is not a list; write e.g. [1, 2], or ["halo"] for',
        ),
    ],
)
def test_a_remedy_leads_to_what_was_meant(cli: Cli, tmp_path: Path, line: str, said: str) -> None:
    file = tmp_path / "tiny.toml"
    file.write_text(scenario(line))
    ended = cli("check", file)
    assert ended.status == 2
    assert said in ended.err


@pytest.mark.parametrize(
    ("workload", "said"),
    [
        ('{ kind = "GOAL", path = "x" }', 'kind = "GOAL": is not known; write kind = "trace"'),
        ('{ kind = "conceptual", file = "x" }', 'is not known; write kind = "ncptl"'),
        (
            '{ kind = "trace", file = "x" }',
            "workload.file = \"x\": unknown key; did you mean 'path'?",
        ),
    ],
)
def test_another_word_for_a_workload_leads_to_its_kind(
    cli: Cli, tmp_path: Path, workload: str, said: str
) -> None:
    file = tmp_path / "tiny.toml"
    job = f'[[jobs]]\nname = "other"\nranks = 2\nworkload = {workload}\n'
    file.write_text(SCENARIO + job)
    assert said in cli("check", file).err


def test_a_failed_link_given_as_text_is_no_file(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "tiny.toml"
    file.write_text(SCENARIO.replace("g = 9", 'g = 9, failed_links = "0-4"'))
    assert 'is a link, and a text names a file; write a list: ["0-4"]' in cli("check", file).err


def test_a_table_for_a_list_of_tables_is_named(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "tiny.toml"
    file.write_text(SCENARIO.replace("[[jobs]]", "[jobs]"))
    assert "set each key once, or write [[jobs]] before each item" in cli("check", file).err


def test_an_experiment_is_no_scenario(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "e.toml"
    file.write_text('scenario = "tiny.toml"\n[[axes]]\nrouting.algorithm = ["minimal", "par"]\n')
    (tmp_path / "tiny.toml").write_text(SCENARIO)
    for command in ("run", "check"):
        ended = cli(command, file)
        said = f"{file}: is an experiment; give it to pantala sweep\n"
        assert (ended.status, ended.err) == (2, said)
    said = 'routing: is a table; put the whole key in quotes: "routing.algorithm" = ["minimal"'
    assert said in cli("sweep", file).err


def test_silent_jobs_have_one_line(cli: Cli, tmp_path: Path) -> None:
    workload = '{{ kind = "ncptl", file = "p.ncptl" }}'
    silent = f'[[jobs]]\nname = "silent{{}}"\nranks = 4\nworkload = {workload}\n'
    (tmp_path / "p.ncptl").write_text("task 0 computes for 1 microsecond.\n")
    file = tmp_path / "tiny.toml"
    file.write_text(SCENARIO + "".join(silent.format(number) for number in range(5)))
    told = [line for line in cli("check", file).err.splitlines() if "send nothing" in line]
    (line,) = told
    assert "jobs.silent0, jobs.silent1, jobs.silent2 and 2 more send nothing" in line


def test_a_directory_that_cannot_be_written_is_named_once(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "tiny.toml"
    file.write_text(scenario("interference = true"))
    ended = cli("run", file, "--out", "/proc/none")
    assert ended.status == 2
    assert ended.err.count("cannot be written") == 1
    assert ended.err.count("choose another --out") == 1
