"""What the documentation shows of studies follows from their packs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from support import ROOT

PAGES = ROOT / "docs/studies"
PUBLISHED = sorted(each.name for each in (ROOT / "studies").iterdir() if each.is_dir())
#: What the packs of a study may take.
MOST_BYTES = 150_000_000
PARTS = re.compile(r"<!-- made: (\w+) -->\n(.*?)<!-- end -->", re.DOTALL)


def parts(page: Path) -> dict[str, str]:
    return {name: text.strip() for name, text in PARTS.findall(page.read_text())}


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_page_has_its_parts_and_figures(name: str) -> None:
    page = PAGES / f"{name}.md"
    made = parts(page)
    assert {"status", "verdicts", "figures", "costs"} <= made.keys()
    assert all(made.values())
    for link in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        if "://" not in link:
            assert (PAGES / link).exists(), link


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_packs_of_a_study_are_small(name: str) -> None:
    assert sum(each.stat().st_size for each in (ROOT / "studies" / name).iterdir()) < MOST_BYTES


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_index_counts_the_verdicts_of_the_numbers(name: str) -> None:
    claims = pl.read_csv(PAGES / name / "claims.csv").unique("claim", maintain_order=True)
    (head, _, *rows) = parts(PAGES / "index.md")["counts"].splitlines()
    columns = [each.strip() for each in head.strip("|").split("|")]
    for row in rows:
        cells = dict(
            zip(columns, (each.strip() for each in row.strip("|").split("|")), strict=True)
        )
        if not cells["study"].startswith(f"[{name}]"):
            continue
        own = claims.filter(pl.col("kind") == cells["claims"])["verdict"].to_list()
        for verdict in columns[3:]:
            # A verdict may go on: "undecided at 3 seeds". "holds in direction" is not "holds".
            count = sum(re.match(rf"{verdict}(?! in)", each) is not None for each in own)
            assert cells[verdict] == str(count), (cells["claims"], verdict)


@pytest.mark.full
def test_the_pages_follow_from_the_packs() -> None:
    command = [sys.executable, str(ROOT / "tools/publish_studies.py"), "--check"]
    ended = subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT, env={"PYTHONPATH": str(ROOT / "tools")}
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
