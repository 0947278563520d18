"""The command line `pantala`. Every command calls a function that Python can call too."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    import typer

    app: typer.Typer

__all__ = ["app", "main"]


def main(arguments: list[str] | None = None) -> NoReturn:
    """Runs a command line and exits.

    Exit status: 0 done, 1 the simulation or Pantala failed, 2 the input is at fault, 130
    interrupted, 141 the reader of the output has gone.
    """
    from pantala.cli.little_memory import run_in_little_memory
    from pantala.cli.streams import open_streams
    from pantala.system.command import begin_command

    begin_command()
    open_streams()
    line = list(sys.argv[1:] if arguments is None else arguments)
    run_in_little_memory(lambda: _run(line))


def _run(line: list[str]) -> NoReturn:
    if line[:1] == ["bench"] and "--json" in line:
        _bench_only(line[1:])
    from pantala.cli.application import run_line

    run_line(line)


def _bench_only(words: list[str]) -> None:
    """Runs `pantala bench NAME --json` and exits, without importing the command line.

    The import would take longer than small benchmarks. The function returns without effect if the
    words say anything else.
    """
    from pantala.runs.benchmark import BENCHMARKS, bench

    name, *more = [word for word in words if word != "--json"] or ["uniform-1056"]
    if more or name not in BENCHMARKS or words.count("--json") > 1:
        return
    import json

    from pantala.cli.streams import finished

    status = 0
    try:
        print(json.dumps(bench(name)))
    except BaseException as error:
        from pantala.cli.application import ended

        status = ended(error)
    sys.exit(finished(status))


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name == "app":
            from pantala.cli.commands import command_line

            globals()[name] = command_line()
            return globals()[name]
        raise AttributeError(f"module 'pantala.cli' has no attribute '{name}'")
