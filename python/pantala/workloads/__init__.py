"""Workloads of jobs: synthetic patterns, application skeletons, traces.

To add an application, add a module to this folder, import its class below and list the class in
``__all__``. The list of kinds and the reference page follow from these.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Union

from pydantic import Discriminator, Field, Tag

from pantala.models.faults import LIST, ONE
from pantala.workloads import ember
from pantala.workloads.alexnet import AlexNet
from pantala.workloads.allreduce_loop import AllreduceLoop
from pantala.workloads.amg import Amg
from pantala.workloads.application import Application, Compute
from pantala.workloads.cosmoflow import CosmoFlow
from pantala.workloads.crystal_router import CrystalRouter
from pantala.workloads.dl import Dl
from pantala.workloads.ember import *
from pantala.workloads.fft3d import Fft3d
from pantala.workloads.front_end import FrontEnd
from pantala.workloads.hacc import Hacc
from pantala.workloads.halo3d import Halo3d
from pantala.workloads.lammps import Lammps
from pantala.workloads.lqcd import Lqcd
from pantala.workloads.lu import Lu
from pantala.workloads.lulesh import Lulesh
from pantala.workloads.milc import Milc, MilcReorder
from pantala.workloads.milc_swm import MilcSwm
from pantala.workloads.multigrid import MultiGrid
from pantala.workloads.ncptl import Ncptl
from pantala.workloads.nek5000 import Nek5000
from pantala.workloads.nekbone import Nekbone
from pantala.workloads.operation_file import OperationFile
from pantala.workloads.pattern import Pattern
from pantala.workloads.python_program import PythonProgram
from pantala.workloads.qbox import Qbox
from pantala.workloads.rayleigh import Rayleigh
from pantala.workloads.stencil5d import Stencil5d
from pantala.workloads.trace import Trace
from pantala.workloads.uniform_random import UniformRandom

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
