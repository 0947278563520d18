"""`pantala compare`: runs and experiments side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pantala.cli import complete
from pantala.cli.arguments import out_file
from pantala.cli.tables import console, listing, say_caveats, say_line
from pantala.text.plain_text import say

if TYPE_CHECKING:
    from pantala.comparison.comparison import Comparison

__all__ = ["HELP", "compare"]

HELP = """Compare runs or experiments with the first of them: plans, metrics, intervals.

DIR is a directory of [b]pantala run[/b] or [b]pantala sweep[/b]. Runs of equal seeds are compared
in pairs. With [b]--by AXIS[/b] the values of an axis of one experiment are compared instead.
Failed, missing, refused and truncated runs are named and not compared.

[b]--out FILE.html[/b] writes one page with all metrics and the figures overlaid."""

#: Lines of each list that the command prints; --json and --out have all.
_MOST = 20
#: Rows of metrics that the command prints.
_MOST_ROWS = 200


def compare(
    directories: Annotated[
        list[Path],
        typer.Argument(
            metavar="DIR...",
            help="Directories; the first is the base.",
            show_default=False,
            autocompletion=complete.files,
        ),
    ],
    by: Annotated[
        str | None,
        typer.Option("--by", metavar="AXIS", help="Compare the values of this axis of one DIR."),
    ] = None,
    base: Annotated[
        str | None,
        typer.Option(
            "--base",
            metavar="VALUE",
            help="With --by: the value that the others are compared with. Default: the first.",
        ),
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            "--where", metavar="AXIS=VALUE", help="Only cases with this value. Repeatable."
        ),
    ] = None,
    job: Annotated[
        list[str] | None,
        typer.Option("--job", metavar="NAME", help="Only this job. Repeatable."),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            metavar="NAME",
            help="Only this metric. Repeatable.",
            autocompletion=complete.metrics,
        ),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Print all metrics, not only the main ones.")
    ] = False,
    truncated: Annotated[
        bool,
        typer.Option("--truncated", help="Compare runs and jobs that did not end, too; marked."),
    ] = False,
    confidence: Annotated[
        float, typer.Option("--confidence", metavar="SHARE", help="Confidence of the intervals.")
    ] = 0.95,
    bootstrap: Annotated[
        bool, typer.Option("--bootstrap", help="Bootstrap in place of Student's intervals.")
    ] = False,
    spread: Annotated[
        bool,
        typer.Option(
            "--spread",
            help="Print standard deviation and 95th percentile over seeds in place of intervals.",
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, with all metrics.")] = False,
    out: Annotated[
        Path | None,
        out_file("Write an HTML page."),
    ] = None,
) -> None:
    """Compares directories."""
    from pantala.cli.option_values import parse_cases
    from pantala.cli.titles import titles
    from pantala.comparison.compare import compare as compare_directories

    if out is not None:
        _check_place(out)
    found = compare_directories(
        dict(zip(titles(directories), directories, strict=True)),
        by=by,
        base=base,
        where=parse_cases(where),
        jobs=job or (),
        metrics=metric or (),
        truncated=truncated,
        confidence=confidence,
        method="bootstrap" if bootstrap else "student",
    )
    if as_json:
        import json

        say(json.dumps(found.document(), indent=2))
    else:
        _show(found, everything=every or bool(metric), spread=spread)
    if out is not None:
        from pantala.report.comparison import write_comparison

        written = write_comparison(found, out)
        if not as_json:
            say(f"page: {written}")


def _check_place(out: Path) -> None:
    from pantala.errors import UsageError

    if out.suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"--out {out}: does not end in .html; write e.g. --out compare.html")
    if not out.absolute().parent.is_dir():
        raise UsageError(f"--out {out}: there is no directory {out.parent}; make it first")


def _show(found: Comparison, *, everything: bool, spread: bool) -> None:
    from pantala.comparison.comparison import HEADLINES
    from pantala.comparison.quantities import with_interval, with_spread
    from pantala.errors import shortened

    base, *others = found.titles
    output = console()
    say_caveats(found.caveats)
    if found.plans:
        plans = listing(["key", *found.titles, ""], title="Differences of the plans")
        for change in found.plans[:_MOST]:
            plans.add_row(change.key, *change.values, change.scope)
        output.print(plans)
        _rest(len(found.plans))
    else:
        say_line("The plans are equal.")
    for other in others:
        rows = [row for row in found.rows if row.other == other]
        if not rows:
            say_line(f"{base} and {other}: nothing to compare")
            continue
        shown = [row for row in rows if everything or row.metric in HEADLINES] or rows
        drawn = listing(
            [
                *found.axes,
                *["part"] * found.has_parts,
                "job",
                "metric",
                base,
                other,
                f"{other} against {base}",
            ],
            title=f"{base} and {other}",
        )
        for row in shown[:_MOST_ROWS]:
            numbers = row.difference
            drawn.add_row(
                *row.case,
                *[row.part] * found.has_parts,
                row.job or "(run)",
                row.metric,
                *(
                    with_spread(row.metric, mean.mean, varied)
                    if spread
                    else with_interval(row.metric, mean)
                    for mean, varied in (
                        (numbers.base, numbers.base_spread),
                        (numbers.other, numbers.other_spread),
                    )
                ),
                row.words,
            )
        output.print(drawn)
        if len(shown) > _MOST_ROWS:
            more = len(shown) - _MOST_ROWS
            say_line(f"... {more:,} more rows; --where AXIS=VALUE chooses cases, --json lists all")
        if len(shown) < len(rows):
            say_line(f"... {len(rows) - len(shown)} more metrics; --all prints them")
    if found.note:
        say_line(found.note)
    if found.left_out:
        say_line("Left out:" if not any(row.truncated for row in found.rows) else "Note:")
        for each in found.left_out[:_MOST]:
            say_line(f"  {shortened(each.text, 300)}")
        _rest(len(found.left_out))


def _rest(number: int) -> None:
    if number > _MOST:
        say_line(f"  ... {number - _MOST:,} more; --json lists all")
