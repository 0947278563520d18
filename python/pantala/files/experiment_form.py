"""The forms of experiment.json and interference.json, as far as Python reads them."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any, Required

from pydantic import Field, Strict, TypeAdapter
from typing_extensions import TypedDict

from pantala.files.run_directory import DESCRIPTION_FILE, INTERFERENCE_FILE
from pantala.files.run_form import first_fault

__all__ = ["misfit_of_experiment"]

_Text = Annotated[str, Strict()]
_Table = dict[str, Any]


class _Axis(TypedDict, total=False):
    columns: Required[list[_Text]]


class _UntilPrecise(TypedDict, total=False):
    precision: Required[Annotated[float, Field(strict=True, allow_inf_nan=False)]]


class _Experiment(TypedDict, total=False):
    axes: Required[list[_Axis]]
    keep: Required[list[_Text]]
    scenario: Required[_Table]
    until_precise: _UntilPrecise | None
    made_by: list[Any] | None


class _Part(TypedDict, total=False):
    part: Required[_Text]
    directory: Required[_Text]
    run: _Text


class _MissingPart(TypedDict, total=False):
    part: Required[_Text]


class _Interference(TypedDict, total=False):
    name: Required[_Text]
    parts: Required[list[_Part]]
    missing: list[_MissingPart]


@lru_cache
def _forms() -> dict[str, TypeAdapter[Any]]:
    return {
        DESCRIPTION_FILE: TypeAdapter(_Experiment),
        INTERFERENCE_FILE: TypeAdapter(_Interference),
    }


def misfit_of_experiment(name: str, document: Any) -> str:
    """Returns what is wrong with the form of a file of an experiment; empty if nothing is.

    Args:
        name: the name of the file.
        document: its content.
    """
    return first_fault(_forms()[name], document)
