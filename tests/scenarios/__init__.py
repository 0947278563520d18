"""Drawn scenarios with recorded results: a safety net for changes that must not move a result.

`draw` makes scenarios from the declarations of the keys, `record` holds them with their results,
`python -m scenarios` (`make scenarios`) runs all of them on one, two and three threads.
"""
