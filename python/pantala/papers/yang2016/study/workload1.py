"""Workload I, each job alone and all together, in six configurations (Yang et al., SC 2016, 4)."""

from __future__ import annotations

from pantala.papers.yang2016.study.platform import configurations

experiment = configurations("workload1", interference=True)
