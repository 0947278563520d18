"""docs/reference/program-calls.md: the calls of a program in Python, from the docstrings."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from generate.python_pages import members
from generate.reference import page
from markdown_table import table

_INTRO = """\
The first argument of a [program in Python](../own-program.md) is a `Communicator` of all ranks of
the job; this page calls it `mpi`. The names are those of mpi4py, with sizes in place of data.

`Bytes` is a number of bytes, or a text such as `"64 KiB"`. `Time` is a number of seconds, or a text
such as `"10 us"`. The result of a call that returns `Unknown` exists only in the run: a condition
or a computation with it is an error that names the line. Printed, it says that it is unknown."""


def program_calls_page() -> str:
    """Returns the page of the calls of a program."""
    from pantala.programs import CartesianCommunicator, Communicator, Request
    from pantala.programs.collectives import Collectives
    from pantala.programs.refused_calls import RefusedCalls

    return page(
        [
            "# Calls of a program",
            _INTRO,
            "## Communicator",
            *members(Communicator, _calls(Communicator), "mpi"),
            "## Collective calls",
            *members(Collectives, _calls(Collectives), "mpi"),
            "## Cartesian communicator",
            *members(CartesianCommunicator, _calls(CartesianCommunicator), "grid"),
            "## Request",
            *members(Request, _calls(Request), "request"),
            "## Refused calls",
            "The results of these calls exist only in the run, so a program cannot ask for them.",
            table(
                ["call", "what only the run can tell"],
                [
                    [f"`{owner}.{name}()`", text]
                    for owner, kind in (("mpi", RefusedCalls), ("request", Request))
                    for name, text in _refused(kind)
                ],
                left=2,
            ),
        ]
    )


def _returns(member: object) -> str:
    return str(getattr(member, "__annotations__", {}).get("return", ""))


def _calls(kind: type) -> tuple[str, ...]:
    """Returns the public members of a class, without refused calls."""
    return tuple(
        name
        for name, member in vars(kind).items()
        if not name.startswith("_") and _returns(member) != "NoReturn"
    )


def _refused(kind: type) -> Iterator[tuple[str, str]]:
    """Yields the calls of a class that only the run can answer, and what they ask for."""
    for name, member in vars(kind).items():
        if not name.startswith("_") and _returns(member) == "NoReturn":
            yield name, inspect.getsource(member).rpartition('", "')[2].partition('"')[0]
