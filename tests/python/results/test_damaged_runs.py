"""Full disks, damaged directories and tables of other versions end in one line."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pantala as pt
from pantala.errors import RunDirectoryError
from small_runs import small_run

pytestmark = pytest.mark.native

SCENARIO = """
name = "small"
routing = "minimal"
[machine]
preset = "kang2022"
topology = { p = 2, a = 4, h = 2, g = 9 }
[stop]
duration = "400 us"
[[jobs]]
name = "u"
ranks = 72
workload = { kind = "pattern", pattern = "uniform", load = 0.5 }
[record]
packets = "all"
"""


def pantala(*words: str, limit: int | None = None) -> subprocess.CompletedProcess[str]:
    """Runs a command, with files of at most `limit` bytes."""

    def small_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit or 0, limit or 0))

    return subprocess.run(
        [sys.executable, "-m", "pantala", *words],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=None if limit is None else small_files,
    )


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the directory of a run with some 700,000 packets."""
    folder = tmp_path_factory.mktemp("damaged")
    (folder / "small.toml").write_text(SCENARIO)
    pt.run(pt.Scenario.from_toml(folder / "small.toml"), out=folder / "run", report=False)
    return folder / "run"


def test_a_disk_that_fills_leaves_what_was_recorded(run: Path, tmp_path: Path) -> None:
    whole = pl.read_parquet(run / "packets.parquet")
    size = (run / "packets.parquet").stat().st_size
    done = pantala(
        "run", str(run.parent / "small.toml"), "--out", str(tmp_path / "full"), limit=size * 2 // 3
    )
    assert done.returncode == 1
    assert "packets.parquet: File too large (os error 27)" in done.stderr
    assert "partial" not in done.stderr  # the directory has another name by now
    assert "the tables have what was recorded before it" in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) <= 2
    kept = pt.load(tmp_path / "full")
    assert isinstance(kept, pt.Run)
    assert not kept.complete
    assert kept.document["reason"] == "failed"
    packets = kept.packets.collect()
    assert 0 < packets.height < whole.height
    assert packets.equals(whole.head(packets.height))
    assert kept.document["tables"]["packets"] == packets.height
    assert kept.links.collect()["bytes"].sum() > 0
    assert check_sums(kept) == kept.document["table_crc32"]


#: Messages of 512 B between 64 ranks: more rows of messages and of calls than a row group has.
HALO = """
name = "halo"
routing = "minimal"
[machine]
preset = "kang2022"
topology = { p = 2, a = 4, h = 2, g = 9 }
[[jobs]]
name = "h"
ranks = 64
[jobs.workload]
kind = "halo3d"
grid = [4, 4, 4]
message = "512 B"
iterations = 2000
compute = "1 us"
exchange = "at_once"
start_delay = "0 ns"
[record]
packets = "off"
link_windows = false
"""

