"""Capture: the MPI calls of a real program as an operation file.

`capture` runs a command under a small library that wraps the functions of MPI and writes one file
per rank. Afterwards it merges these into one operation file, which a job replays with
``kind = "operations"``. The library's sources are in ``library``; the user's ``mpicc`` builds it.
"""

from pantala.capture.build import built_library
from pantala.capture.collect import Captured
from pantala.capture.run import capture
from pantala.capture.salvage import salvage
from pantala.capture.scenario import write_scenario

__all__ = ["Captured", "built_library", "capture", "salvage", "write_scenario"]
