"""Write what the documentation shows of studies, from their packs: ``make studies``.

``studies/NAME`` has the packs of a study (`pantala study pack`). The page ``docs/studies/NAME.md``
is written by hand, but for the parts between ``<!-- made: PART -->`` and ``<!-- end -->``: status,
verdicts, variations, tables, figures and costs. ``docs/studies/NAME`` gets claims.csv and the
figures with their numbers. A study without packs has its claims, none of them run. The counts of
all studies go into ``docs/studies/index.md`` and, in one line, into README.md.

``--check`` compares the parts but for the figures with the packs, and exits with status 1 if they
differ. Figures are not compared, because they depend on the version of matplotlib.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path

from markdown_table import table
from pantala.papers import studies
from pantala.report.tables import ReportTable
from pantala.studies import Campaign, Judgement, Verdict
from pantala.studies.claims_document import (
    claims_frame,
    counts_in_words,
    measured_in_words,
    with_number,
)
from pantala.studies.packs import unpack
from pantala.studies.study_page import experiments_table, made_table, varied_tables
from pantala.text.amounts import counted, join

ROOT = Path(__file__).resolve().parents[1]
PACKS = ROOT / "studies"
PAGES = ROOT / "docs" / "studies"
README = ROOT / "README.md"
INDEX = PAGES / "index.md"
#: Larger tables of a figure are not published; `pantala study figures` writes them from the packs.
MOST_BYTES = 100_000
BEGIN, END = "<!-- made: {} -->\n", "<!-- end -->"
#: The verdicts that runs give, in the order of the tables.
JUDGED = (
    Verdict.HOLDS,
    Verdict.DIRECTION,
    Verdict.FAILS,
    Verdict.UNDECIDED,
    Verdict.ONE_SEED,
    Verdict.NOT_RUN,
)
#: What a sentence says of one claim and of several, where the verdict is no verb.
_NUMBERED = {
    Verdict.UNDECIDED: ("{} is undecided", "{} are undecided"),
    Verdict.ONE_SEED: ("{} has one seed only", "{} have one seed only"),
    Verdict.NOT_RUN: ("{} is not run", "{} are not run"),
}


def main(arguments: Sequence[str]) -> int:
    """Writes or checks the pages of all studies; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="name the pages that differ")
    check: bool = parser.parse_args(arguments).check
    texts: dict[Path, str] = {}
    counts: list[tuple[str, str, list[Judgement]]] = []
    for definition in studies():
        with tempfile.TemporaryDirectory(prefix="pantala-publish-") as folder:
            campaign = Campaign(definition, Path(folder) / "study", quick=False)
            packed = (PACKS / definition.name).is_dir()
            if packed:
                unpack(campaign, PACKS / definition.name)
            found = campaign.judgements()
            counts.append((definition.name, _seeds(campaign, found), found))
            parts = {
                "status": _status(campaign, found),
                "verdicts": _verdicts(found),
                "variations": "\n\n".join(map(_in_markdown, varied_tables(campaign, found))),
                "tables": "\n\n".join(
                    _in_markdown(made_table(campaign, each)) for each in campaign.tables()
                ),
                "costs": _in_markdown(experiments_table(campaign)),
            }
            if packed and not check:
                parts["figures"] = _figures(campaign, PAGES / definition.name)
            page = PAGES / f"{definition.name}.md"
            texts[page] = _filled(page, parts)
            texts[PAGES / definition.name / "claims.csv"] = claims_frame(found).write_csv()
    texts[INDEX] = _filled(INDEX, {"counts": _counts(counts)})
    texts[README] = _filled(README, {"studies": _line(counts)})
    stale = [
        path
        for path, text in texts.items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]
    for path in stale:
        print(f"{path.relative_to(ROOT)}: {'is stale; make studies' if check else 'written'}")
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(texts[path], encoding="utf-8")
    return int(check and bool(stale))


def _filled(page: Path, parts: Mapping[str, str]) -> str:
    """Returns a page with its made parts; parts that it has no place for are left out."""
    text = page.read_text(encoding="utf-8")
    for name, part in parts.items():
        begin = BEGIN.format(name)
        if begin in text:
            before, rest = text.split(begin)
            after = rest.split(END, 1)[1]
            text = f"{before}{begin}\n{part.strip()}\n\n{END}{after}"
    return text


def _seeds(campaign: Campaign, found: list[Judgement]) -> str:
    """Returns how many seeds the verdicts rest on, and how many the study has."""
    seeds = sorted({each.seeds for each in found if each.seeds})
    most = max(each.description.seeds for each in campaign.sweeps.values())
    return f"{join(list(map(str, seeds))) if seeds else 'none'} of {most}"


