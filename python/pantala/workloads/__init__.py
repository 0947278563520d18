"""Workloads of jobs: synthetic patterns, application skeletons, traces.

To add an application, add a module to this folder with a class that has a `kind`, and run ``make
generate``: the list of kinds and the reference page follow from it. A class is imported when it is
first used.
"""

from __future__ import annotations

from pkgutil import resolve_name
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Discriminator, Tag

from pantala.models.faults import LIST, ONE
from pantala.models.kinds import KindOf, Kinds
from pantala.workloads.application import Application, Compute
from pantala.workloads.ember import EmberMotif
from pantala.workloads.front_end import FrontEnd
from pantala.workloads.kinds import APPLICATIONS, EMBER, FRONT_ENDS, PATTERNS

_TABLES = (PATTERNS, APPLICATIONS, FRONT_ENDS, EMBER)
_PLACES = {kind: place for table in _TABLES for kind, place in table.places.items()}
_CLASSES = {place.rpartition(":")[2]: place for place in _PLACES.values()}

#: The kind of a format or a source by which a user may call it.
_MEANT = {
    **dict.fromkeys(["chakra", "dumpi", "goal", "otf2"], "trace"),
    **dict.fromkeys(["conceptual", "union"], "ncptl"),
    **dict.fromkeys(["capture", "captured", "operation"], "operations"),
    **dict.fromkeys(["mpi4py", "program"], "python"),
    **dict.fromkeys(["synthetic", "traffic", "uniform"], "pattern"),
}

__all__ = ["APPLICATIONS", "Application", "Compute", "EmberMotif", "FrontEnd", "Workload"]
__all__ += ["Workloads", *_CLASSES]

if TYPE_CHECKING:
    from pantala.workloads.kinds import *

    #: A workload; `kind` names it.
    Workload = Pattern | Application | EmberMotif | FrontEnd
    #: The workload of a job: one, or a list of applications that run one after another.
    Workloads = Workload | tuple[Workload, ...]
else:
    Workload = Annotated[Any, KindOf(Kinds(_PLACES), _MEANT)]
    Workloads = Annotated[
        Annotated[Workload, Tag(ONE)] | Annotated[tuple[Workload, ...], Tag(LIST)],
        Discriminator(lambda given: LIST if isinstance(given, list | tuple) else ONE),
    ]


def __getattr__(name: str) -> Any:
    if name not in _CLASSES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    model = globals()[name] = resolve_name(_CLASSES[name])
    return model
