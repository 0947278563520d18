"""The motifs of SST's Ember as workloads, with Ember's names of parameters and Ember's defaults.

To add a motif, add its class to a module of this folder, import it below and list it in
``__all__``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pantala.workloads.ember.collectives import (
    EmberAllgather,
    EmberAllgatherv,
    EmberAllreduce,
    EmberAlltoall,
    EmberAlltoallv,
    EmberBarrier,
    EmberBcast,
    EmberReduce,
    EmberScatter,
    EmberScatterv,
    EmberStop,
)
from pantala.workloads.ember.fft3d import EmberFFT3D
from pantala.workloads.ember.halo3d import (
    EmberHalo3D,
    EmberHalo3D26,
    EmberHalo3DSV,
)
from pantala.workloads.ember.halos import (
    EmberCMT1D,
    EmberCMT3D,
    EmberHalo1D,
    EmberHalo2D,
    EmberHalo2DNBR,
)
from pantala.workloads.ember.lqcd import EmberLQCD
from pantala.workloads.ember.lulesh import EmberLulesh
from pantala.workloads.ember.motif import EmberMotif
from pantala.workloads.ember.null import EmberNull
from pantala.workloads.ember.point_to_point import (
    EmberAllPingPong,
    EmberBiPingPong,
    EmberIncast,
    EmberMsgRate,
    EmberNtoM,
    EmberPingPong,
    EmberRing,
)
from pantala.workloads.ember.random_traffic import EmberRandom
from pantala.workloads.ember.stencil_nd import EmberStencilNd
from pantala.workloads.ember.sweeps import (
    EmberNASLU,
    EmberSweep2D,
    EmberSweep3D,
)
from pantala.workloads.ember.unstructured import EmberUnstructured

__all__ = [
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
]

#: The motifs by Ember's names, in alphabetical order.
MOTIFS: Mapping[str, type[EmberMotif]] = MappingProxyType(
    {
        each.model_fields["kind"].default.removeprefix("ember."): each
        for each in map(globals().get, sorted(__all__))
        if isinstance(each, type) and issubclass(each, EmberMotif) and "kind" in each.model_fields
    }
)
