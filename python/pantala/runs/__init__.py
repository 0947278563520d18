"""Simulations that a scenario asks for: parts of an experiment, curves, benchmarks."""
