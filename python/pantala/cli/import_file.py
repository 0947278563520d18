"""`pantala import`: writes an input file of another program as a scenario."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from pantala.cli import complete
from pantala.cli.arguments import MachinePreset, RoutingName, Variables, out_file, paragraphs
from pantala.cli.given_once import Application
from pantala.text.plain_text import say, say_document

__all__ = ["HELP", "app"]

HELP = "Write an input file of another simulator as a scenario."

app = Application(no_args_is_help=True)

ScenarioOut = Annotated[
    Path | None,
    out_file("Write the scenario to this file. Default: standard output."),
]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Replace an existing file of [b]--out[/b].")
]

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
    out: ScenarioOut = None,
    preset: MachinePreset = None,
    routing: RoutingName = None,
    variables: Variables = None,
    overwrite: Overwrite = False,
) -> None:
    """Writes a load file as a scenario."""
    from pantala.cli.scenario_file import parse_variables
    from pantala.errors import ScenarioError
    from pantala.importers.ember import ember_scenario, scenario_text
    from pantala.importers.ember.scenario import PRESET
    from pantala.scenario import Scenario

    given = parse_variables(variables)
    imported = ember_scenario(file, preset or PRESET, given)
    tables = imported.tables | ({} if routing is None else {"routing": routing})
    try:
        scenario = Scenario.from_dict(tables, source=str(file))
    except ScenarioError as error:
        raise imported.located(error) from None
    imported.check_nodes(scenario.machine.nodes, preset or PRESET)
    _write(
        scenario_text(tables, [f"Made from {file.name} by `pantala import ember`."]), out, overwrite
    )


_CODES_HELP = """Write the files of CODES' MPI replay as a scenario in TOML.

FILE is the workload file ([b]--workload_conf_file[/b] of CODES): one line per job with ranks,
workload, qos_level and mean_interval. A workload is the prefix of a DUMPI trace, a coNCePTuaL
program of Union ([b]conceptual-NAME[/b]), a model of SWM such as [b]milc[/b], or
[b]synthetic1[/b] to [b]synthetic6[/b].

CODES describes the network in another file, which Pantala does not read: [b]--preset[/b] and
[b]--routing[/b] name both.
"""


@app.command("codes", help=paragraphs(_CODES_HELP))
def codes(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="The workload file.",
            show_default=False,
            autocompletion=complete.files,
        ),
    ],
    alloc: Annotated[
        Path | None,
        typer.Option(
            "--alloc",
            metavar="FILE",
            help="Allocation file: one line of nodes per job. Default: consecutive nodes.",
            autocompletion=complete.files,
        ),
    ] = None,
    timer: Annotated[
        Path | None,
        typer.Option(
            "--timer",
            metavar="FILE",
            help="Timer file: `0 END` per job starts it at END ns.",
            autocompletion=complete.files,
        ),
    ] = None,
    period: Annotated[
        Path | None,
        typer.Option(
            "--period",
            metavar="FILE",
            help="Period file: `1 0:INTERVAL` per job sets its interval in ns.",
            autocompletion=complete.files,
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            metavar="DIR",
            help="Folder of the JSON files and coNCePTuaL programs. Default: the folder of FILE.",
            autocompletion=complete.files,
        ),
    ] = None,
    payload: Annotated[
        int,
        typer.Option(
            "--payload",
            metavar="BYTES",
            min=1,
            max=2**31,
            help="Bytes of a synthetic message (--payload_sz of CODES).",
        ),
    ] = 1024,
    duration: Annotated[
        str | None,
        typer.Option(
            "--duration",
            metavar="TIME",
            help="End of the run. Needed if all jobs are synthetic.",
        ),
    ] = None,
    out: ScenarioOut = None,
    preset: Annotated[
        str,
        typer.Option(
            "--preset", metavar="NAME", help="The machine.", autocompletion=complete.machines
        ),
    ] = "kang2022",
    routing: Annotated[
        str,
        typer.Option(
            "--routing",
            metavar="NAME",
            help="Routing algorithm.",
            autocompletion=complete.routings,
        ),
    ] = "minimal",
    overwrite: Overwrite = False,
) -> None:
    """Writes the files of CODES' MPI replay as a scenario."""
    from pantala.errors import ScenarioError
    from pantala.importers.codes import CodesFiles, codes_scenario
    from pantala.importers.scenario_text import scenario_text
    from pantala.scenario import Scenario
    from pantala.scenario.machine import machine_of_preset

    machine = machine_of_preset(preset, "--preset")
    imported = codes_scenario(
        CodesFiles(file, alloc, timer, period, data),
        int(machine.links.terminal.bandwidth),
        preset=preset,
        routing=routing,
        payload=payload,
        duration=duration,
    )
    try:
        scenario = Scenario.from_dict(imported.tables, source=str(file))
    except ScenarioError as error:
        raise imported.located(error) from None
    imported.check_nodes(scenario.machine.nodes, preset)
    comment = f"Made from {file.name} by `pantala import codes`."
    _write(scenario_text(imported.tables, [comment]), out, overwrite)


def _write(text: str, out: Path | None, overwrite: bool) -> None:
    """Writes a scenario to a file, or to standard output.

    Raises:
        UsageError: the file exists or cannot be written.
    """
    from pantala.cli.option_values import check_free
    from pantala.errors import UsageError
    from pantala.files.atomic_file import write_text

    if out is None:
        say_document(text)
        return
    check_free(out, overwrite=overwrite)
    try:
        write_text(out, text)
    except OSError as error:
        raise UsageError(
            f"{out}: cannot be written: {error.strerror}; name another --out"
        ) from None
    say(f"{out}: written; run it with `pantala run {out}`", file=sys.stderr)
