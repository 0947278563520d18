"""Workloads of jobs: synthetic patterns, application skeletons, traces.

To add an application, add a module to this folder, import its class below and list the class in
``__all__``. The list of kinds and the reference page follow from these.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Union

from pydantic import Discriminator, Field, Tag

from pantala.scenario.faults import LIST, ONE
from pantala.scenario.workload import ember
from pantala.scenario.workload.alexnet import AlexNet
from pantala.scenario.workload.allreduce_loop import AllreduceLoop
from pantala.scenario.workload.amg import Amg
from pantala.scenario.workload.application import Application, Compute
from pantala.scenario.workload.cosmoflow import CosmoFlow
from pantala.scenario.workload.crystal_router import CrystalRouter
from pantala.scenario.workload.dl import Dl
from pantala.scenario.workload.ember import *
from pantala.scenario.workload.fft3d import Fft3d
from pantala.scenario.workload.front_end import FrontEnd
from pantala.scenario.workload.hacc import Hacc
from pantala.scenario.workload.halo3d import Halo3d
from pantala.scenario.workload.lammps import Lammps
from pantala.scenario.workload.lqcd import Lqcd
from pantala.scenario.workload.lu import Lu
from pantala.scenario.workload.lulesh import Lulesh
from pantala.scenario.workload.milc import Milc, MilcReorder
from pantala.scenario.workload.milc_swm import MilcSwm
from pantala.scenario.workload.multigrid import MultiGrid
from pantala.scenario.workload.ncptl import Ncptl
from pantala.scenario.workload.nek5000 import Nek5000
from pantala.scenario.workload.nekbone import Nekbone
from pantala.scenario.workload.operation_file import OperationFile
from pantala.scenario.workload.pattern import Pattern
from pantala.scenario.workload.python_program import PythonProgram
from pantala.scenario.workload.qbox import Qbox
from pantala.scenario.workload.rayleigh import Rayleigh
from pantala.scenario.workload.stencil5d import Stencil5d
from pantala.scenario.workload.trace import Trace
from pantala.scenario.workload.uniform_random import UniformRandom

__all__ = [
    "APPLICATIONS",
    "AlexNet",
    "AllreduceLoop",
    "Amg",
    "Application",
    "Compute",
    "CosmoFlow",
    "CrystalRouter",
    "Dl",
    "Fft3d",
    "FrontEnd",
    "Hacc",
    "Halo3d",
    "Lammps",
    "Lqcd",
    "Lu",
    "Lulesh",
    "Milc",
    "MilcReorder",
    "MilcSwm",
    "MultiGrid",
    "Ncptl",
    "Nek5000",
    "Nekbone",
    "OperationFile",
    "Pattern",
    "PythonProgram",
    "Qbox",
    "Rayleigh",
    "Stencil5d",
    "Trace",
    "UniformRandom",
    "Workload",
    "Workloads",
]
__all__ += ember.__all__

if TYPE_CHECKING:
    #: A workload; `kind` names it.
    Workload = Pattern | Application | EmberMotif | FrontEnd
    #: The workload of a job: one, or a list of applications that run one after another.
    Workloads = Workload | tuple[Workload, ...]
else:
    _KINDS = tuple(
        each for each in map(globals().get, __all__) if "kind" in getattr(each, "model_fields", ())
    )
    Workload = Annotated[Union[_KINDS], Field(discriminator="kind")]  # noqa: UP007 - of classes in a tuple
    Workloads = Annotated[
        Annotated[Workload, Tag(ONE)] | Annotated[tuple[Workload, ...], Tag(LIST)],
        Discriminator(lambda given: LIST if isinstance(given, list | tuple) else ONE),
    ]

#: The applications by kind, in alphabetical order.
APPLICATIONS: Mapping[str, type[Application]] = MappingProxyType(
    {
        each.model_fields["kind"].default: each
        for each in map(globals().get, sorted(__all__))
        if isinstance(each, type) and issubclass(each, Application) and "kind" in each.model_fields
    }
)