#: Table: the scenario, and the keys of `record` that make this table the largest one.
LARGE = {
    "packet_hops": (SCENARIO, {"packet_paths": "true", "link_windows": "false"}),
    "link_windows": (SCENARIO, {"packets": "off", "link_window": "100 ns"}),
    "port_windows": (
        SCENARIO,
        {"packets": "off", "link_windows": "false", "ports": '{ windows = ["100 ns"] }'},
    ),
    "router_windows": (
        SCENARIO,
        {"packets": "off", "link_windows": "false", "routers": '{ windows = ["20 ns"] }'},
    ),
    "messages": (HALO, {}),
    "call_events": (HALO, {"messages": "false", "call_events": "{}"}),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "table",
    [
        table
        if table in ("packet_hops", "messages")
        else pytest.param(table, marks=pytest.mark.full)
        for table in LARGE
    ],
)
def test_a_disk_that_fills_leaves_rows_of_every_large_table(table: str, tmp_path: Path) -> None:
    text, keys = LARGE[table]
    (tmp_path / "large.toml").write_text(text)
    words = ["run", str(tmp_path / "large.toml"), "--no-report"]
    for key, value in {"stop.duration": "200 us", **_of_record(keys)}.items():
        if text is SCENARIO or key != "stop.duration":
            words += ["--set", f"{key}={value}"]
    done = pantala(*words, "--out", str(tmp_path / "whole"))
    assert done.returncode == 0, done.stderr
    whole = pl.read_parquet(tmp_path / "whole" / f"{table}.parquet")
    size = (tmp_path / "whole" / f"{table}.parquet").stat().st_size
    limited = pantala(*words, "--out", str(tmp_path / "full"), limit=size * 9 // 10)
    assert limited.returncode == 1
    assert f"{table}.parquet" in limited.stderr
    assert "the tables have what was recorded before it" in limited.stderr
    kept = pt.load(tmp_path / "full")
    assert isinstance(kept, pt.Run)
    assert (kept.complete, kept.document["reason"]) == (False, "failed")
    rows = getattr(kept, table).collect()
    assert 0 < rows.height < whole.height
    assert rows.equals(whole.head(rows.height))
    assert kept.document["tables"][table] == rows.height


def _of_record(keys: dict[str, str]) -> dict[str, str]:
    return {f"record.{key}": value for key, value in keys.items()}


def test_a_disk_without_room_for_rows_leaves_empty_tables(run: Path, tmp_path: Path) -> None:
    done = pantala(
        "run", str(run.parent / "small.toml"), "--out", str(tmp_path / "full"), limit=200_000
    )
    assert done.returncode == 1
    kept = pt.load(tmp_path / "full")
    assert isinstance(kept, pt.Run)
    assert kept.packets.collect().is_empty()


def test_a_disk_that_is_full_at_once_ends_in_one_line(run: Path, tmp_path: Path) -> None:
    done = pantala(
        "run", str(run.parent / "small.toml"), "--out", str(tmp_path / "full"), limit=100
    )
    assert done.returncode == 1
    assert "raise the limit of a file's size (ulimit -f), or choose another --out" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "full").exists()


def copy(run: Path, to: Path) -> Path:
    for file in run.iterdir():
        (to / file.name).write_bytes(file.read_bytes())
    return to


def without_check_sums(run: Path) -> Path:
    """Makes a run one of a version that wrote no check sums."""
    document = json.loads((run / "run.json").read_text())
    del document["table_crc32"]
    (run / "run.json").write_text(json.dumps(document))
    return run


def check_sums(run: pt.Run) -> dict[str, str]:
    tables = run.path.glob("*.parquet")
    return {table.stem: f"{zlib.crc32(table.read_bytes()):08x}" for table in tables}


def test_run_json_has_the_check_sum_of_every_table(run: Path) -> None:
    found = pt.load(run)
    assert isinstance(found, pt.Run)
    assert found.document["table_crc32"] == check_sums(found)
    assert found.document["table_crc32"].keys() == found.document["tables"].keys()


@settings(max_examples=30)
@given(place=st.floats(0, 1, exclude_max=True), flip=st.integers(1, 255))
def test_a_changed_byte_of_a_table_is_told(run: Path, place: float, flip: int) -> None:
    """Many bytes can change without an error of the form: the numbers are others then."""
    table = run / "links.parquet"
    whole = table.read_bytes()
    changed = bytearray(whole)
    changed[int(place * len(whole))] ^= flip
    try:
        table.write_bytes(changed)
        with pytest.raises(RunDirectoryError, match=r"links\.parquet is damaged: "):
            pt.Run(run).links  # noqa: B018
    finally:
        table.write_bytes(whole)


def test_a_table_that_another_program_has_written_is_read(run: Path, tmp_path: Path) -> None:
    there = copy(run, tmp_path)
    fewer = pl.read_parquet(there / "links.parquet").head(3)
    fewer.write_parquet(there / "links.parquet")
    assert pt.Run(there).links.collect().height == 3


