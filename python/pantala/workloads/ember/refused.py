"""Motifs of Ember that Pantala does not run, and the reasons."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["REFUSED"]

_ENDLESS = "it has no end and draws its traffic at random"
_PATTERN = (
    "use a job with a pattern, e.g. workload = { kind = 'pattern', pattern = 'hotspot', ... }"
)
_FILES = "its messages follow from files of its own model"
_DATA = "its messages depend on data that Ember moves"
_TRACE = "it replays a trace"
_MPI = "it tests single MPI calls"

#: Reason and remedy by the motif's name.
REFUSED: Mapping[str, tuple[str, str]] = {
    "3DAMR": (_FILES, "describe its exchanges with another motif"),
    "3DCommDoubling": ("its partners depend on a schedule of its own", "use Halo3D"),
    "BFS": (_FILES, "use Random, or a pattern"),
    "CMT2D": ("it sends to rank -1: Ember swaps the coordinates", "use Halo2D or CMT3D"),
    "CMTCR": ("it draws its partners and computing times at random", "use CMT3D"),
    "Comm": (_MPI, "remove it"),
    "DetailedRing": ("it needs a detailed model of processors", "use Ring"),
    "DetailedStream": ("it needs a detailed model of processors", "remove it"),
    "Hotspots": (_ENDLESS, _PATTERN),
    "OTF2": (_TRACE, "remove it"),
    "SIRIUSTrace": (_TRACE, "remove it"),
    "SendRecv": (_MPI, "use BiPingPong"),
    "Test": (_MPI, "remove it"),
    "TestAny": (_MPI, "remove it"),
    "TestNetworkIO": ("it reads and writes files, and Pantala has no storage", "remove it"),
    "TrafficGen": (_ENDLESS, _PATTERN),
    "TriCount": (_DATA, "remove it"),
    "WaitAny": (_MPI, "remove it"),
}
