"""Workload and allocation files of CODES' MPI replay, read as scenarios.

A workload file has one line per job: its ranks and the name of its workload. An allocation file has
one line of nodes per job. The network of CODES is in a file of its own, which Pantala does not
read: a scenario names a machine preset instead.
"""

from pantala.importers.codes.scenario import CodesFiles, CodesScenario, codes_scenario

__all__ = ["CodesFiles", "CodesScenario", "codes_scenario"]
