"""MPI: message costs, protocols and collective algorithms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pantala.models.keys import CollectivesKeys, MpiKeys
from pantala.scenario.presets import merge, mpi_preset

__all__ = ["Collectives", "Mpi", "laid_over_machine"]


class Collectives(CollectivesKeys):
    """The algorithm of each collective operation. Given keys replace the preset's algorithms."""

    shorthand: ClassVar[str | None] = "preset"

    preset: Literal["sst", "mpich"] = "sst"
    """The set of algorithms. sst has trees and rings, as in Kang et al., SC 2022, and SST's
    firefly. mpich chooses by message size and number of ranks, as in Thakur, Rabenseifner and
    Gropp, IJHPCA 19(1), 2005. A preset given here replaces all choices of the machine's preset."""

    @classmethod
    def complete(cls, data: dict[str, Any]) -> dict[str, Any]:
        """Returns the data with the preset's algorithms. The defaults of the fields are sst's."""
        if data.get("preset") != "mpich":
            return data
        return dict.fromkeys(cls.declared, "mpich") | data


def laid_over_machine(machine: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the MPI keys of a scenario on top of its machine's.

    A preset of MPI comes between the two. A preset of collectives replaces the machine's
    collectives.
    """
    if given.get("preset") is not None:
        try:
            machine = merge(machine, mpi_preset(given["preset"]).get("mpi", {}))
        except ValueError:  # the model reports it
            return dict(given)
    collectives = given.get("collectives")
    if isinstance(collectives, Mapping) and "preset" in collectives:
        machine = {key: value for key, value in machine.items() if key != "collectives"}
    return merge(machine, given)


class Mpi(MpiKeys):
    """The MPI layer, the same for all jobs.

    Without a machine preset, the default values are kang2022's.
    """

    shorthand: ClassVar[str | None] = "preset"
    from_preset: ClassVar[bool] = True

    preset: Literal["sst_sc22"] | None = None
    """Message costs on the hosts, on top of the machine's. sst_sc22 is the host stack of SST's
    firefly in the simulations of Kang et al. (SC 2022). Other keys given here replace its values.
    """
    collectives: Collectives = Collectives()
    """The algorithm of each collective operation. The name of a preset alone is enough."""
