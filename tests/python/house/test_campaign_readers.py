"""A few damaged inputs for each reader: what `make campaign` tries by the million."""

from __future__ import annotations

import json
import random
import shutil
import tempfile
from pathlib import Path

import pytest

from campaign import reader_seeds
from campaign.damage import damaged_bytes, damaged_json, damaged_text
from campaign.parts import readers_python, readers_rust
from campaign.python_readers import PROGRAM, READERS, Reader
from campaign.stretch import Stretch

#: A seed that the campaign does not use.
SEED = 1_000
SLOW = {"Python program", "OTF2"}


@pytest.mark.native
@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in READERS if name not in SLOW])
def test_a_reader_in_python_refuses_or_reads(name: str, tmp_path: Path) -> None:
    stretch = Stretch("p", SEED, 600.0, tmp_path, tmp_path)
    for case in range(40 if READERS[name].every == 1 else 10):
        readers_python.tried(stretch, name, case, tmp_path)
    row = stretch.results.rows[name]
    assert stretch.results.failures == []
    assert row["inputs"] == int(row["refused"]) + int(row["valid"])
    assert 2 * int(row["deep"]) >= int(row["inputs"])


@pytest.mark.native
def test_the_program_that_is_damaged_is_one(tmp_path: Path) -> None:
    program = tmp_path / "p.py"
    program.write_text(PROGRAM)
    READERS["Python program"].read(program)


@pytest.mark.native
@pytest.mark.parametrize("name", [name for name in READERS if name not in SLOW])
def test_a_case_is_the_same_each_time(name: str, tmp_path: Path) -> None:
    made = []
    for _ in range(2):
        with tempfile.TemporaryDirectory(dir=tmp_path) as folder:
            draws = random.Random(f"{SEED}/{name}/3")
            made.append(READERS[name].make(Path(folder), draws)[1])
    assert made[0] == made[1]


def test_broken_promises_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def make(folder: Path, draws: random.Random) -> tuple[Path, bytes]:
        return folder / "x", b"x"

    def wrong(path: Path) -> None:
        raise KeyError(path)

    def endless(path: Path) -> None:
        while True:
            pass

    monkeypatch.setitem(READERS, "wrong", Reader(make, wrong))
    monkeypatch.setitem(READERS, "endless", Reader(make, endless, bound=1))
    assert readers_python.judged("wrong", tmp_path) == (
        "KeyError in test_campaign_readers.py, wrong",
        None,
    )
    assert readers_python.judged("endless", tmp_path) == ("takes more than 1 s", None)


def test_damage_changes_inputs_and_keeps_most_of_their_heads() -> None:
    draws = random.Random(1)
    seed = "name = 1\n[table]\nkey = [1, 2]\n" * 3
    texts = [damaged_text([seed], draws, 8) for _ in range(300)]
    assert sum(text == seed.encode() for text in texts) < 30
    assert sum(text.startswith(b"name = 1") for text in texts) > 200
    assert len(set(texts)) > 250
    values = {damaged_json([{"a": [1, {"b": 2}]}], random.Random(n)) for n in range(100)}
    assert len(values) > 50
    assert damaged_bytes(b"", draws) == b""


@pytest.mark.full
def test_readers_in_rust_refuse_or_read(tmp_path: Path) -> None:
    program = readers_rust.driver()
    stretch = Stretch("r", SEED, 600.0, tmp_path, tmp_path)
    names = readers_rust.readers(program)
    for name in names:
        readers_rust._tried(stretch, program, name, 0, 300)
    assert sorted(stretch.results.rows) == sorted(names)
    assert stretch.results.failures == []
    for row in stretch.results.rows.values():
        assert row["inputs"] == 300 == int(row["refused"]) + int(row["valid"])
        assert 2 * int(row["deep"]) > 300


def test_a_call_that_dies_is_halved_to_its_case(tmp_path: Path) -> None:
    """A stand-in for the driver that dies at case 5, and hangs at case 9."""
    program = tmp_path / "driver"
    program.write_text(
        f"#!{shutil.which('python3')}\n"
        "import json, sys\n"
        "first, count = map(int, sys.argv[3:])\n"
        "if first <= 5 < first + count: sys.exit('overflow')\n"
        "hangs = first <= 9 < first + count\n"
        "upto = 10 if hangs else first + count\n"
        "failures = [{'case': 9, 'what': 'hangs', 'input': '00'}] if hangs else []\n"
        "print(json.dumps({'next': upto, 'inputs': upto - first, 'refused': upto - first - hangs,"
        " 'valid': 0, 'deep': 0, 'failed': int(hangs), 'longest_us': 1, 'most_memory': 1,"
        " 'most_per_byte': 0, 'failures': failures}))\n"
        "sys.exit(3 if hangs else 0)\n"
    )
    program.chmod(0o755)
    stretch = Stretch("r", 1, 60.0, tmp_path, tmp_path)
    readers_rust._tried(stretch, program, "x", 0, 16)
    assert stretch.results.rows["x"]["inputs"] == 16
    assert [(each.case, each.what) for each in stretch.results.failures] == [
        (5, "ends the process (1): overflow"),
        (9, "hangs"),
    ]


@pytest.mark.parametrize(
    ("name", "file", "seeds"),
    [
        ("load file of Ember", "x.load", reader_seeds.EMBER),
        ("experiment", "e.toml", reader_seeds.EXPERIMENTS),
        ("job log", "jobs.log", reader_seeds.JOB_LOGS),
    ],
)
def test_seeds_are_sound(name: str, file: str, seeds: list[str], tmp_path: Path) -> None:
    for text in seeds:
        (tmp_path / file).write_text(text)
        READERS[name].read(tmp_path / file)


@pytest.mark.parametrize("folder", reader_seeds.CODES)
def test_folders_of_codes_are_sound(folder: dict[str, object], tmp_path: Path) -> None:
    for name, content in folder.items():
        text = content if isinstance(content, str) else json.dumps(content)
        (tmp_path / name).write_text(text)
    READERS["files of CODES"].read(tmp_path / next(iter(folder)))