@pytest.mark.parametrize(
    "damage", ["cut", "garbage", "rows", "missing", "version", "type", "run.json", "byte"]
)
def test_damage_is_told_in_one_line(run: Path, tmp_path: Path, damage: str) -> None:
    there = copy(run, tmp_path)
    if damage == "rows":
        without_check_sums(there)
    table = there / "links.parquet"
    match damage:
        case "cut":
            table.write_bytes(table.read_bytes()[:2000])
            expected = "links.parquet is damaged"
        case "garbage":
            table.write_bytes(b"PAR1" + bytes(5000) + b"PAR1")
            expected = "links.parquet is damaged"
        case "rows":  # only a column that is read late
            whole = bytearray(table.read_bytes())
            whole[8 : len(whole) // 4] = bytes(len(whole) // 4 - 8)
            table.write_bytes(whole)
            expected = "links.parquet cannot be read"
        case "type":
            texts = pl.col("stall_ns").cast(pl.String)
            pl.read_parquet(table).with_columns(texts).write_parquet(table)
            expected = "links.parquet has String in column 'stall_ns', not Float64"
        case "missing":
            table.unlink()
            expected = "links.parquet is missing; the run wrote it"
        case "version":
            pl.read_parquet(table).drop("stall_ns").write_parquet(table)
            expected = "has no column 'stall_ns'"
        case "byte":
            table.write_bytes(table.read_bytes()[:100] + b"x" + table.read_bytes()[101:])
            expected = "links.parquet is damaged: its CRC-32 is"
        case _:
            (there / "run.json").write_text((there / "run.json").read_text()[:200])
            expected = "run.json cannot be read"
    for words in (["report", str(there)], ["figure", "link-load-map", str(there)]):
        done = pantala(*words)
        assert (done.returncode, done.stdout) == (2, "")
        assert expected in done.stderr
        assert "give the command that wrote it again" in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1
    if damage == "rows":
        return
    with pytest.raises(RunDirectoryError):
        getattr(pt.load(there), "links")  # noqa: B009


def test_files_say_what_their_columns_are(run: Path) -> None:
    facts = pl.read_parquet_metadata(run / "link_windows.parquet")
    assert facts["table"] == "link_windows"
    assert facts["pantala"] == pt.__version__
    assert json.loads(facts["units"]) == {
        "window_start_ns": "ns",
        "bytes": "bytes",
        "stall_ns": "ns",
    }


def test_a_path_that_cannot_be_written_is_refused_before_the_run(run: Path) -> None:
    done = pantala("run", str(run.parent / "small.toml"), "--out", "/proc/pantala/run")
    assert done.returncode == 2
    assert "cannot be written" in done.stderr


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda d: d["plan"]["jobs"].append(3), r"plan\.jobs\[2\]: input should be a valid dict"),
        (lambda d: d["plan"]["jobs"][0].pop("name"), r"'plan\.jobs\[0\]\.name' is missing"),
        (lambda d: d["plan"].update(routing=7), r"plan\.routing: input should be a valid dict"),
        (lambda d: d["plan"]["jobs"][1].update(workload=[]), r"workload: input should be a valid"),
        (lambda d: d["plan"]["record"].update(packet_from_ps="x"), "packet_from_ps: .* number"),
        (lambda d: d.update(complete=None), "complete: input should be a valid boolean"),
        (lambda d: d.update(simulated_ns=True), "simulated_ns: input should be a valid number"),
        (lambda d: d.update(plan=None), "plan: input should be a valid dictionary"),
    ],
)
def test_a_run_of_another_form_is_refused(
    tmp_path: Path, change: Callable[[dict[str, Any]], object], told: str
) -> None:
    """The campaign of robustness found tracebacks for each of these."""
    file = small_run(tmp_path).path / "run.json"
    document = json.loads(file.read_text())
    change(document)
    file.write_text(json.dumps(document))
    with pytest.raises(RunDirectoryError, match=rf"run\.json is damaged: .*{told}"):
        pt.load(tmp_path)


@pytest.mark.parametrize("key", ["detail", "stop", "record", "routing"])
def test_a_table_of_the_plan_may_be_null(tmp_path: Path, key: str) -> None:
    file = small_run(tmp_path).path / "run.json"
    document = json.loads(file.read_text())
    document["plan"][key] = None
    file.write_text(json.dumps(document))
    run = pt.load(tmp_path)
    assert isinstance(run, pt.Run)
    assert run.caveats is not None
    assert not run.coarsened


def test_a_run_that_is_no_object_is_refused(tmp_path: Path) -> None:
    (small_run(tmp_path).path / "run.json").write_text("[1]")
    with pytest.raises(
        RunDirectoryError, match=r"run\.json is damaged: it: input should be a valid dict"
    ):
        pt.load(tmp_path)
