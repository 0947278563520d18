"""`pantala study`: campaigns of runs that repeat a paper."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pantala.cli import complete
from pantala.cli.arguments import Workers, paragraphs
from pantala.cli.executors import (
    ExecutorName,
    Memory,
    Partition,
    RunsPerTask,
    Setup,
    SlurmOption,
    TimeLimit,
    Where,
)
from pantala.cli.given_once import Application
from pantala.cli.study_arguments import Name, Out, Quick, campaign_of, directory_of
from pantala.cli.study_figures import FIGURES_HELP, figures
from pantala.cli.study_packs import PACK_HELP, UNPACK_HELP, pack, unpack
from pantala.cli.tables import console, listing, say_caveats, say_line
from pantala.errors import UsageError, nearest
from pantala.text.amounts import counted
from pantala.text.plain_text import say

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pantala.experiments.estimate import Estimate
    from pantala.studies import Campaign

__all__ = ["HELP", "app"]

HELP = "Repeat the simulations of a paper: runs, figures, and a verdict on each claim."

app = Application(no_args_is_help=True)

_RUN_HELP = """Run the experiments of a study, and judge its claims.

To continue an interrupted study, give the same command again. Several processes can share DIR. A
long study can go in stretches: [b]--seeds 1[/b] first, then more; one experiment at a time; or what
the headline claims need first ([b]--claim headline[/b]).

[b]pantala study claims NAME[/b] shows the verdicts of the runs that are there.
"""

_CLAIMS_HELP = """Show the verdict on each claim of a study, from the runs that are there.

The rule for verdicts: [b]holds[/b] if the 95 % interval over seeds of each measure lies inside the
claim's bounds; [b]holds in direction[/b] if one lies outside, and the sign is right; [b]does not
hold[/b]; [b]undecided at N seeds[/b] if an interval straddles a bound; [b]one seed[/b] has no
interval and no verdict.
"""

_REPORT_HELP = """Write the page of a study: what limits it, the verdicts, each claim, figures.

The page shows the runs that are there; runs that are missing stand in its first line.
"""

_VERIFY_HELP = """Repeat stored runs of a study, drawn at random, and compare their results.

