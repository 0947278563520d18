"""The errors of a Python program in words: what is wrong, and what to do."""

from __future__ import annotations

import inspect
import re
from typing import Any

from pantala.errors import nearest
from pantala.programs.communicator import Communicator
from pantala.programs.loading import in_words
from pantala.programs.requests import Request

__all__ = ["described", "with_remedy"]

_NO_RANK = re.compile(r"there is no rank -?\d+ in a communicator of (\d+)$")
_OTHER_COLLECTIVES = re.compile(r"for which another rank calls |other ranks go on with ")
_NEVER_WAITS = re.compile(r"requests? that it never waits for$")
#: Words of mpi4py that a program spells otherwise.
_SPELLINGS = {"Get_rank": "rank", "Get_size": "size"}


def with_remedy(text: str) -> str:
    """Returns the text of an error with what to do, if it does not say so itself."""
    if _OTHER_COLLECTIVES.search(text):
        return f"{text}; let all ranks make the same collective calls"
    if "; " in text:
        return text
    remedy = "correct the program"
    if found := _NO_RANK.search(text):
        ranks = f"its ranks are 0 to {int(found[1]) - 1}"
        remedy = f"{ranks}; correct the rank, or the number of ranks of the job"
    elif text.endswith("gives other counts"):
        remedy = "give the counts of all ranks on every rank"
    elif _NEVER_WAITS.search(text):
        remedy = "add mpi.waitall()"
    return f"{text}; {remedy}"


def described(error: BaseException) -> str:
    """Returns an error that Python raised in a program, in one line."""
    match error:
        case AttributeError(obj=Communicator() as mpi, name=str(name)):
            return _unknown("mpi", mpi, name)
        case AttributeError(obj=Request() as request, name=str(name)):
            return _unknown("a request", request, name)
        case TypeError():
            return in_words(error) + _signature(str(error))
        case _:
            return in_words(error)


def _unknown(owner: str, value: object, name: str) -> str:
    """Returns the error for a name that `mpi` or a request does not have."""
    known = [each for each in dir(value) if not each.startswith("_")]
    meant = _SPELLINGS.get(name) if _SPELLINGS.get(name) in known else None
    meant = meant or nearest(name, known) or nearest(name.lower(), known)
    remedy = f"did you mean {meant}?" if meant else f"it has {', '.join(known)}"
    return f"{owner} has no '{name}'; {remedy}"


def _signature(text: str) -> str:
    """Returns how to write a call of `mpi` whose arguments do not fit; empty for other errors."""
    found = re.match(r"(?:Cartesian)?Communicator\.(\w+)\(\)", text)
    call: Any = getattr(Communicator, found[1], None) if found else None
    if found is None or call is None:
        return ""
    parameters = [
        each.replace(annotation=inspect.Parameter.empty)
        for each in inspect.signature(call).parameters.values()
        if each.name != "self"
    ]
    return f"; write mpi.{found[1]}{inspect.Signature(parameters)}"
