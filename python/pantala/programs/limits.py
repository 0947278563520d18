"""The limits of a program of the user."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["LEAST_MEMORY", "OUTPUT_LIMIT", "Limits", "default_memory"]

#: The least memory limit that Pantala chooses itself, in bytes: an interpreter with NumPy takes
#: about 0.1 GiB, and half of the free memory of a busy machine can be less.
LEAST_MEMORY = 1 << 30
#: The bytes of output of a program that its log keeps: about 200,000 lines.
OUTPUT_LIMIT = 16 << 20


@dataclass(frozen=True)
class Limits:
    """The limits of a program.

    Attributes:
        seconds: the time of all ranks together, loading included.
        operations: the operations of all ranks together.
        memory: bytes by which the process of the program may grow.
    """

    seconds: float
    operations: int
    memory: int = LEAST_MEMORY


def default_memory() -> int:
    """Returns the memory limit in bytes if the user sets none: half of the free memory."""
    from pantala.system.memory import available_memory

    return max(LEAST_MEMORY, available_memory() // 2)
