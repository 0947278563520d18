"""The scenario of a command: a TOML file, a load file of SST's Ember, or a coNCePTuaL program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pantala.scenario import Scenario

__all__ = ["parse_variables", "read_scenario"]


def read_scenario(
    file: Path,
    changes: Mapping[str, Any],
    routing: str | None = None,
    preset: str | None = None,
    variables: Iterable[str] | None = None,
    ranks: int | None = None,
) -> Scenario:
    """Returns the scenario of a file with the options of a command.

    Args:
        file: a scenario in TOML, a load file, or a coNCePTuaL program.
        changes: the values of ``--set``.
        routing: the value of ``--routing``.
        preset: the value of ``--preset``, for a load file or a program.
        variables: the values of ``--var``, for a load file or a program.
        ranks: the value of ``--ranks``, only for a program.

    Raises:
        ScenarioError: the file is not a scenario.
        UsageError: an option does not fit the file.
    """
    from pantala.errors import ScenarioError, UsageError
    from pantala.scenario import Scenario

    changes = {**changes, **({} if routing is None else {"routing.algorithm": routing})}
    if file.suffix == ".ncptl":
        if ranks is None:
            raise UsageError(f"{file}: a program has no number of ranks; add --ranks N")
        from pantala.importers.ember import PRESET
        from pantala.importers.ncptl import ncptl_tables

        tables = ncptl_tables(file, ranks, preset or PRESET, parse_variables(variables))
        return Scenario.from_dict(tables, source=str(file), changes=changes)
    if file.suffix == ".py":
        raise UsageError(
            f"{file}: is a Python program, which a scenario names; write a scenario with a job that"
            f' has ranks and workload = {{ kind = "python", file = "{file}" }}'
        )
    if ranks is not None:
        raise UsageError(
            f"--ranks {ranks}: the option is for coNCePTuaL programs (FILE.ncptl); use --set, e.g."
            " --set jobs.NAME.ranks=64"
        )
    # A scenario in TOML needs no importer, and a small run is mostly its start.
    if file.suffix != ".toml":
        from pantala.importers.ember import PRESET, is_load_file

        if is_load_file(file):
            return Scenario.from_ember(
                file,
                preset=preset or PRESET,
                variables=parse_variables(variables),
                changes=changes,
            )
    for option, value in (("--preset", preset), ("--var", variables)):
        if value:
            shown = value if isinstance(value, str) else next(iter(value))
            raise UsageError(
                f"{option} {shown}: {file} is a scenario in TOML, and the option is for load files"
                " of Ember; use --set, e.g. --set machine.preset=kang2022"
            )
    try:
        return Scenario.from_toml(file, changes=changes)
    except ScenarioError:
        if not _is_experiment(file):
            raise
        raise UsageError(f"{file}: is an experiment; give it to pantala sweep") from None


def _is_experiment(file: Path) -> bool:
    from pantala.errors import PantalaError
    from pantala.experiments.description import read_experiment

    try:
        return read_experiment(file) is not None
    except PantalaError:
        return False


def parse_variables(given: Iterable[str] | None, option: str = "--var") -> dict[str, str]:
    """Returns the values of ``--var``, or of another option, by name.

    Raises:
        UsageError: a value is not ``NAME=VALUE``.
    """
    from pantala.errors import UsageError

    variables: dict[str, str] = {}
    for text in given or ():
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"{option} {text}: is not NAME=VALUE; write e.g. {option} NODES=64")
        variables[name.strip()] = value.strip()
    return variables
