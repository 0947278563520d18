"""`pantala import`: writes an input file of another program as a scenario."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from pantala.cli import complete
from pantala.cli.arguments import MachinePreset, RoutingName, Variables, paragraphs

__all__ = ["HELP", "app"]

HELP = "Write an input file of another simulator as a scenario."

app = typer.Typer(no_args_is_help=True)

_EMBER_HELP = """Write a load file of SST's Ember as a scenario in TOML.

The scenario has the jobs, nodes and motifs of the load file, the machine of [b]--preset[/b], the
host stack of SST ([b]mpi = "sst_sc22"[/b]) and the routing of [b]--routing[/b]. Jobs of idle nodes
(Null) are left out.

[b]pantala run FILE.load[/b] runs a load file directly.
"""


@app.command("ember", help=paragraphs(_EMBER_HELP))
def ember(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="The load file.",
            show_default=False,
            autocompletion=complete.load_files,
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Write the scenario to this file. Default: standard output.",
            autocompletion=complete.files,
        ),
    ] = None,
    preset: MachinePreset = None,
    routing: RoutingName = None,
    variables: Variables = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace an existing file of [b]--out[/b].")
    ] = False,
) -> None:
    """Writes a load file as a scenario."""
    from pantala.cli.scenario_file import parse_variables
    from pantala.errors import ScenarioError, UsageError
    from pantala.frontends.ember import ember_scenario, scenario_text
    from pantala.frontends.ember.scenario import PRESET
    from pantala.scenario import Scenario

    given = parse_variables(variables)
    imported = ember_scenario(file, preset or PRESET, given)
    tables = imported.tables | ({} if routing is None else {"routing": routing})
    try:
        scenario = Scenario.from_dict(tables, source=str(file))
    except ScenarioError as error:
        raise imported.located(error) from None
    imported.check_nodes(scenario.machine.nodes, preset or PRESET)
    text = scenario_text(tables, [f"Made from {file.name} by `pantala import ember`."])
    if out is None:
        sys.stdout.write(text)
        return
    if out.exists() and not overwrite:
        raise UsageError(f"{out}: exists; name another --out, or add --overwrite")
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"{out}: cannot be written: {error.strerror}; name another --out"
        ) from None
    print(f"{out}: written; run it with `pantala run {out}`", file=sys.stderr)
