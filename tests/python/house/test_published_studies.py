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
_ID = r"(?:KANG|YANG|WANG|CHUN|PRIS)-\w+-\w+"
_WORDS = "inside|outside|holds?|undecided|not run"
#: What pages say of a claim: "(KANG-VA-26, outside)", "YANG-41-06 and YANG-53-02 hold", and "is not
#: run (KANG-VD-02)".
_SAID = (
    re.compile(rf"(?P<claims>{_ID}(?:(?:, | and ){_ID})*)(?:,| are| is)? (?P<word>{_WORDS})\b"),
    re.compile(rf"(?:is|are) (?P<word>{_WORDS}) \((?P<claims>{_ID}(?:(?:, | and ){_ID})*)\)"),
)


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


@pytest.mark.parametrize("page", ["across", *PUBLISHED])
def test_prose_says_of_a_claim_what_its_verdict_is(page: str) -> None:
    verdicts: dict[str, str] = {}
    for name in PUBLISHED:
        rows = pl.read_csv(PAGES / name / "claims.csv").unique("claim")
        verdicts |= dict(rows.select("claim", "verdict").iter_rows())
    # Emphasis and line breaks stand between words.
    prose = " ".join(PARTS.sub("", (PAGES / f"{page}.md").read_text()).replace("*", "").split())
    said = [
        (claim, match["word"].removesuffix("s"), verdicts[claim])
        for pattern in _SAID
        for match in pattern.finditer(prose)
        for claim in re.findall(_ID, match["claims"])
        if claim in verdicts
    ]
    assert said or page == "wang2020"
    wrong = [each for each in said if each[1] not in each[2] or "not hold" in each[2]]
    assert not wrong


@pytest.mark.full
def test_the_pages_follow_from_the_packs() -> None:
    command = [sys.executable, str(ROOT / "tools/publish_studies.py"), "--check"]
    ended = subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT, env={"PYTHONPATH": str(ROOT / "tools")}
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
