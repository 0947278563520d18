"""Copies the parts of a study that the documentation shows: `python docs/study.py DIR`.

DIR is the directory of the study, for example runs/prisacari2015.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import polars as pl

from pantala.papers.prisacari2015.claims import RULE

_HERE = Path(__file__).parent / "studies"

_NUMBERS = """# Prisacari et al., 2015: numbers

Throughput in % of the injection bandwidth, measured, and by the exact model in brackets.
"""
_VARIANTS = """# Prisacari et al., 2015: variants

Throughput in % of the injection bandwidth: of the variant (*measured*), of the study (*as is*), and
by the exact model of the variant (*exact*).
"""


def main(directory: str) -> None:
    """Writes the claims, the numbers and the figure of a study into docs/studies/NAME."""
    study = Path(directory)
    name = json.loads((study / "study.json").read_text(encoding="utf-8"))["study"]
    place = _HERE / name
    place.mkdir(parents=True, exist_ok=True)
    claims, latency = (
        json.loads((study / f"{part}.json").read_text(encoding="utf-8"))
        for part in ("claims", "latency")
    )
    (place / "claims.md").write_text(claims_page(claims, latency), encoding="utf-8")
    (place / "numbers.md").write_text(_numbers(study), encoding="utf-8")
    (place / "variants.md").write_text(_variants(study), encoding="utf-8")
    shutil.copy(study / "figures" / "figure-3.png", place / "figure-3.png")
    # The results are copied so that verdicts can be made again when a rule changes, without runs.
    shutil.copy(study / "results.parquet", place / "results.parquet")


def claims_page(claims: list[dict[str, str]], latency: dict[str, dict[str, str]]) -> str:
    """Returns the rule for verdicts and a row for each claim.

    Args:
        claims: the content of claims.json.
        latency: the content of latency.json: the verdicts at each latency.
    """
    rows = []
    for claim in claims:
        other = {answers.get(claim["id"]) for answers in latency.values()}
        at = (
            ""
            if None in other
            else "same"
            if len(other) == 1
            else ", ".join(a[claim["id"]] for a in latency.values())
        )
        place = f"{claim['id']} ({claim['where']})"
        measured = claim["measured"] + (f". {claim['reason']}" if claim["reason"] else "")
        statement = f"{claim['statement']}<br>Holds: {claim['holds']}."
        if claim["direction"]:
            statement += f"<br>In direction: {claim['direction']}."
        # A product, not emphasis.
        said = [text.replace("*", "\\*") for text in (statement, claim["paper"], measured)]
        rows.append((place, *said, f"**{claim['verdict']}**", at))
    headings = (
        "claim",
        "statement and conditions",
        "paper",
        "measured",
        "verdict",
        "at half and double latency",
    )
    return f"# Prisacari et al., 2015: claims\n\n{RULE}\n\n{table(headings, rows)}"


def _numbers(study: Path) -> str:
    """Returns measured throughput (exact model in brackets) in % of the injection bandwidth."""
    found = pl.read_parquet(study / "results.parquet").filter(pl.col("variant") == "")
    kinds = found["configuration"].unique(maintain_order=True).to_list()
    rows = []
    for (pattern, p, a, h), part in found.group_by("pattern", "p", "a", "h", maintain_order=True):
        by_kind = {row["configuration"]: row for row in part.iter_rows(named=True)}
        first = by_kind[kinds[0]]
        cells = [
            f"{100 * by_kind[kind]['accepted']:.1f} ({100 * by_kind[kind]['exact']:.1f})"
            for kind in kinds
        ]
        rows.append(
            (
                pattern,
                f"({p}, {a}, {h})",
                f"{first['nodes']:,}",
                f"{100 * first['equation_4']:.1f}",
                *cells,
            )
        )
    rows.sort(key=lambda row: [*dict.fromkeys(found["pattern"])].index(row[0]))
    return f"{_NUMBERS}\n{table(('pattern', '(p, a, h)', 'nodes', '3/(4p)', *kinds), rows)}"


def _variants(study: Path) -> str:
    found = pl.read_parquet(study / "results.parquet")
    base = {key[0]: row for key, row in _by_run(found.filter(pl.col("variant") == "")).items()}
    rows = []
    for (_, variant), row in _by_run(found.filter(pl.col("variant") != "")).items():
        plain = base[row["run"].removesuffix(f".{variant}")]
        size = f"({row['p']}, {row['a']}, {row['h']})"
        values = [
            f"{100 * value:.1f}" for value in (row["accepted"], plain["accepted"], row["exact"])
        ]
        rows.append((variant, size, row["pattern"], row["configuration"], *values))
    kept = [row for row in rows if not row[0].endswith("latency")]
    headings = ("variant", "(p, a, h)", "pattern", "configuration", "measured", "as is", "exact")
    return f"{_VARIANTS}\n{table(headings, kept)}"


def _by_run(found: pl.DataFrame) -> dict[tuple[str, str], dict[str, Any]]:
    return {(row["run"], row["variant"]): row for row in found.iter_rows(named=True)}


def table(headings: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Returns a table in Markdown."""
    lines = [headings, ("---",) * len(headings), *rows]
    return "".join(
        "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
