"""`pantala capture`: runs an MPI program and writes its calls as an operation file."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.core import TyperGroup

from pantala.cli import complete
from pantala.cli.arguments import paragraphs
from pantala.cli.given_once import Application
from pantala.text.plain_text import say

if TYPE_CHECKING:
    from pantala.capture import Captured

__all__ = ["HELP", "app"]

HELP = """Run an MPI program and write its calls as an operation file.

The word [b]program[/b] of this command can be left out.

The command follows [b]--[/b], for example [b]pantala capture --out halo -- mpirun -n 8
./app[/b]. A job replays the file with [b]workload = { kind = "operations", path =
"halo/halo.operations" }[/b].

The program runs unchanged, with a library between it and MPI. Pantala builds this library on first
use with [b]mpicc[/b], or with the compiler that MPICC names. Programs in C, C++, Fortran and
mpi4py are captured. If the command is a script that starts several MPI programs, each gets a file.

A program that was killed leaves what it recorded: [b]pantala capture salvage DIR[/b] makes an
operation file of it.
"""

_SALVAGE_HELP = """Make an operation file of what an unfinished capture recorded.

The file ends after the last collective of MPI_COMM_WORLD that all ranks completed.
"""

#: The command that needs no name.
_PROGRAM = "program"

Out = Annotated[
    Path,
    typer.Option(
        "--out",
        "-o",
        metavar="DIR",
        help="Folder for the operation file, shared by all hosts of the program.",
        show_default=False,
        autocompletion=complete.files,
    ),
]
Name = Annotated[
    str | None,
    typer.Option("--name", metavar="NAME", help="Write DIR/NAME.operations. Default: DIR's name."),
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace the capture in DIR.")]


class _Group(TyperGroup):
    """A group of commands of which one needs no name: `pantala capture` runs a program."""

    def full(self, args: list[str]) -> list[str]:
        """Returns the words of a command line with the name of the command."""
        named = args[:1] in ([name] for name in self.commands)
        return args if named else [_PROGRAM, *args]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, self.full(args))


app = Application(cls=_Group, rich_markup_mode="rich")


@app.command(
    _PROGRAM,
    help=paragraphs(HELP),
    # The options after the first word of the program are its own, also without --.
    context_settings={"allow_interspersed_args": False},
)
def program(
    command: Annotated[
        list[str],
        typer.Argument(
            metavar="COMMAND...", help="The command that starts the program.", show_default=False
        ),
    ],
    out: Out,
    name: Name = None,
    clock: Annotated[
        Literal["wall", "cpu"],
        typer.Option(
            "--clock",
            help="Clock of the computing between calls: wall-clock time, or the CPU time of the"
            " thread that calls MPI. Use cpu if there are more ranks than processors.",
        ),
    ] = "wall",
    start: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="CALL",
            help="Record from this call on: barrier:N or allreduce:N (the N-th of"
            " MPI_COMM_WORLD), or pcontrol:N (the N-th MPI_Pcontrol). Default: MPI_Init.",
        ),
    ] = None,
    end: Annotated[
        str | None,
        typer.Option("--to", metavar="CALL", help="Record up to this call. Default: MPI_Finalize."),
    ] = None,
    overwrite: Overwrite = False,
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep the files of the single ranks in DIR/NAME.ranks.")
    ] = False,
    scenario: Annotated[
        Path | None,
        typer.Option(
            "--scenario",
            metavar="FILE.toml",
            help="Also write a scenario: the program alone, and beside another application. If the"
            " command starts several programs, each has one: FILE-1.toml, FILE-2.toml.",
            autocompletion=complete.files,
        ),
    ] = None,
) -> None:
    """Captures an MPI program."""
    from pantala.capture import capture
    from pantala.capture.scenario import check_scenario, scenario_path, write_scenario

    if scenario is not None:
        for jobs in (1, 2):
            check_scenario(scenario_path(scenario, 0, jobs), overwrite=overwrite)
    try:
        made = capture(
            command,
            out,
            name=name,
            clock=clock,
            start=start,
            end=end,
            overwrite=overwrite,
            keep=keep,
        )
    except KeyboardInterrupt:
        named = f" --name {name}" if name else ""
        text = f"pantala capture salvage {out}{named} makes a file of what was recorded"
        say(text, file=sys.stderr)
        raise
    if scenario is None:
        _show(made)
        return
    _list(made)
    paths = [scenario_path(scenario, at, len(made)) for at in range(len(made))]
    for each, path in zip(made, paths, strict=True):
        write_scenario(each.file, path, overwrite=overwrite)
    names = ", ".join(map(str, paths))
    each_program = "each program" if len(made) > 1 else "the program"
    say(f"\n{names}: {each_program} alone, and beside Halo3D. Next:\n")
    for path in paths:
        say(f"  pantala run {shlex.quote(str(path))}")


@app.command("salvage", help=paragraphs(_SALVAGE_HELP))
def salvage(
    out: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder of the capture.", show_default=False)
    ],
    name: Name = None,
    overwrite: Overwrite = False,
) -> None:
    """Makes operation files of an unfinished capture."""
    from pantala.capture import salvage as cut

    _show(cut(out, name=name, overwrite=overwrite))


def _list(made: Sequence[Captured]) -> None:
    for each in made:
        size = f"{each.bytes / 1e6:.3g} MB" if each.bytes >= 1e6 else f"{each.bytes / 1e3:.3g} kB"
        loop = f", {each.iterations:,} iterations" if each.iterations else ""
        say(f"{each.file}: {each.ranks} ranks, {each.operations:,} operations{loop}, {size}")
        for text in filter(None, (*each.notes, each.deadlock)):
            say(f"note: {text}", file=sys.stderr)


def _show(made: Sequence[Captured]) -> None:
    _list(made)
    say("\nA job that replays it:" if len(made) == 1 else "\nJobs that replay them:")
    for each in made:
        say("\n[[jobs]]")
        say(f'name = "{each.file.stem}"')
        say(f"ranks = {each.ranks}")
        say(f'workload = {{ kind = "operations", path = "{each.file}" }}')