The exit status is 1 if a run has other results now.
"""


@app.command("run", help=paragraphs(_RUN_HELP))
def run(
    name: Name,
    quick: Quick = False,
    out: Out = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="List the runs and their cost; simulate nothing.")
    ] = False,
    seeds: Annotated[
        int | None,
        typer.Option(
            "--seeds",
            metavar="N",
            help="The number of seeds of every experiment. Default: what the study says.",
            min=1,
        ),
    ] = None,
    experiment: Annotated[
        list[str] | None,
        typer.Option(
            "--experiment",
            metavar="NAME",
            help="Simulate this experiment only. Can be repeated.",
        ),
    ] = None,
    claim: Annotated[
        list[str] | None,
        typer.Option(
            "--claim",
            metavar="ID",
            help="Simulate only what this claim needs, or all claims of a kind: headline, result."
            " Can be repeated.",
        ),
    ] = None,
    workers: Workers = None,
    executor: ExecutorName = "local",
    partition: Partition = None,
    time_limit: TimeLimit = None,
    runs_per_task: RunsPerTask = None,
    mem: Memory = None,
    setup: Setup = None,
    slurm_option: SlurmOption = None,
) -> None:
    """Runs a study."""
    from pantala.cli.interruption import InterruptedCommand
    from pantala.cli.option_values import check_workers_and_seed
    from pantala.papers import study
    from pantala.studies import Campaign

    found = study(name)
    check_workers_and_seed(workers, 0)
    where = Where.read(executor, partition, time_limit, runs_per_task, slurm_option, mem, setup)
    target = directory_of(found.name, out, quick=quick)
    campaign = Campaign(found, target, quick=quick, seeds=seeds)
    _check_experiments(experiment, campaign)
    chosen = [name for name in campaign.sweeps if not experiment or name in experiment]
    if claim:
        needed = campaign.ask_for(claim)
        chosen = [name for name in chosen if name in needed]
        if not chosen:
            raise UsageError(
                f"--claim {', '.join(claim)}: needs runs of {', '.join(needed)} only; leave out"
                " --experiment"
                if needed
                else f"--claim {', '.join(claim)}: the quick version has no run for it; give --full"
            )
    costs = _list(campaign, where, workers, chosen, dry_run=dry_run)
    if dry_run:
        return
    try:
        _simulate(campaign, where, costs)
    except KeyboardInterrupt:
        raise InterruptedCommand(
            f"interrupted; the finished runs are in {target}; to continue, give the same command"
            " again"
        ) from None
    _print_claims(campaign)
    say_line(f"study: {target}")
    if campaign.failed:
        failed = counted(campaign.failed, "run")
        say_line(f"{failed} failed; pantala status {target} lists the reasons")
        raise typer.Exit(1)


@app.command("claims", help=paragraphs(_CLAIMS_HELP))
def claims(
    name: Name,
    quick: Quick = False,
    out: Out = None,
    json_output: Annotated[
        bool, typer.Option("--json", help="Print the claims with all numbers as JSON.")
    ] = False,
    csv_output: Annotated[
        bool, typer.Option("--csv", help="Print the measures of the claims as CSV.")
    ] = False,
) -> None:
    """Shows the verdicts of a study."""
    if json_output and csv_output:
        raise UsageError("study claims: --json and --csv exclude each other; give one of them")
    campaign = campaign_of(name, out, quick=quick)
    if csv_output:
        from pantala.files.csv_text import csv_text
        from pantala.studies.claims_document import claims_frame

        say(csv_text(claims_frame(campaign.judgements())).rstrip("\n"))
        return
    if json_output:
        import json

        from pantala.studies.claims_document import claims_document

        say(json.dumps(claims_document(campaign), indent=2))
        return
    _print_claims(campaign)


@app.command("report", help=paragraphs(_REPORT_HELP))
def report(
    name: Name,
    quick: Quick = False,
    out: Out = None,
    page: Annotated[
        Path | None,
        typer.Option(
            "--page",
            metavar="FILE",
            help="The page. Default: report.html in the directory of the study.",
            autocompletion=complete.files,
        ),
    ] = None,
) -> None:
    """Writes the page of a study."""
    from pantala.studies.study_page import write_study

    campaign = campaign_of(name, out, quick=quick)
    if not campaign.experiments:
        raise UsageError(f"{campaign.root}: holds no run; give pantala study run {name}")
    target = page if page is not None else campaign.root / "report.html"
    say_line(f"report: {write_study(campaign, target)}")


@app.command("verify", help=paragraphs(_VERIFY_HELP))
def verify(
    name: Name,
    quick: Quick = False,
    out: Out = None,
    runs: Annotated[
        int, typer.Option("--runs", metavar="N", help="The number of runs to repeat.", min=1)
    ] = 5,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="The seed of the draw.")] = 1,
) -> None:
    """Repeats runs of a study."""
    from pantala.cli.option_values import check_workers_and_seed
    from pantala.studies.verify import repeat

    check_workers_and_seed(None, seed)
    campaign = campaign_of(name, out, quick=quick)
    differ = done = 0
    for each in repeat(campaign, runs, seed):
        done += 1
        differ += not each.equal
        how = "same results" if each.equal else f"other results than with {each.made_by}"
        say_line(f"{each.run} ({each.place}): {how}")
    if not done:
        raise UsageError(f"{campaign.root}: holds no run; give pantala study run {name}")
    if differ:
        say_line(
            f"of {counted(done, 'run')}, {differ} gave other results; begin anew with another --out"
        )
        raise typer.Exit(1)
    say_line(f"{counted(done, 'run')} repeated, with the same results")


app.command("figures", help=paragraphs(FIGURES_HELP))(figures)
app.command("pack", help=paragraphs(PACK_HELP))(pack)
app.command("unpack", help=paragraphs(UNPACK_HELP))(unpack)


@app.command("list", help="List the studies.")
def studies() -> None:
    """Lists the studies."""
    from pantala.papers import studies as all_studies

    table = listing(("study", "paper", "subject"))
    for each in all_studies():
        table.add_row(each.name, each.source, each.title)
    console().print(table)


def _list(
    campaign: Campaign,
    where: Where,
    workers: int | None,
    chosen: Sequence[str],
    *,
    dry_run: bool,
) -> dict[str, tuple[Estimate, int]]:
    """Prints the experiments and what they will cost; returns cost and workers of each."""
    from pantala.cli.sweep_tables import print_list
    from pantala.experiments.estimate import estimate, local_workers, probes_before

    if campaign.quick:
        say_line(campaign.study.file.quick)
    found = {}
    for name in chosen:
        made = campaign.sweeps[name]
        cost = estimate(made) if dry_run else estimate(made, probes_before(len(made.to_simulate)))
        at_once = workers or local_workers(cost, 1)
        print_list(made, cost, at_once if where.name == "local" else None, every=dry_run)
        where.warn_of_limit(cost, 1)
        if dry_run and where.name == "slurm" and cost.runs:
            say_line(where.preview(campaign.root, cost, 1))
        found[name] = cost, at_once
    _check_needs(campaign, {name: cost for name, (cost, _) in found.items()}, where, dry_run)
    return found


def _check_needs(
    campaign: Campaign, costs: Mapping[str, Estimate], where: Where, dry_run: bool
) -> None:
    """Says what the runs need; refuses a machine that has too little, before the first run."""
    from pantala.studies.needs import needs_of

    if not any(cost.runs for cost in costs.values()):
        return
    needs = needs_of(costs, campaign.root, local=where.name == "local")
    say_line(f"study {campaign.study.name}: {needs.words}")
    lacking = needs.lacking(campaign.root)
    if not dry_run and lacking:
        raise UsageError(f"study {campaign.study.name}: {lacking[0]}")
    for each in lacking:
        say_line(f"too small: {each}")


def _check_experiments(names: Sequence[str] | None, campaign: Campaign) -> None:
    for name in names or ():
        if name not in campaign.sweeps:
            close = nearest(name, list(campaign.sweeps))
            hint = f"did you mean '{close}'?" if close else f"choose {', '.join(campaign.sweeps)}"
            raise UsageError(f"--experiment {name}: the study has no such experiment; {hint}")


def _simulate(campaign: Campaign, where: Where, costs: Mapping[str, tuple[Estimate, int]]) -> None:
    """Simulates the missing runs of all experiments."""
    from pantala.runs.progress import SweepLine
    from pantala.text.plain_console import PlainConsole

    errors = PlainConsole(stderr=True)
    for name, (cost, at_once) in costs.items():
        errors.print(f"{name}:", markup=False, highlight=False)
        with (
            where.open(campaign.root, cost, at_once, 1) as executor,
            SweepLine(errors) as line,
        ):
            campaign.run_one(name, workers=at_once, executor=executor, on_progress=line.update)


def _print_claims(campaign: Campaign) -> None:
    from pantala.studies import Verdict
    from pantala.studies.claims_document import counts_in_words, measured_in_words

    found = campaign.judgements()
    say_caveats(campaign.caveats)
    # The quick version lists what it says something about.
    left_out = Verdict.NOT_RUN if campaign.quick else None
    rows = [
        (
            f"{each.claim.id}\n{each.claim.where}",
            each.claim.statement,
            each.claim.paper,
            measured_in_words(each),
            each.words,
        )
        for each in found
        if each.verdict is not left_out
    ]
    _show(("claim", "statement", "paper", "measured", "verdict"), rows, campaign.study.source)
    for line in counts_in_words(found):
        say_line(line)


def _show(columns: Sequence[str], rows: Sequence[Sequence[str]], source: str) -> None:
    from rich.box import SIMPLE_HEAD

    from pantala.cli.narrow_table import NarrowTable

    shown = NarrowTable(title=source, box=SIMPLE_HEAD, pad_edge=False)
    # The first line of the first cell, the identity, is never broken.
    least = max((len(row[0].partition("\n")[0]) for row in rows), default=0)
    for at, heading in enumerate(columns):
        shown.add_column(heading, min_width=None if at else least, vertical="top")
    for row in rows:
        shown.add_row(*row)
    console().print(shown)
