"""`pantala topology`: the links of a machine as numbers and files, and its possible deadlocks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from pantala.cli import complete
from pantala.cli.arguments import OptionalScenarioFile
from pantala.cli.tables import console, facts
from pantala.text.plain_text import say

__all__ = ["HELP", "topology"]

HELP = """Show the numbers of a Dragonfly, write its links to a file, or check it for deadlock.

The machine comes from a scenario, from a preset ([b]--preset theta[/b]) or from numbers
([b]--p 2 --a 4 --h 2[/b], or in two dimensions [b]--p 2 --rows 2 --columns 4 --h 2[/b]).

Each number replaces the value of the preset.

[b]--deadlock[/b] checks whether packets can wait for each other in a cycle. It checks the routings
of the scenario, the routings of [b]--routing[/b], or all routings. If there is a cycle, the command
prints it and exits with status 1.
"""


def topology(
    file: OptionalScenarioFile = None,
    preset: Annotated[
        str | None,
        typer.Option(
            "--preset", help="A machine preset, such as kang2022.", autocompletion=complete.machines
        ),
    ] = None,
    p: Annotated[int | None, typer.Option("--p", help="Nodes per router.")] = None,
    a: Annotated[int | None, typer.Option("--a", help="Routers per group (1D).")] = None,
    rows: Annotated[int | None, typer.Option("--rows", help="Rows per group (2D).")] = None,
    columns: Annotated[
        int | None, typer.Option("--columns", help="Columns per group (2D).")
    ] = None,
    h: Annotated[int | None, typer.Option("--h", help="Global links per router.")] = None,
    g: Annotated[int | None, typer.Option("--g", help="Groups. Default: a*h + 1.")] = None,
    links_per_local_pair: Annotated[
        int | None,
        typer.Option("--links-per-local-pair", help="Links between two routers of a group."),
    ] = None,
    links_per_row_pair: Annotated[
        int | None, typer.Option("--links-per-row-pair", help="Links between two routers of a row.")
    ] = None,
    links_per_column_pair: Annotated[
        int | None,
        typer.Option("--links-per-column-pair", help="Links between two routers of a column."),
    ] = None,
    links_per_pair: Annotated[
        int | None,
        typer.Option(
            "--links-per-pair",
            help="Global links between two groups; 0 for as many as the ports allow.",
        ),
    ] = None,
    global_arrangement: Annotated[
        str | None,
        typer.Option(
            "--global-arrangement",
            help="Global link arrangement: absolute, palmtree, circulant or random.",
            autocompletion=complete.global_arrangements,
        ),
    ] = None,
    port_assignment: Annotated[
        str | None,
        typer.Option(
            "--port-assignment", help="Router of a global link: consecutive or round_robin."
        ),
    ] = None,
    mirrored: Annotated[
        bool, typer.Option("--mirrored", help="Mirror the palmtree, as CAMINOS does.")
    ] = False,
    global_arrangement_seed: Annotated[
        int | None,
        typer.Option("--global-arrangement-seed", help="Seed of the random arrangement."),
    ] = None,
    links_file: Annotated[
        Path | None,
        typer.Option(
            "--links-file",
            metavar="FILE",
            help="Take the links from this table (.csv, .parquet) or run directory.",
            autocompletion=complete.files,
        ),
    ] = None,
    failed_links: Annotated[
        str | None,
        typer.Option(
            "--failed-links",
            metavar="LINKS",
            help="Links that have failed: [b]3:12,4-9[/b] (router:port, router-router) or a file.",
        ),
    ] = None,
    links: Annotated[
        Path | None,
        typer.Option(
            "--links",
            metavar="FILE",
            help="Write the links to this file (.parquet, .csv).",
            autocompletion=complete.files,
        ),
    ] = None,
    graphml: Annotated[
        Path | None,
        typer.Option(
            "--graphml",
            metavar="FILE",
            help="Write the routers and links to this GraphML file.",
            autocompletion=complete.files,
        ),
    ] = None,
    deadlock: Annotated[bool, typer.Option("--deadlock", help="Check for deadlock.")] = False,
    routing: Annotated[
        list[str] | None,
        typer.Option(
            "--routing",
            help="With --deadlock: a routing to check. Repeatable.",
            autocompletion=complete.routings,
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="With --deadlock: set a key, e.g. routing.vc_map=booksim2. Repeatable.",
        ),
    ] = None,
) -> None:
    """Shows and writes a topology."""
    from pantala.cli.option_values import parse_settings
    from pantala.errors import UsageError
    from pantala.export.graphml import write_topology_graphml
    from pantala.export.links import write_links
    from pantala.planning import topology as topology_of
    from pantala.scenario import Scenario

    numbers: dict[str, Any] = {
        "kind": "dragonfly_2d" if rows is not None or columns is not None else None,
        "p": p,
        "a": a,
        "rows": rows,
        "columns": columns,
        "h": h,
        "g": g,
        "links_per_local_pair": links_per_local_pair,
        "links_per_row_pair": links_per_row_pair,
        "links_per_column_pair": links_per_column_pair,
        "links_per_pair": links_per_pair,
        "global_arrangement": global_arrangement,
        "port_assignment": port_assignment,
        "mirrored": mirrored or None,
        "global_arrangement_seed": global_arrangement_seed,
        "links_file": None if links_file is None else str(links_file),
        "failed_links": None if failed_links is None else _failed_links(failed_links),
    }
    given = {key: value for key, value in numbers.items() if value is not None}
    if file is not None and (given or preset):
        raise UsageError(
            f"{file}: a scenario has its own machine; remove the scenario, or remove the options of"
            " the machine"
        )
    if routing and not deadlock:
        raise UsageError("--routing: needs --deadlock; add --deadlock")
    changes = parse_settings(settings)
    if changes and not deadlock:
        raise UsageError(
            "--set: needs --deadlock; add --deadlock, or change the topology with --p, --a, ..."
        )
    scenario = None if file is None else Scenario.from_toml(file, changes=changes)
    chosen = topology_of.topology(given, preset) if scenario is None else scenario.machine.topology
    if deadlock:
        machine = {"preset": preset or "kang2022", "topology": chosen.model_dump()}
        _search(scenario, machine, routing or [], changes)
        return
    table = topology_of.link_table(chosen)
    written = []
    if links is not None:
        write_links(chosen, links)
        written.append(links)
    if graphml is not None:
        write_topology_graphml(chosen, graphml)
        written.append(graphml)
    summary = facts()
    for key, value in topology_of.summary(chosen, table).items():
        summary.add_row(key, value)
    output = console()
    output.print(summary)
    for path in written:
        output.print(f"written: {path}", highlight=False, markup=False, soft_wrap=True)


def _failed_links(text: str) -> list[str] | str:
    """Returns the links of an option, or the file that it names."""
    from pantala.scenario.link_files import parse_link

    items = [item.strip() for item in text.split(",")]
    try:
        for item in items:
            parse_link(item)
    except ValueError:
        return text
    return items


def _search(
    scenario: Any, machine: dict[str, Any], routings: list[str], changes: dict[str, Any]
) -> None:
    """Prints whether packets can deadlock; exits with status 1 if they can."""
    from pantala.planning import deadlock as search

    cyclic = False
    found: Any
    if scenario is not None:
        others = [{"routing.algorithm": name} for name in routings] or [{}]
        found = (("", search.deadlock(scenario.replace(other))) for other in others)
    elif routings:
        found = (
            (name, search.deadlock(search.on_machine(machine, name, changes))) for name in routings
        )
    else:
        found = search.deadlocks(machine, changes)
    for name, answer in found:
        if isinstance(answer, str):
            say(f"{name}: cannot run on this machine: {answer}")
            continue
        say("\n".join(search.lines(answer, name)))
        cyclic = cyclic or answer["cycle"] is not None
    if cyclic:
        raise typer.Exit(1)
