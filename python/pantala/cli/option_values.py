"""Values of command-line options: `--set KEY=VALUE`, seeds, threads, lists of numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pantala.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from pantala.core.extension import Threads

__all__ = [
    "check_free",
    "check_workers_and_seed",
    "detail_changes",
    "parse_cases",
    "parse_loads",
    "parse_numbers",
    "parse_seeds",
    "parse_settings",
    "parse_share",
    "parse_threads",
]


def check_free(file: Path, *, overwrite: bool, named: str = "--out") -> None:
    """Checks that a file may be written.

    Args:
        file: the file to write.
        overwrite: whether an existing file may be replaced.
        named: the argument that names it.

    Raises:
        UsageError: the file exists. A device or a pipe may.
    """
    if file.is_file() and not overwrite:
        raise UsageError(f"{file}: exists; name another {named}, or add --overwrite")


def detail_changes(coarsen: int | None, skip: str | None) -> dict[str, Any]:
    """Returns the scenario's values that ``--coarsen`` and ``--skip`` set, by dotted key."""
    given: dict[str, Any] = {"detail.coarsen": coarsen, "skip.tolerance": skip}
    if skip == "auto":
        given |= {"skip.tolerance": "1 %", "skip.if_worth": True}
    return {key: value for key, value in given.items() if value is not None}


def parse_cases(where: Iterable[str] | None) -> dict[str, str]:
    """Returns the values of ``--where`` by axis.

    Raises:
        UsageError: one has no ``=``, or an axis has two values.
    """
    chosen: dict[str, str] = {}
    for text in where or ():
        axis, equals, value = text.partition("=")
        if not equals:
            raise UsageError(
                f"--where {text}: is not AXIS=VALUE; write e.g. --where routing.algorithm=par"
            )
        name, wanted = axis.strip(), value.strip()
        if chosen.setdefault(name, wanted) != wanted:
            raise UsageError(
                f"--where {text}: {name} has the value {chosen[name]} already, and a case has one;"
                f" give --where {name}=VALUE once"
            )
    return chosen


def parse_settings(settings: Iterable[str] | None) -> dict[str, Any]:
    """Returns the values of ``--set`` by dotted key; a value that is no TOML counts as text.

    Raises:
        UsageError: a setting has no ``=`` or no key.
    """
    changes: dict[str, Any] = {}
    for setting in settings or ():
        key, equals, text = setting.partition("=")
        if not equals or not key.strip():
            raise UsageError(
                f"--set {setting}: is not KEY=VALUE; write e.g. --set machine.router.arbiter=age"
            )
        changes[key.strip()] = _value(text.strip())
    return changes


def check_workers_and_seed(workers: int | None, seed: int) -> None:
    """Checks ``--workers`` and ``--seed``.

    Raises:
        UsageError: one of them is out of range.
    """
    if workers is not None and workers < 1:
        raise UsageError(f"--workers {workers}: must be at least 1; write 1 or more")
    if not 0 <= seed < 2**63:
        raise UsageError(f"--seed {seed}: must be from 0 to 2^63 - 1")


def parse_threads(text: str) -> Threads:
    """Returns the number of threads that ``--threads`` gives, or "auto".

    Raises:
        UsageError: it is neither.
    """
    if text == "auto":
        return "auto"
    try:
        return int(text)
    except ValueError:
        raise UsageError(
            f"--threads {text}: is not a number; give a number of threads, or auto"
        ) from None


def parse_loads(text: str) -> list[float]:
    """Returns the loads of a list such as ``0.1,0.3,0.5``.

    Raises:
        UsageError: an item is not a number.
    """
    try:
        return [float(word) for word in text.split(",") if word.strip()]
    except ValueError:
        raise UsageError(
            f"--loads {text}: is not a list of numbers; write e.g. --loads 0.1,0.3,0.5"
        ) from None


def parse_share(option: str, text: str) -> float:
    """Returns the share of a text such as ``2%`` or ``0.02``.

    Raises:
        UsageError: it is not a number.
    """
    try:
        return float(text.strip().removesuffix("%")) / (100 if text.strip().endswith("%") else 1)
    except ValueError:
        raise UsageError(
            f"{option} {text}: is not a share; write e.g. {option} 2% or {option} 0.02"
        ) from None


def parse_numbers(option: str, text: str, example: str = "4,4,8") -> list[int]:
    """Returns the whole numbers of a list such as ``4,4,8``.

    Args:
        option: the option.
        text: its value.
        example: a value that is right.

    Raises:
        UsageError: an item is not a whole number.
    """
    try:
        return [int(word) for word in text.split(",") if word.strip()]
    except ValueError:
        raise UsageError(
            f"{option} {text}: is not a list of whole numbers; write e.g. {option} {example}"
        ) from None


def parse_seeds(text: str) -> int | list[int]:
    """Returns the number of seeds, or the seeds of a list such as ``1,2,5``.

    Raises:
        UsageError: it is neither.
    """
    numbers = parse_numbers("--seeds", text, "3 or --seeds 1,2,3")
    if not numbers:
        raise UsageError(f"--seeds {text}: has no number; write e.g. --seeds 5")
    return numbers if "," in text else numbers[0]


def _value(text: str) -> Any:
    from pantala.scenario.toml import toml_value

    return toml_value(text)
