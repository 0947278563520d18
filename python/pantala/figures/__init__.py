"""Figures of runs and interference experiments, drawn with Matplotlib.

Each function reads the tables of a run and returns a `matplotlib.figure.Figure`; `save` writes one
to a file::

    import pantala as pt
    from pantala import figures

    experiment = pt.load("runs/interference")
    figures.save(figures.throughput(experiment.together, experiment.alone), "throughput.pdf")

Every job keeps its colour from figure to figure.
"""

from pantala.figures.communication import communication_time
from pantala.figures.curve import curve
from pantala.figures.hottest import hottest_links, hottest_table, link_name
from pantala.figures.latency import packet_latency
from pantala.figures.learning import learning
from pantala.figures.link_load import SATURATED, LinkLoads, link_loads, shared_time
from pantala.figures.link_map import group_matrix, link_load_map, link_shift_map
from pantala.figures.matrix import communication_matrix
from pantala.figures.save import FORMATS, check_place, save, to_svg
from pantala.figures.slowdown import slowdown_bars
from pantala.figures.style import PALETTE, style
from pantala.figures.throughput import throughput, throughput_windows

__all__ = [
    "FORMATS",
    "PALETTE",
    "SATURATED",
    "LinkLoads",
    "check_place",
    "communication_matrix",
    "communication_time",
    "curve",
    "group_matrix",
    "hottest_links",
    "hottest_table",
    "learning",
    "link_load_map",
    "link_loads",
    "link_name",
    "link_shift_map",
    "packet_latency",
    "save",
    "shared_time",
    "slowdown_bars",
    "style",
    "throughput",
    "throughput_windows",
    "to_svg",
]
