"""Load files of SST's Ember, read as scenarios.

A load file names jobs, their nodes and their motifs. Pantala translates it into a scenario whose
workloads are the motifs of `pantala.workloads.ember`.
"""

from pantala.importers.ember.scenario import PRESET, ember_scenario, is_load_file
from pantala.importers.scenario_text import scenario_text

__all__ = ["PRESET", "ember_scenario", "is_load_file", "scenario_text"]
