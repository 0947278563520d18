"""Analyses of the tables of runs: slowdown, effects, binding resources, blame."""
