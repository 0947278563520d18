"""Workloads: what the ranks of a job do. Patterns load the network; applications communicate as real ones do."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, get_args

from pydantic import Field

from pantala.scenario.workload.alexnet import AlexNet
from pantala.scenario.workload.allreduce_loop import AllreduceLoop
from pantala.scenario.workload.amg import Amg
from pantala.scenario.workload.application import Application, Compute
from pantala.scenario.workload.cosmoflow import CosmoFlow
from pantala.scenario.workload.crystal_router import CrystalRouter
from pantala.scenario.workload.dl import Dl
from pantala.scenario.workload.fft3d import Fft3d
from pantala.scenario.workload.hacc import Hacc
from pantala.scenario.workload.halo3d import Halo3d
from pantala.scenario.workload.lammps import Lammps
from pantala.scenario.workload.lqcd import Lqcd
from pantala.scenario.workload.lu import Lu
from pantala.scenario.workload.lulesh import Lulesh
from pantala.scenario.workload.milc import Milc, MilcReorder
from pantala.scenario.workload.milc_swm import MilcSwm
from pantala.scenario.workload.multigrid import MultiGrid
from pantala.scenario.workload.nek5000 import Nek5000
from pantala.scenario.workload.nekbone import Nekbone
from pantala.scenario.workload.pattern import Pattern
from pantala.scenario.workload.qbox import Qbox
from pantala.scenario.workload.rayleigh import Rayleigh
from pantala.scenario.workload.stencil5d import Stencil5d
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
    "Nek5000",
    "Nekbone",
    "Pattern",
    "Qbox",
    "Rayleigh",
    "Stencil5d",
    "UniformRandom",
    "Workload",
]

#: What the ranks of a job do; `kind` says which.
Workload = Annotated[
    Pattern
    | UniformRandom
    | Lu
    | Fft3d
    | Halo3d
    | Lqcd
    | Stencil5d
    | CosmoFlow
    | Dl
    | Lulesh
    | AlexNet
    | Amg
    | CrystalRouter
    | Hacc
    | Lammps
    | Milc
    | MilcReorder
    | MilcSwm
    | MultiGrid
    | Nek5000
    | Nekbone
    | Qbox
    | Rayleigh
    | AllreduceLoop,
    Field(discriminator="kind"),
]

#: The applications by kind, in the order in which they are listed.
APPLICATIONS: Mapping[str, type[Application]] = MappingProxyType(
    {
        each.model_fields["kind"].default: each
        for each in get_args(get_args(Workload)[0])
        if issubclass(each, Application)
    }
)
