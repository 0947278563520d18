"""Comparison of Pantala's benches with other simulators: ``make compare``, docs/comparison.md."""
