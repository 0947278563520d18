"""Sixteen jobs of MILC or HACC under AD0 and AD3, with minimal paths inside groups."""

from __future__ import annotations

from pantala.papers.chunduri2021.study import tiles
from pantala.papers.chunduri2021.study.platform import (
    application_axis,
    inside_axis,
    mode_axis,
    placement_axis,
)

experiment = {
    **tiles.experiment,
    "axes": [
        inside_axis(),
        application_axis(("milc", "hacc"), 256),
        mode_axis("AD0", "AD3"),
        placement_axis(),
    ],
    "seeds": 1,
}
