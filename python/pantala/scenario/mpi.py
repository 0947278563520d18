"""MPI: how messages are sent, and how collectives are made of messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pantala.scenario.keys import CollectivesKeys, MpiKeys
from pantala.scenario.presets import merge, mpi_preset

__all__ = ["Collectives", "Mpi", "laid_over_machine"]


class Collectives(CollectivesKeys):
    """The algorithm of each collective operation: those of a preset, but for the keys given
    here.
    """

    shorthand: ClassVar[str | None] = "preset"

    preset: Literal["sst", "mpich"] = "sst"
    """Whose algorithms: sst (trees and rings, as in Kang et al., SC 2022, and SST's firefly) or
    mpich (chosen by size and number of ranks, as in Thakur, Rabenseifner and Gropp, IJHPCA 19(1),
    2005). A machine preset has choices of its own, which a preset named here puts aside."""

    @classmethod
    def complete(cls, data: dict[str, Any]) -> dict[str, Any]:
        """Fills in what the preset says; the fields' own defaults are those of sst."""
        if data.get("preset") != "mpich":
            return data
        return dict.fromkeys(cls.declared, "mpich") | data


def laid_over_machine(machine: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """What a scenario says of MPI over what its machine says; a preset of collectives puts the
    machine's aside.

    A preset of MPI lies between the two.
    """
    if given.get("preset") is not None:
        try:
            machine = merge(machine, mpi_preset(given["preset"]).get("mpi", {}))
        except ValueError:  # the model will say so
            return dict(given)
    collectives = given.get("collectives")
    if isinstance(collectives, Mapping) and "preset" in collectives:
        machine = {key: value for key, value in machine.items() if key != "collectives"}
    return merge(machine, given)


class Mpi(MpiKeys):
    """The message layer, the same for all jobs. Without a machine preset it takes the values of
    kang2022.
    """

    shorthand: ClassVar[str | None] = "preset"
    from_preset: ClassVar[bool] = True

    preset: Literal["sst_sc22"] | None = None
    """Costs of messages at their hosts, over the machine's: sst_sc22, the host stack of SST's
    firefly as in the simulations of Kang et al. (SC 2022). Keys given here lie over it."""
    collectives: Collectives = Collectives()
    """The algorithm of each collective operation; the name of a preset alone will do."""
