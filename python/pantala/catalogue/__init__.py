"""Names that all rooms share: Python copies of the core's declarations, and words of experiments.

``make generate`` writes ``tables.py`` and ``routings.py``; the modes and the job sets of
interference experiments have no part in the core.
"""
