"""The workloads by kind and where they are defined. `make generate` writes this file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pantala.models.kinds import Kinds

if TYPE_CHECKING:
    from pantala.workloads.alexnet import AlexNet as AlexNet
    from pantala.workloads.allreduce_loop import AllreduceLoop as AllreduceLoop
    from pantala.workloads.amg import Amg as Amg
    from pantala.workloads.application import Application as Application
    from pantala.workloads.cosmoflow import CosmoFlow as CosmoFlow
    from pantala.workloads.crystal_router import CrystalRouter as CrystalRouter
    from pantala.workloads.dl import Dl as Dl
    from pantala.workloads.ember.collectives import EmberAllgather as EmberAllgather
    from pantala.workloads.ember.collectives import EmberAllgatherv as EmberAllgatherv
    from pantala.workloads.ember.collectives import EmberAllreduce as EmberAllreduce
    from pantala.workloads.ember.collectives import EmberAlltoall as EmberAlltoall
    from pantala.workloads.ember.collectives import EmberAlltoallv as EmberAlltoallv
    from pantala.workloads.ember.collectives import EmberBarrier as EmberBarrier
    from pantala.workloads.ember.collectives import EmberBcast as EmberBcast
    from pantala.workloads.ember.collectives import EmberReduce as EmberReduce
    from pantala.workloads.ember.collectives import EmberScatter as EmberScatter
    from pantala.workloads.ember.collectives import EmberScatterv as EmberScatterv
    from pantala.workloads.ember.collectives import EmberStop as EmberStop
    from pantala.workloads.ember.fft3d import EmberFFT3D as EmberFFT3D
    from pantala.workloads.ember.halo3d import EmberHalo3D as EmberHalo3D
    from pantala.workloads.ember.halo3d import EmberHalo3D26 as EmberHalo3D26
    from pantala.workloads.ember.halo3d import EmberHalo3DSV as EmberHalo3DSV
    from pantala.workloads.ember.halos import EmberCMT1D as EmberCMT1D
    from pantala.workloads.ember.halos import EmberCMT3D as EmberCMT3D
    from pantala.workloads.ember.halos import EmberHalo1D as EmberHalo1D
    from pantala.workloads.ember.halos import EmberHalo2D as EmberHalo2D
    from pantala.workloads.ember.halos import EmberHalo2DNBR as EmberHalo2DNBR
    from pantala.workloads.ember.lqcd import EmberLQCD as EmberLQCD
    from pantala.workloads.ember.lulesh import EmberLulesh as EmberLulesh
    from pantala.workloads.ember.motif import EmberMotif as EmberMotif
    from pantala.workloads.ember.null import EmberNull as EmberNull
    from pantala.workloads.ember.point_to_point import EmberAllPingPong as EmberAllPingPong
    from pantala.workloads.ember.point_to_point import EmberBiPingPong as EmberBiPingPong
    from pantala.workloads.ember.point_to_point import EmberIncast as EmberIncast
    from pantala.workloads.ember.point_to_point import EmberMsgRate as EmberMsgRate
    from pantala.workloads.ember.point_to_point import EmberNtoM as EmberNtoM
    from pantala.workloads.ember.point_to_point import EmberPingPong as EmberPingPong
    from pantala.workloads.ember.point_to_point import EmberRing as EmberRing
    from pantala.workloads.ember.random_traffic import EmberRandom as EmberRandom
    from pantala.workloads.ember.stencil_nd import EmberStencilNd as EmberStencilNd
    from pantala.workloads.ember.sweeps import EmberNASLU as EmberNASLU
    from pantala.workloads.ember.sweeps import EmberSweep2D as EmberSweep2D
    from pantala.workloads.ember.sweeps import EmberSweep3D as EmberSweep3D
    from pantala.workloads.ember.unstructured import EmberUnstructured as EmberUnstructured
    from pantala.workloads.fft3d import Fft3d as Fft3d
    from pantala.workloads.front_end import FrontEnd as FrontEnd
    from pantala.workloads.hacc import Hacc as Hacc
    from pantala.workloads.halo3d import Halo3d as Halo3d
    from pantala.workloads.lammps import Lammps as Lammps
    from pantala.workloads.lqcd import Lqcd as Lqcd
    from pantala.workloads.lu import Lu as Lu
    from pantala.workloads.lulesh import Lulesh as Lulesh
    from pantala.workloads.milc import Milc as Milc
    from pantala.workloads.milc import MilcReorder as MilcReorder
    from pantala.workloads.milc_swm import MilcSwm as MilcSwm
    from pantala.workloads.multigrid import MultiGrid as MultiGrid
    from pantala.workloads.ncptl import Ncptl as Ncptl
    from pantala.workloads.nek5000 import Nek5000 as Nek5000
    from pantala.workloads.nekbone import Nekbone as Nekbone
    from pantala.workloads.network_kernel import NetworkKernel as NetworkKernel
    from pantala.workloads.operation_file import OperationFile as OperationFile
    from pantala.workloads.pattern import Pattern as Pattern
    from pantala.workloads.python_program import PythonProgram as PythonProgram
    from pantala.workloads.qbox import Qbox as Qbox
    from pantala.workloads.rayleigh import Rayleigh as Rayleigh
    from pantala.workloads.stencil5d import Stencil5d as Stencil5d
    from pantala.workloads.trace import Trace as Trace
    from pantala.workloads.uniform_random import UniformRandom as UniformRandom

__all__ = [
    "AlexNet",
    "AllreduceLoop",
    "Amg",
    "Application",
    "CosmoFlow",
    "CrystalRouter",
    "Dl",
    "EmberAllPingPong",
    "EmberAllgather",
    "EmberAllgatherv",
    "EmberAllreduce",
    "EmberAlltoall",
    "EmberAlltoallv",
    "EmberBarrier",
    "EmberBcast",
    "EmberBiPingPong",
    "EmberCMT1D",
    "EmberCMT3D",
    "EmberFFT3D",
    "EmberHalo1D",
    "EmberHalo2D",
    "EmberHalo2DNBR",
    "EmberHalo3D",
    "EmberHalo3D26",
    "EmberHalo3DSV",
    "EmberIncast",
    "EmberLQCD",
    "EmberLulesh",
    "EmberMotif",
    "EmberMsgRate",
    "EmberNASLU",
    "EmberNtoM",
    "EmberNull",
    "EmberPingPong",
    "EmberRandom",
    "EmberReduce",
    "EmberRing",
    "EmberScatter",
    "EmberScatterv",
    "EmberStencilNd",
    "EmberStop",
    "EmberSweep2D",
    "EmberSweep3D",
    "EmberUnstructured",
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
    "NetworkKernel",
    "OperationFile",
    "Pattern",
    "PythonProgram",
    "Qbox",
    "Rayleigh",
    "Stencil5d",
    "Trace",
    "UniformRandom",
]

#: The applications by kind, in the order of their classes.
APPLICATIONS: Kinds[Application] = Kinds(
    {
        "alexnet": "pantala.workloads.alexnet:AlexNet",
        "allreduce_loop": "pantala.workloads.allreduce_loop:AllreduceLoop",
        "amg": "pantala.workloads.amg:Amg",
        "cosmoflow": "pantala.workloads.cosmoflow:CosmoFlow",
        "crystal_router": "pantala.workloads.crystal_router:CrystalRouter",
        "dl": "pantala.workloads.dl:Dl",
        "fft3d": "pantala.workloads.fft3d:Fft3d",
        "hacc": "pantala.workloads.hacc:Hacc",
        "halo3d": "pantala.workloads.halo3d:Halo3d",
        "lammps": "pantala.workloads.lammps:Lammps",
        "lqcd": "pantala.workloads.lqcd:Lqcd",
        "lu": "pantala.workloads.lu:Lu",
        "lulesh": "pantala.workloads.lulesh:Lulesh",
        "milc": "pantala.workloads.milc:Milc",
        "milcreorder": "pantala.workloads.milc:MilcReorder",
        "milc_swm": "pantala.workloads.milc_swm:MilcSwm",
        "multigrid": "pantala.workloads.multigrid:MultiGrid",
        "nek5000": "pantala.workloads.nek5000:Nek5000",
        "nekbone": "pantala.workloads.nekbone:Nekbone",
        "network_kernel": "pantala.workloads.network_kernel:NetworkKernel",
        "qbox": "pantala.workloads.qbox:Qbox",
        "rayleigh": "pantala.workloads.rayleigh:Rayleigh",
        "stencil5d": "pantala.workloads.stencil5d:Stencil5d",
        "uniform_random": "pantala.workloads.uniform_random:UniformRandom",
    }
)
#: The motifs of Ember by kind, in the order of their classes.
EMBER: Kinds[EmberMotif] = Kinds(
    {
        "ember.AllPingPong": "pantala.workloads.ember.point_to_point:EmberAllPingPong",
        "ember.Allgather": "pantala.workloads.ember.collectives:EmberAllgather",
        "ember.Allgatherv": "pantala.workloads.ember.collectives:EmberAllgatherv",
        "ember.Allreduce": "pantala.workloads.ember.collectives:EmberAllreduce",
        "ember.Alltoall": "pantala.workloads.ember.collectives:EmberAlltoall",
        "ember.Alltoallv": "pantala.workloads.ember.collectives:EmberAlltoallv",
        "ember.Barrier": "pantala.workloads.ember.collectives:EmberBarrier",
        "ember.Bcast": "pantala.workloads.ember.collectives:EmberBcast",
        "ember.BiPingPong": "pantala.workloads.ember.point_to_point:EmberBiPingPong",
        "ember.CMT1D": "pantala.workloads.ember.halos:EmberCMT1D",
        "ember.CMT3D": "pantala.workloads.ember.halos:EmberCMT3D",
        "ember.FFT3D": "pantala.workloads.ember.fft3d:EmberFFT3D",
        "ember.Halo1D": "pantala.workloads.ember.halos:EmberHalo1D",
        "ember.Halo2D": "pantala.workloads.ember.halos:EmberHalo2D",
        "ember.Halo2DNBR": "pantala.workloads.ember.halos:EmberHalo2DNBR",
        "ember.Halo3D": "pantala.workloads.ember.halo3d:EmberHalo3D",
        "ember.Halo3D26": "pantala.workloads.ember.halo3d:EmberHalo3D26",
        "ember.Halo3DSV": "pantala.workloads.ember.halo3d:EmberHalo3DSV",
        "ember.Incast": "pantala.workloads.ember.point_to_point:EmberIncast",
        "ember.LQCD": "pantala.workloads.ember.lqcd:EmberLQCD",
        "ember.Lulesh": "pantala.workloads.ember.lulesh:EmberLulesh",
        "ember.MsgRate": "pantala.workloads.ember.point_to_point:EmberMsgRate",
        "ember.NASLU": "pantala.workloads.ember.sweeps:EmberNASLU",
        "ember.NtoM": "pantala.workloads.ember.point_to_point:EmberNtoM",
        "ember.Null": "pantala.workloads.ember.null:EmberNull",
        "ember.PingPong": "pantala.workloads.ember.point_to_point:EmberPingPong",
        "ember.Random": "pantala.workloads.ember.random_traffic:EmberRandom",
        "ember.Reduce": "pantala.workloads.ember.collectives:EmberReduce",
        "ember.Ring": "pantala.workloads.ember.point_to_point:EmberRing",
        "ember.Scatter": "pantala.workloads.ember.collectives:EmberScatter",
        "ember.Scatterv": "pantala.workloads.ember.collectives:EmberScatterv",
        "ember.StencilNd": "pantala.workloads.ember.stencil_nd:EmberStencilNd",
        "ember.Stop": "pantala.workloads.ember.collectives:EmberStop",
        "ember.Sweep2D": "pantala.workloads.ember.sweeps:EmberSweep2D",
        "ember.Sweep3D": "pantala.workloads.ember.sweeps:EmberSweep3D",
        "ember.Unstructured": "pantala.workloads.ember.unstructured:EmberUnstructured",
    }
)
#: Programs, traces and operation files by kind, in the order of their classes.
FRONT_ENDS: Kinds[FrontEnd] = Kinds(
    {
        "ncptl": "pantala.workloads.ncptl:Ncptl",
        "operations": "pantala.workloads.operation_file:OperationFile",
        "python": "pantala.workloads.python_program:PythonProgram",
        "trace": "pantala.workloads.trace:Trace",
    }
)
#: Synthetic traffic by kind, in the order of their classes.
PATTERNS: Kinds[Pattern] = Kinds({"pattern": "pantala.workloads.pattern:Pattern"})
