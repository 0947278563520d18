"""Pantala's benches beside other simulators of the same machine and load: ``make compare``,
docs/comparison.md.
"""
