"""Compare Pantala with other simulators: ``make compare SST=/path/to/sst ...``."""

from __future__ import annotations

import shutil
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

import pantala
from compare import table
from compare.booksim2 import BookSim2
from compare.caminos import Caminos
from compare.codes import Codes
from compare.description import Description, NotComparable, cases, describe
from compare.pantala_bench import Pantala
from compare.process import Failed
from compare.runs import Settings, measure
from compare.simulator import Simulator
from compare.sst import SC22, Sst
from pantala.runs.benchmark import BENCHMARKS

__all__ = ["SIMULATORS", "app", "paths"]

#: All simulators except Pantala, in the order of the tables.
SIMULATORS: tuple[Simulator, ...] = (Sst(), SC22(), Codes(), BookSim2(), Caminos())

_PATH = typer.Option(help="Path of its executable.", show_default=False)


class _Wrong(Exception):
    """A mistake of the user; the text says which."""


def paths(given: Mapping[str, str], file: Path | None) -> dict[str, str]:
    """Returns the executables by their simulator's key: from a TOML file, then from options.

    Raises:
        _Wrong: a key or an executable does not exist.
    """
    known = {simulator.key for simulator in SIMULATORS}
    named: dict[str, object] = {}
    if file is not None:
        try:
            named = tomllib.loads(file.read_text(encoding="utf-8"))
        except (OSError, tomllib.TOMLDecodeError) as error:
            raise _Wrong(f"{file}: cannot be read: {error}") from error
    named |= {key: path for key, path in given.items() if path}
    checked: dict[str, str] = {}
    for key, path in named.items():
        if key not in known:
            raise _Wrong(
                f"{file}: '{key}' is not a simulator; write one of {', '.join(sorted(known))}"
            )
        if not isinstance(path, str) or shutil.which(path) is None:
            raise _Wrong(
                f"{key} = {path!r}: there is no such executable; give the path of the simulator's"
                " program"
            )
        checked[key] = str(Path(path).absolute()) if "/" in path else path
    return checked


def _described(benches: Sequence[str]) -> list[Description]:
    """Returns the descriptions of all cases of the benches.

    Raises:
        _Wrong: a bench does not exist or cannot be compared.
    """
    found: list[Description] = []
    for bench in benches:
        if bench not in BENCHMARKS:
            raise _Wrong(f"there is no benchmark '{bench}'; choose one of {', '.join(BENCHMARKS)}")
        try:
            found.extend(describe(bench, case) for case in cases(bench))
        except NotComparable as error:
            raise _Wrong(f"{bench}: cannot be compared: {error}") from error
    return found


app = typer.Typer(add_completion=False)


@app.command()
def compare(
    benches: Annotated[
        list[str] | None, typer.Argument(help="Benches. Default: uniform-72 and uniform-1056.")
    ] = None,
    sst: Annotated[str, _PATH] = "",
    sst_sc22: Annotated[str, _PATH] = "",
    codes: Annotated[str, _PATH] = "",
    booksim: Annotated[str, _PATH] = "",
    caminos: Annotated[str, _PATH] = "",
    file: Annotated[
        Path | None, typer.Option("--paths", help="TOML file of paths: sst = '/path/to/sst'.")
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Runs of every simulator.")] = 3,
    share: Annotated[
        float,
        typer.Option(min=1e-4, max=1, help="Share of the simulated time for other simulators."),
    ] = 0.1,
    timeout: Annotated[float, typer.Option(min=1, help="Time limit per run in seconds.")] = 1_200,
    keep: Annotated[
        Path | None, typer.Option(help="Directory to keep configurations and outputs in.")
    ] = None,
) -> None:
    """Measures packet-hops per CPU-second of Pantala and of other simulators, in turn."""
    console = Console(width=None if sys.stdout.isatty() else 160)
    given = {
        "sst": sst,
        "sst_sc22": sst_sc22,
        "codes": codes,
        "booksim": booksim,
        "caminos": caminos,
    }
    try:
        found = paths(given, file)
        described = _described(benches or ["uniform-72", "uniform-1056"])
    except _Wrong as error:
        print(f"compare: {error}", file=sys.stderr)
        raise typer.Exit(2) from error
    others = {simulator: found[simulator.key] for simulator in SIMULATORS if simulator.key in found}
    settings = Settings(repeats, share, timeout, keep.absolute() if keep else None)
    console.print(
        f"Pantala {pantala.__version__}, {table.machine()}; medians (least to greatest)\n",
        highlight=False,
    )
    for one in described:
        try:
            rows = measure(one, (Pantala(), sys.executable), others, settings, _progress)
        except Failed as error:
            print(f"compare: {error}", file=sys.stderr)
            raise typer.Exit(1) from error
        table.show(console, one, rows)
    absent = [simulator for simulator in SIMULATORS if simulator not in others]
    table.missing(console, ((each.title, each.key.upper(), each.install) for each in absent))


def _progress(text: str) -> None:
    """Prints what runs, on a terminal only."""
    if sys.stderr.isatty():
        print(text, file=sys.stderr)


if __name__ == "__main__":
    app()
