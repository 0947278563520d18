"""The motifs of SST's Ember as workloads, with Ember's names of parameters and Ember's defaults.

To add a motif, add its class to a module of this folder and run ``make generate``.
"""

from __future__ import annotations

from pantala.models.kinds import Kinds
from pantala.workloads.ember.motif import EmberMotif
from pantala.workloads.kinds import EMBER

__all__ = ["MOTIFS", "EmberMotif"]

#: The motifs by Ember's names, in alphabetical order.
MOTIFS: Kinds[EmberMotif] = Kinds(
    {kind.removeprefix("ember."): place for kind, place in EMBER.places.items()}
)
