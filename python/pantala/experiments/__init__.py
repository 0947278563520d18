"""Experiments: many runs of one scenario over axes, in one store of runs.

`description` reads an experiment, `expand` lists its cases and their plans, `store` keeps the runs,
`runner` simulates the missing ones, and `dataset` reads all of them as tables.
"""
