"""MILC on 256 nodes of a full machine, with minimal paths inside groups for all jobs."""

from __future__ import annotations

from pantala.papers.chunduri2021.study import production_milc
from pantala.papers.chunduri2021.study.platform import inside_axis

_base = production_milc.experiment

experiment = {
    **_base,
    "axes": [inside_axis("jobs.target."), *_base["axes"]],
    "seeds": 2,
}
