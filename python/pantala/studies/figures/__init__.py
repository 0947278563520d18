"""Figures and tables of a study: entries of study.toml, their numbers, and how they are drawn.

An entry chooses cells of an experiment and a kind. `numbers` makes a frame from the kept tables of
the runs, which is what the CSV file holds; `drawings` draws the frame and nothing else.
"""
