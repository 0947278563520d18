"""Whether a machine has the memory and the disk space that a study needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pantala.system.disk import free_disk
from pantala.system.memory import available_memory
from pantala.text.amounts import PLAIN

if TYPE_CHECKING:
    from pantala.experiments.estimate import Estimate

__all__ = ["Needs", "needs_of"]


@dataclass(frozen=True)
class Needs:
    """What the missing runs of a study need, and what there is.

    Attributes:
        memory_bytes: the memory of the largest run.
        largest: the experiment with this run.
        disk_bytes: the disk space of all runs.
        memory_free: the memory that a process can still have; None if runs are made elsewhere.
        disk_free: the free disk space at the directory; None if it is unknown.
    """

    memory_bytes: float
    largest: str
    disk_bytes: float
    memory_free: int | None
    disk_free: int | None

    @property
    def words(self) -> str:
        """What the runs need and what there is, in a sentence."""
        memory, disk = PLAIN.size(self.memory_bytes), PLAIN.size(self.disk_bytes)
        there = {"of memory": self.memory_free, "on disk": self.disk_free}
        free = [f"{PLAIN.size(each)} {of}" for of, each in there.items() if each is not None]
        text = f"its largest run needs about {memory} of memory, all runs {disk} on disk"
        return f"{text}; free: {', '.join(free)}" if free else text

    def lacking(self, root: Path) -> list[str]:
        """Returns what the machine lacks: a line for memory, and one for disk space.

        Args:
            root: the directory of the study.
        """
        found = []
        if self.memory_free is not None and self.memory_bytes > self.memory_free:
            found.append(
                f"experiment {self.largest}: a run needs about {PLAIN.size(self.memory_bytes)} of"
                f" memory, and {PLAIN.size(self.memory_free)} are free; free some, take a machine"
                " with more, or leave the experiment out with --experiment"
            )
        if self.disk_free is not None and self.disk_bytes > self.disk_free:
            found.append(
                f"{root}: the runs need about {PLAIN.size(self.disk_bytes)} on disk, and"
                f" {PLAIN.size(self.disk_free)} are free; choose another --out, or fewer runs with"
                " --experiment or --seeds"
            )
        return found


def needs_of(costs: Mapping[str, Estimate], root: Path, *, local: bool = True) -> Needs:
    """Returns what missing runs need.

    Args:
        costs: the estimates of the experiments by name.
        root: the directory of the study.
        local: whether the runs are made on this machine.
    """
    largest = max(costs, key=lambda name: costs[name].memory_bytes, default="")
    return Needs(
        costs[largest].memory_bytes if largest else 0.0,
        largest,
        sum(cost.disk_bytes for cost in costs.values()),
        available_memory() if local else None,
        free_disk(root),
    )
