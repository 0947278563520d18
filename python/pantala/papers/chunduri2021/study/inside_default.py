"""The default of Theta under AD0 and AD3, with minimal paths inside groups."""

from __future__ import annotations

from pantala.papers.chunduri2021.study import default_theta
from pantala.papers.chunduri2021.study.platform import inside_axis

_base = default_theta.experiment

experiment = {**_base, "axes": [inside_axis(), *_base["axes"]], "seeds": 1}
