"""`pantala figure`: draws a figure of one or several runs, or of a sweep."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pantala.cli import complete
from pantala.cli.arguments import out_file
from pantala.cli.titles import titles
from pantala.text.plain_text import say

__all__ = ["HELP", "figure"]

HELP = """Draw a figure of one or several runs, or of a sweep, ready for a paper.

Without a kind, the command lists the kinds. RUN is a run directory, or the directory of an
interference experiment: the figure then shows each job alone and all jobs together. For bar-grid,
seed-boxes, z-scores and effect-matrix, RUN is the directory of a sweep. Other kinds show runs of a
sweep that --where chooses."""


def figure(
    kind: Annotated[
        str | None,
        typer.Argument(
            metavar="KIND",
            help="The kind of figure.",
            show_default=False,
            autocompletion=complete.figures,
        ),
    ] = None,
    runs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="RUN...",
            help="Run directories, or the directory of a sweep.",
            show_default=False,
            autocompletion=complete.files,
        ),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            "-f",
            metavar="NAME",
            help="pdf, svg or png. Default: pdf.",
            autocompletion=complete.of(("pdf", "svg", "png")),
        ),
    ] = None,
    out: Annotated[
        Path | None,
        out_file("The file to write. Default: KIND.FORMAT in the current directory."),
    ] = None,
    link_class: Annotated[
        str | None,
        typer.Option(
            "--class",
            metavar="NAME",
            help="Links of this class; also network, terminal or all.",
            autocompletion=complete.link_classes,
        ),
    ] = None,
    job: Annotated[
        list[str] | None,
        typer.Option(
            "--job",
            metavar="NAME",
            help="Show or count this job only. Repeatable for figures with a row, line or panel"
            " per job.",
        ),
    ] = None,
    measure: Annotated[
        str | None,
        typer.Option(
            "--measure",
            metavar="NAME",
            help="What to show; pantala figure lists the measures of each kind.",
            autocompletion=complete.measures,
        ),
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(
            "--metric",
            metavar="NAME",
            help="The metric of a sweep's jobs. Default: communication time; for z-scores, run"
            " time.",
            autocompletion=complete.metrics,
        ),
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            "--where",
            metavar="AXIS=VALUE",
            help="Only the cases or runs of a sweep with this value. Repeatable.",
        ),
    ] = None,
) -> None:
    """Draws a figure and writes it to a file, or lists the kinds."""
    if kind is None:
        _list()
        return
    from pantala.api.load import load
    from pantala.cli.option_values import parse_cases
    from pantala.cli.tables import say_caveats
    from pantala.errors import UsageError
    from pantala.figures.drawing import draw
    from pantala.figures.notes import caveats_of_runs, write_below
    from pantala.figures.registry import kind_of
    from pantala.figures.save import FORMATS, check_place, save
    from pantala.figures.sweep_runs import choose_runs

    chosen = kind_of(kind)
    kind = chosen.name
    if form is not None and form not in FORMATS:
        raise UsageError(f"--format {form}: is not one of pdf, svg and png; write one of them")
    if out is not None and form is not None and out.suffix.lower() != f".{form}":
        raise UsageError(
            f"--out {out}: does not end in .{form}, as --format {form} says; remove --format"
        )
    if not runs:
        raise UsageError(
            f"figure {kind}: there is no run; write pantala figure {kind} RUN, with the directory"
            " that pantala run wrote"
        )
    target = check_place(out or Path(f"{kind}.{form or 'pdf'}"))
    named = titles(runs)
    opened = {title: load(path) for title, path in zip(named, runs, strict=True)}
    options = {
        name: value
        for name, value in (
            ("class", link_class),
            ("job", job or None),
            ("measure", measure),
            ("metric", metric),
            ("where", parse_cases(where) or None),
        )
        if value is not None
    }
    given, others = choose_runs(chosen, opened, options)
    drawn = draw(kind, given, others)
    caveats = caveats_of_runs(given)
    write_below(drawn, *(caveat.short for caveat in caveats))
    say_caveats(caveats)
    say(f"figure: {save(drawn, target)}")


def _list() -> None:
    from pantala.cli.tables import console, listing
    from pantala.figures.kind import RUNS
    from pantala.figures.registry import KINDS

    caption = "pantala figure KIND RUN... --format pdf|svg|png draws one."
    table = listing(("kind", "shows"), caption=caption)
    for kind in KINDS.values():
        options = ", ".join(
            f"--{name} {'|'.join(values)}" if name == "measure" and values else f"--{name}"
            for name, values in kind.options.items()
        )
        of = "" if kind.takes == RUNS else kind.takes
        parts = {"Of": of, "After": kind.source, "Needs": kind.records, "Options:": options}
        more = "".join(f" {word} {text}." for word, text in parts.items() if text)
        table.add_row(kind.name, f"{kind.text}{more}")
    console().print(table)
