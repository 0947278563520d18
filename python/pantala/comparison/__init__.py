"""Comparison of runs and experiments: plans, metrics with intervals, and what is left out.

`subject` opens a directory, `values` reads its metrics, `plans` finds the differences of plans,
`differences` puts numbers and words on two samples, and `comparison` combines them.
"""