def _status(campaign: Campaign, found: list[Judgement]) -> str:
    """Returns what limits the verdicts, and the counts."""
    lines = [f"- Seeds behind a verdict: {_seeds(campaign, found)}."]
    lines += [f"- {each.text}" for each in campaign.caveats]
    lines += [f"- {line}" for line in counts_in_words(found)]
    return "\n".join(_wrapped(line, "  ") for line in lines) + "\n"


def _verdicts(found: list[Judgement]) -> str:
    rows = []
    for each in found:
        claim = each.claim
        remarks = " ".join(filter(None, [claim.partly, claim.unjudged, claim.changed]))
        cells = (
            f"{claim.id} ({claim.where})",
            f"**{each.words}**" if each.verdict is Verdict.HOLDS else each.words,
            _plain(f"{claim.statement} {remarks}".strip()),
            measured_in_words(each).replace("; ", "<br>"),
            _plain(claim.paper),
        )
        rows.append([cell.replace("|", "\\|") for cell in cells])
    return table(("claim", "verdict", "statement", "measured", "paper"), rows, 5) + "\n"


def _plain(text: str) -> str:
    """Returns a text in which Markdown finds no emphasis."""
    return text.replace("*", "\\*")


def _in_markdown(made: ReportTable) -> str:
    """Returns a table of a page with its caption above."""
    rows = [[f"**{cell.text}**" if cell.strong else cell.text for cell in row] for row in made.rows]
    return f"{_wrapped(made.caption)}\n\n{table(made.columns, rows)}"


def _figures(campaign: Campaign, place: Path) -> str:
    """Writes the figures of a study, and returns the text that shows them."""
    from pantala.studies.figures.files import write_figures

    place.mkdir(parents=True, exist_ok=True)
    for line in write_figures(campaign, place / "figures", "png"):
        print(f"{place.name}: {line}")
    for written in (place / "figures").glob("*.csv"):
        if written.stat().st_size > MOST_BYTES:
            written.unlink()
    parts = []
    for made in campaign.figures():
        entry = made.entry
        title = f"### {entry.title} ({entry.source})" if entry.source else f"### {entry.title}"
        if made.draw is None:
            parts.append(f"{title}\n\n{_wrapped(made.caption)}\n")
            continue
        file = f"{place.name}/figures/{entry.name}"
        there = (place / "figures" / f"{entry.name}.csv").is_file()
        numbers = f" [Numbers]({file}.csv)." if there else ""
        parts.append(
            f"{title}\n\n![{entry.title}]({file}.png)\n\n{_wrapped(made.caption + numbers)}\n"
        )
    return "\n".join(parts)


def _counts(counts: Sequence[tuple[str, str, list[Judgement]]]) -> str:
    """Returns a row per study and kind of claim with the number of each verdict."""
    if any(each.verdict is Verdict.NO_VALUE for _, _, found in counts for each in found):
        raise SystemExit("a claim has no value; add the verdict to JUDGED, so that rows sum up")
    rows = []
    for name, seeds, found in counts:
        for kind in dict.fromkeys(each.claim.kind for each in found):
            of_kind = [each for each in found if each.claim.kind == kind]
            numbers = [
                sum(each.verdict is verdict for each in of_kind)
                for verdict in (*JUDGED, Verdict.TEST, Verdict.UNJUDGED)
            ]
            rows.append((f"[{name}]({name}.md)", kind, seeds, *map(str, numbers)))
    headings = ("study", "claims", "seeds", *map(str, (*JUDGED, Verdict.TEST, Verdict.UNJUDGED)))
    return table(headings, rows, 2) + "\n"


def _line(counts: Sequence[tuple[str, str, list[Judgement]]]) -> str:
    """Returns the sums over all studies in one sentence."""
    sums = dict.fromkeys(JUDGED, 0)
    for _, _, found in counts:
        sums = {
            verdict: number + sum(each.verdict is verdict for each in found)
            for verdict, number in sums.items()
        }
    words = [
        _NUMBERED.get(verdict, (with_number(verdict, number),) * 2)[number != 1].format(number)
        for verdict, number in sums.items()
        if number
    ]
    return _wrapped(
        f"Of {counted(sum(sums.values()), 'claim')} of {len(counts)} papers that runs decide,"
        f" {join(words)}. [By paper](docs/studies/index.md); [what agrees across the"
        " papers](docs/studies/across.md)."
    )


def _wrapped(text: str, indent: str = "") -> str:
    """Returns a paragraph in lines of the length that pages have."""
    return textwrap.fill(
        text, 100, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
