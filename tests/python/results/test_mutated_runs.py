"""Files of runs in which one value is another: they work, or one line says what is wrong."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pantala as pt
from pantala.errors import PantalaError, RunDirectoryError
from pantala.files.run_directory import DESCRIPTION_FILE, INTERFERENCE_FILE
from small_runs import small_interference, small_run
from support import Ended, one_line
from sweeps import scenario

pytestmark = pytest.mark.native
Cli = Callable[..., Ended]
Key = tuple[str | int, ...]

DELETED = object()
VALUES = (DELETED, None, "x", 7, [1], {"a": 1})
#: Mutations that are loaded, and those of them that the slower readers read.
LOADED, SAMPLE, REPORTS = 900, 20, 2


def leaves(value: Any, key: Key = ()) -> Iterator[Key]:
    """Yields the key of each value below a value; of lists, those of the first two."""
    if key:
        yield key
    if isinstance(value, dict):
        for name, each in value.items():
            yield from leaves(each, (*key, name))
    elif isinstance(value, list):
        for number, each in enumerate(value[:2]):
            yield from leaves(each, (*key, number))


def mutated(document: dict[str, Any], key: Key, value: object) -> dict[str, Any]:
    """Returns a document with another value at a key."""
    made = inner = copy.deepcopy(document)
    for word in key[:-1]:
        inner = inner[word]  # type: ignore[index]
    if value is DELETED:
        del inner[key[-1]]  # type: ignore[arg-type]
    else:
        inner[key[-1]] = value  # type: ignore[index]
    return made


def works(read: Callable[[], object]) -> bool:
    """Returns whether a reader works; it may refuse its input, in one line."""
    try:
        read()
    except PantalaError as error:
        found = error
    else:
        return True
    assert found.exit_status == 2
    assert "\n" not in str(found)
    return False


def test_a_run_json_with_another_value_is_read_or_refused(cli: Cli, tmp_path: Path) -> None:
    run, other = small_run(tmp_path / "run").path, small_run(tmp_path / "other").path
    file = run / "run.json"
    document = json.loads(file.read_text())
    chance = random.Random(1)
    every = [(key, value) for key in leaves(document) for value in VALUES]
    accepted = []
    for key, value in chance.sample(every, LOADED):
        file.write_text(json.dumps(mutated(document, key, value)))
        if works(lambda: repr(pt.Run(run))):
            accepted.append((key, value))
    commands = [["metrics", "--run", run], ["compare", other, run]]
    sample = chance.sample(accepted, SAMPLE)
    for number, (key, value) in enumerate(sample):
        file.write_text(json.dumps(mutated(document, key, value)))
        for words in [*commands, ["report", run]] if number < REPORTS else commands:
            ended = cli(*words)
            if ended.status:  # metrics has printed the caveats by then
                assert (ended.status, ended.err.count("\n")) == (2, 1), (key, value, ended.err)


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        (("skipped",), {"text": 7}, "skipped.text: input should be a valid string"),
        (("counters",), None, "counters: input should be a valid dictionary"),
        (("counters", "packets_delivered"), DELETED, "'packets_delivered' is missing"),
        (("plan", "jobs", 1), DELETED, "plan.jobs: has 1 jobs, and the table jobs has 2 rows"),
        (("plan", "topology"), None, "plan.topology: input should be a valid dictionary"),
        (("plan", "record"), {}, "'window_ps' is missing"),
        (("plan", "links"), None, "plan.links: input should be a valid dictionary"),
        (("plan", "routing", "algorithm"), 1.5, "plan.routing.algorithm: input should be a valid"),
        (("plan", "mpi", "gap_ps"), "x", "plan.mpi.gap_ps: input should be a valid number"),
        (("plan", "packet_bytes"), {}, "plan.packet_bytes: input should be a valid number"),
        (("plan", "detail", "coarsen"), 0, "plan.detail.coarsen: input should be greater than 0"),
    ],
)
def test_the_fault_of_a_run_json_is_named(
    cli: Cli, tmp_path: Path, key: Key, value: object, told: str
) -> None:
    file = small_run(tmp_path).path / "run.json"
    file.write_text(json.dumps(mutated(json.loads(file.read_text()), key, value)))
    line = one_line(cli("report", tmp_path))
    assert f"run.json is damaged: {told}" in line
    assert line.endswith("; give the command that wrote it again")


@pytest.mark.parametrize("text", ["[]", "null", "{}", '"x"', "7", '{"parts": 7, "name": "x"}'])
def test_the_file_of_an_interference_experiment_is_checked(
    cli: Cli, tmp_path: Path, text: str
) -> None:
    small_interference(tmp_path)
    (tmp_path / INTERFERENCE_FILE).write_text(text)
    for command in ("report", "status"):
        assert f"{INTERFERENCE_FILE} is damaged: " in one_line(cli(command, tmp_path))


def test_the_file_of_a_sweep_is_checked(cli: Cli, tmp_path: Path) -> None:
    swept = pt.sweep(scenario(), seeds=1, out=tmp_path, workers=1)
    assert isinstance(swept, pt.Experiment)
    file = tmp_path / "experiments" / swept.name / DESCRIPTION_FILE
    document = json.loads(file.read_text())
    texts = ["[]", "null", "{}", "7"]
    for key in ("axes", "keep", "scenario"):
        texts += [json.dumps(mutated(document, (key,), value)) for value in (DELETED, None, 7)]
    for text in texts:
        file.write_text(text)
        for command in ("report", "status"):
            line = one_line(cli(command, tmp_path))
            assert f"{DESCRIPTION_FILE} is damaged: " in line
            assert line.endswith("; repeat pantala sweep")


@pytest.mark.parametrize(
    ("table", "change", "told"),
    [
        ("jobs", lambda rows: rows.head(0), "it has no rows"),
        ("jobs", lambda rows: rows.with_columns(end_ns=float("inf")), "'end_ns' has a value that"),
        ("jobs", lambda rows: rows.with_columns(end_ns=-1.0), "'end_ns' has a negative time"),
        ("jobs", lambda rows: rows.with_columns(name=pl.lit(None, pl.String)), "'name' has null"),
        (
            "jobs",
            lambda rows: rows.with_columns(job=pl.lit(65000, pl.UInt16)),
            "'job' has 65000, and the run has 2 jobs",
        ),
        ("jobs", lambda rows: pl.concat([rows, rows]), "'job' has a job twice"),
        (
            "links",
            lambda rows: rows.with_columns(pl.lit("x").alias("class")),
            "column 'class' has \"x\", which is no link class",
        ),
        (
            "links",
            lambda rows: rows.with_columns(pl.lit(None, pl.String).alias("class")),
            "column 'class' has null",
        ),
    ],
)
def test_a_table_with_values_that_no_run_writes_is_refused(
    tmp_path: Path, table: str, change: Callable[[pl.DataFrame], pl.DataFrame], told: str
) -> None:
    file = small_run(tmp_path).path / f"{table}.parquet"
    change(pl.read_parquet(file)).write_parquet(file)
    with pytest.raises(RunDirectoryError, match=f"{table}.parquet is damaged: .*{told}"):
        getattr(pt.Run(tmp_path), table)


@pytest.mark.parametrize(("start", "end"), [(0.0, float("nan")), (-5.0, 3.0), (None, 3.0)])
def test_epochs_have_finite_times(tmp_path: Path, start: float | None, end: float) -> None:
    file = small_run(tmp_path).path / "epochs.parquet"
    none = pl.read_parquet(file)
    row = {"start_ns": [start], "end_ns": [end], "skipped": [True]}
    pl.concat(
        [none, pl.DataFrame(row, {name: none.schema[name] for name in row})], how="diagonal"
    ).write_parquet(file)
    with pytest.raises(RunDirectoryError, match=r"epochs\.parquet is damaged: column '"):
        pt.Run(tmp_path).epochs  # noqa: B018


def test_a_plan_that_is_nested_too_deeply_is_refused(tmp_path: Path) -> None:
    file = small_run(tmp_path / "run").path / "run.json"
    document = json.loads(file.read_text())
    inner: dict[str, Any] = document["plan"]["mpi"]
    for _ in range(900):
        inner["a"] = inner = {}
    file.write_text(json.dumps(document))
    with pytest.raises(RunDirectoryError, match="plan is nested too deeply"):
        pt.load(file.parent)
