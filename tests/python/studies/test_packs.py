"""Packs: finished runs in compact files, which count as finished elsewhere."""

from __future__ import annotations

import io
import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from pantala.errors import RunDirectoryError
from pantala.studies import Campaign, read_study
from pantala.studies.packed_columns import decoded, parquet
from pantala.studies.packs import pack, unpack
from pantala.studies.verify import repeat
from support import ROOT, Ended

Cli = Callable[..., Ended]
EXAMPLE = ROOT / "examples/study"
DONE = 4


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a directory with the four runs of one seed of the example."""
    root = tmp_path_factory.mktemp("packs") / "made"
    one = Campaign(read_study("study", EXAMPLE), root, quick=False, seeds=1)
    one.run_one("beside", workers=1)
    return root


def campaign(root: Path) -> Campaign:
    return Campaign(read_study("study", EXAMPLE), root, quick=False)


def hashes(root: Path) -> dict[str, str]:
    found = campaign(root).sweeps["beside"].entries
    return {run: entry["result_hash"] for run, entry in found.items()}


def test_packed_runs_count_as_finished_elsewhere(made: Path, tmp_path: Path) -> None:
    there = campaign(made)
    first = pack(there, tmp_path / "packs")
    assert (first.moved, first.there, first.foreign) == (DONE, 0, 0)
    again = pack(there, tmp_path / "packs")
    assert (again.moved, again.there, again.files) == (0, DONE, [])
    taken = unpack(campaign(tmp_path / "other"), tmp_path / "packs")
    assert (taken.moved, taken.there, taken.foreign) == (DONE, 0, 0)
    assert hashes(tmp_path / "other") == hashes(made)
    other = campaign(tmp_path / "other")
    assert len(other.sweeps["beside"].missing) == len(there.sweeps["beside"].missing)
    for table in other.sweeps["beside"].description.keep:
        mine, theirs = (
            each.experiments["beside"].table(table).collect().drop("case").sort("run", "job")
            for each in (there, other)
        )
        assert mine.equals(theirs)
    assert all(each.equal for each in repeat(other, 1, 1))
    assert unpack(campaign(tmp_path / "other"), tmp_path / "packs").there == DONE


def test_equal_runs_give_equal_packs(made: Path, tmp_path: Path) -> None:
    (first,) = pack(campaign(made), tmp_path / "packs").files
    unpack(campaign(tmp_path / "other"), tmp_path / "packs")
    (second,) = pack(campaign(tmp_path / "other"), tmp_path / "others").files
    assert first.name == second.name
    assert first.stat().st_size == pytest.approx(second.stat().st_size, rel=0.01)


def test_new_runs_go_into_a_pack_of_their_own(made: Path, tmp_path: Path) -> None:
    root = Path(shutil.copytree(made, tmp_path / "more"))
    pack(campaign(root), tmp_path / "packs")
    two = Campaign(read_study("study", EXAMPLE), root, quick=False, seeds=2)
    two.run_one("beside", workers=1)
    more = pack(campaign(root), tmp_path / "packs")
    assert (more.moved, more.there) == (DONE, DONE)
    assert len(list((tmp_path / "packs").iterdir())) == 2
    whole = pack(campaign(root), tmp_path / "packs", rewrite=True)
    assert (whole.moved, whole.there) == (2 * DONE, 0)
    assert list((tmp_path / "packs").iterdir()) == whole.files


def test_a_pack_of_all_never_loses_runs(made: Path, tmp_path: Path, cli: Cli) -> None:
    """Runs that the directory lacks can be days of simulation, of which the packs hold the rest."""
    packs = tmp_path / "packs"
    (only,) = pack(campaign(made), packs).files
    empty = cli("study", "pack", EXAMPLE, "--out", tmp_path / "empty", "--to", packs, "--rewrite")
    assert (empty.status, list(packs.iterdir())) == (2, [only])
    assert f"its packs have {DONE} runs of the study that {tmp_path / 'empty'} lacks" in empty.err
    fewer = Path(shutil.copytree(made, tmp_path / "fewer"))
    (run, *_) = hashes(fewer)
    for index in (fewer / "index").glob("*.jsonl"):
        lines = index.read_text().splitlines(keepends=True)
        index.write_text("".join(line for line in lines if run not in line))
    shutil.rmtree(fewer / "runs" / run[:2] / run)
    with pytest.raises(RunDirectoryError, match="its packs have 1 run of the study that"):
        pack(campaign(fewer), packs, rewrite=True)
    assert list(packs.iterdir()) == [only]
    unpack(campaign(fewer), packs)
    assert pack(campaign(fewer), packs, rewrite=True).moved == DONE


def test_a_run_in_two_packs_has_the_tables_of_the_larger(made: Path, tmp_path: Path) -> None:
    """A study that keeps more tables than before packs its runs again."""
    folder = Path(shutil.copytree(EXAMPLE, tmp_path / "study"))
    text = (folder / "beside.toml").read_text()
    (folder / "beside.toml").write_text(text.replace('keep = ["jobs"]', 'keep = ["jobs", "ranks"]'))

    def more(root: Path) -> Campaign:
        return Campaign(read_study("study", folder), root, quick=False, seeds=1)

    more(tmp_path / "more").run_one("beside", workers=1)
    for names in (("0.zip", "1.zip"), ("1.zip", "0.zip")):
        packs = tmp_path / f"small-is-{names[0]}"
        for root, name in zip((campaign(made), more(tmp_path / "more")), names, strict=True):
            (path,) = pack(root, packs).files
            path.rename(packs / name)
        assert pack(more(tmp_path / "more"), packs).there == DONE
        taken = more(packs / "taken")
        assert unpack(taken, packs).moved == DONE
        assert more(packs / "taken").sweeps["beside"].missing == []
        assert pack(more(packs / "taken"), packs, rewrite=True).moved == DONE


def test_packs_of_other_runs_stay_if_there_is_nothing_to_write(made: Path, tmp_path: Path) -> None:
    packs = tmp_path / "packs"
    (only,) = pack(campaign(made), packs).files
    folder = Path(shutil.copytree(EXAMPLE, tmp_path / "study"))
    text = (folder / "beside.toml").read_text()
    (folder / "beside.toml").write_text(text.replace("seeds = 4", "seeds = [9, 10]"))
    other = Campaign(read_study("study", folder), tmp_path / "other", quick=False)
    done = pack(other, packs, rewrite=True)
    assert (done.moved, done.foreign, list(packs.iterdir())) == (0, DONE, [only])


def test_runs_of_another_study_are_left_out(made: Path, tmp_path: Path) -> None:
    pack(campaign(made), tmp_path / "packs")
    folder = Path(shutil.copytree(EXAMPLE, tmp_path / "mine"))
    text = (folder / "beside.toml").read_text()
    (folder / "beside.toml").write_text(text.replace("seeds = 4", "seeds = [9, 10]"))
    assert "seeds = 4" in text
    changed = Campaign(read_study("study", folder), tmp_path / "other", quick=False)
    taken = unpack(changed, tmp_path / "packs")
    assert (taken.moved, taken.there, taken.foreign) == (0, 0, DONE)


def altered(packs: Path, change: Callable[[dict[str, bytes]], object]) -> None:
    (path,) = packs.iterdir()
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    change(files)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)


def marked(**keys: object) -> Callable[[dict[str, bytes]], object]:
    def change(files: dict[str, bytes]) -> None:
        files["pack.json"] = json.dumps({**json.loads(files["pack.json"]), **keys}).encode()

    return change


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda files: files.pop("pack.json"), "is damaged"),
        (lambda files: files.pop("documents.parquet"), "is damaged"),
        (lambda files: files.update({"jobs.parquet": b"PAR1"}), "is damaged"),
        (lambda files: files.update({"jobs.parquet": files["documents.parquet"]}), "is damaged"),
        (marked(forms={}), "is damaged"),
        (marked(forms=None), "is damaged"),
        (lambda files: files.update({"jobs.parquet": files["pack.json"]}), "is damaged"),
        (marked(format=3, pantala="9.1"), "newer Pantala (9.1)"),
        (marked(format="x"), "is damaged"),
        (marked(runs=["a"]), "is damaged"),
        (marked(runs={"a": 3}), "is damaged"),
        (marked(format=None), "is damaged"),
        (marked(format=3, pantala="9.1", forms=None), "newer Pantala (9.1)"),
        (marked(study="other"), "is of the full version of the study other"),
        (marked(quick=True), "is of the quick version of the study study"),
    ],
)
def test_a_wrong_pack_is_named(
    made: Path,
    tmp_path: Path,
    cli: Cli,
    change: Callable[[dict[str, bytes]], object],
    said: str,
) -> None:
    pack(campaign(made), tmp_path / "packs")
    altered(tmp_path / "packs", change)
    ended = cli(
        "study", "unpack", EXAMPLE, "--from", tmp_path / "packs", "--out", tmp_path / "other"
    )
    assert ended.status == 2
    assert said in ended.err
    assert len(ended.err.splitlines()) == 1
    assert not hashes(tmp_path / "other")


def test_packs_of_the_first_form_are_read(made: Path, tmp_path: Path) -> None:
    """They hold the columns of the tables as they are."""
    there = campaign(made)
    pack(there, tmp_path / "packs")

    def as_it_was(files: dict[str, bytes]) -> None:
        mark = json.loads(files["pack.json"])
        documents = pl.read_parquet(io.BytesIO(files["documents.parquet"]))
        times = {
            run: json.loads(document)["simulated_ns"] for run, document in documents.iter_rows()
        }
        for name, forms in mark.pop("forms").items():
            packed = pl.read_parquet(io.BytesIO(files[f"{name}.parquet"]))
            files[f"{name}.parquet"] = parquet(decoded(packed, forms, times))
        files["pack.json"] = json.dumps({**mark, "format": 1}).encode()

    altered(tmp_path / "packs", as_it_was)
    taken = unpack(campaign(tmp_path / "other"), tmp_path / "packs")
    assert (taken.moved, taken.there, taken.foreign) == (DONE, 0, 0)
    assert hashes(tmp_path / "other") == hashes(made)
    assert all(each.equal for each in repeat(campaign(tmp_path / "other"), 1, 1))


def test_the_commands_say_what_they_did(made: Path, tmp_path: Path, cli: Cli) -> None:
    packs, other = tmp_path / "packs", tmp_path / "other"
    written = cli("study", "pack", EXAMPLE, "--out", made, "--to", packs)
    assert f": {DONE} runs, " in written.out
    taken = cli("study", "unpack", EXAMPLE, "--from", packs, "--out", other)
    assert f"{DONE} runs added, 0 there already" in taken.out
    assert "12 runs missing" in taken.out
    none = cli("study", "unpack", EXAMPLE, "--from", tmp_path / "no", "--out", other)
    assert (none.status, "holds no pack of a study" in none.err) == (2, True)
    empty = cli("study", "pack", EXAMPLE, "--out", tmp_path / "empty", "--to", packs)
    assert (empty.status, "holds no finished run" in empty.err) == (2, True)
