"""`pantala capture`: runs an MPI program and writes its calls as an operation file."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from pantala.cli import complete
from pantala.text.plain_text import say

__all__ = ["HELP", "capture"]

HELP = """Run an MPI program and write its calls as an operation file.

The command follows [b]--[/b], for example [b]pantala capture --out halo -- mpirun -n 8
./app[/b]. A job replays the file with [b]workload = { kind = "operations", path =
"halo/halo.operations" }[/b].

The program runs unchanged, with a library between it and MPI. Pantala builds this library on first
use with [b]mpicc[/b], or with the compiler that MPICC names. Programs in C, C++ and mpi4py are
captured. Programs with MPI calls from Fortran are refused, also if a library makes them.
"""


def capture(
    command: Annotated[
        list[str],
        typer.Argument(
            metavar="COMMAND...", help="The command that starts the program.", show_default=False
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            metavar="DIR",
            help="Folder for the operation file, shared by all hosts of the program.",
            show_default=False,
            autocompletion=complete.files,
        ),
    ],
    name: Annotated[
        str | None,
        typer.Option(
            "--name", metavar="NAME", help="Write DIR/NAME.operations. Default: DIR's name."
        ),
    ] = None,
    clock: Annotated[
        Literal["wall", "cpu"],
        typer.Option(
            "--clock",
            help="Clock of the computing between calls: wall-clock time, or the CPU time of the"
            " thread that calls MPI. Use cpu if there are more ranks than cores.",
        ),
    ] = "wall",
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace the capture in DIR.")
    ] = False,
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep the files of the single ranks.")
    ] = False,
    scenario: Annotated[
        Path | None,
        typer.Option(
            "--scenario",
            metavar="FILE.toml",
            help="Also write a scenario: the program alone, and beside another application.",
            autocompletion=complete.files,
        ),
    ] = None,
) -> None:
    """Captures an MPI program."""
    from pantala.capture import capture as run
    from pantala.capture.scenario import check_scenario, write_scenario

    if scenario is not None:
        check_scenario(scenario, overwrite=overwrite)
    made = run(command, out, name=name, clock=clock, overwrite=overwrite, keep=keep)
    size = f"{made.bytes / 1e6:.3g} MB" if made.bytes >= 1e6 else f"{made.bytes / 1e3:.3g} kB"
    say(f"{made.file}: {made.ranks} ranks, {made.operations:,} operations, {size}")
    for text in made.notes:
        say(f"note: {text}", file=sys.stderr)
    if scenario is not None:
        write_scenario(made.file, scenario, overwrite=overwrite)
        say(f"\n{scenario}: the program alone, and beside Halo3D. Next:\n")
        say(f"  pantala run {shlex.quote(str(scenario))}")
        return
    say("\nA job that replays it:\n")
    say("[[jobs]]")
    say(f'name = "{made.file.stem}"')
    say(f"ranks = {made.ranks}")
    say(f'workload = {{ kind = "operations", path = "{made.file}" }}')
