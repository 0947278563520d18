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
from compare.ember import BENCH, study
from compare.pantala_bench import Pantala
from compare.process import Failed
from compare.runs import Settings, measure
from compare.simulator import Simulator
from compare.sst import SC22, Sst
from compare.sst_study import SOURCES, SstStudy
from compare.study_runs import PantalaStudy, measure_study
from pantala.runs.benchmark import BENCHMARKS

__all__ = ["SIMULATORS", "app", "paths"]

#: All simulators except Pantala, in the order of the tables.
SIMULATORS: tuple[Simulator, ...] = (Sst(), SC22(), Codes(), BookSim2(), Caminos())

#: The benches that are compared by default. BENCH is compared end to end.
DEFAULT = ("uniform-72", "uniform-1056", BENCH)

#: The key of the fork's checkout in a file of paths.
_SOURCES_KEY = "sst_sc22_source"

_PATH = typer.Option(help="Path of its executable.", show_default=False)


class _Wrong(Exception):
    """A mistake of the user; the text says which."""


def paths(given: Mapping[str, str], file: Path | None) -> dict[str, str]:
    """Returns the executables by their simulator's key: from a TOML file, then from options.

    Raises:
        _Wrong: a key or an executable does not exist.
    """
    known = {simulator.key for simulator in SIMULATORS}
    named = _listed(file)
    named.pop(_SOURCES_KEY, None)
    named |= {key: path for key, path in given.items() if path}
    checked: dict[str, str] = {}
    for key, path in named.items():
        if key not in known:
            raise _Wrong(
                f"{file}: '{key}' is not a simulator; write one of"
                f" {', '.join(sorted({*known, _SOURCES_KEY}))}"
            )
        if not isinstance(path, str) or shutil.which(path) is None:
            raise _Wrong(
                f"{key} = {path!r}: there is no such executable; give the path of the simulator's"
                " program"
            )
        checked[key] = str(Path(path).absolute()) if "/" in path else path
    return checked


def sources(given: str, file: Path | None) -> Path | None:
    """Returns the checkout of SST's fork: from an option, or from a TOML file; None without one.

    Raises:
        _Wrong: the directory has no script of the fork.
    """
    named = given or _listed(file).get(_SOURCES_KEY, "")
    if not named:
        return None
    if not isinstance(named, str) or not (Path(named).expanduser() / SOURCES).is_file():
        raise _Wrong(
            f"{_SOURCES_KEY} = {named!r}: the directory has no {SOURCES}; give the checkout of the"
            " fork's sst-elements"
        )
    return Path(named).expanduser().absolute()


def _listed(file: Path | None) -> dict[str, object]:
    """Returns the entries of a file of paths; none without a file.

    Raises:
        _Wrong: the file cannot be read.
    """
    if file is None:
        return {}
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise _Wrong(f"{file}: cannot be read: {error}") from error


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
        list[str] | None, typer.Argument(help=f"Benches. Default: {', '.join(DEFAULT)}.")
    ] = None,
    sst: Annotated[str, _PATH] = "",
    sst_sc22: Annotated[str, _PATH] = "",
    sst_sc22_source: Annotated[
        str, typer.Option(help="Checkout of the fork, for the end-to-end case.", show_default=False)
    ] = "",
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
        checkout = sources(sst_sc22_source, file)
        chosen = list(benches or DEFAULT)
        described = _described([bench for bench in chosen if bench != BENCH])
    except _Wrong as error:
        print(f"compare: {error}", file=sys.stderr)
        raise typer.Exit(2) from error
    others = {simulator: found[simulator.key] for simulator in SIMULATORS if simulator.key in found}
    settings = Settings(repeats, share, timeout, keep.absolute() if keep else None)
    console.print(
        f"Pantala {pantala.__version__}, {table.machine()}; medians (least to greatest)\n",
        highlight=False,
    )
    try:
        for one in described:
            rows = measure(one, (Pantala(), sys.executable), others, settings, _progress)
            table.show(console, one, rows)
        if BENCH in chosen:
            _end_to_end(console, found.get(SC22.key), checkout, settings)
    except Failed as error:
        print(f"compare: {error}", file=sys.stderr)
        raise typer.Exit(1) from error
    absent = [simulator for simulator in SIMULATORS if simulator not in others]
    table.missing(console, ((each.title, each.key.upper(), each.install) for each in absent))


def _end_to_end(
    console: Console, sst: str | None, checkout: Path | None, settings: Settings
) -> None:
    """Measures the end-to-end case and prints its table."""
    made = study()
    other = (SstStudy(checkout), sst) if sst and checkout else None
    rows = measure_study(made, (PantalaStudy(), sys.executable), other, settings, _progress)
    table.show_study(console, made, rows)
    if sst and not checkout:
        console.print(
            f"{SC22.title}: no sources given, so {BENCH} ran in Pantala only. To run it in both,"
            f" give the checkout of the fork: {_SOURCES_KEY.upper()}=DIRECTORY\n",
            markup=False,
            highlight=False,
        )


def _progress(text: str) -> None:
    """Prints what runs, on a terminal only."""
    if sys.stderr.isatty():
        print(text, file=sys.stderr)


if __name__ == "__main__":
    app()
