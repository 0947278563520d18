"""Workload II, in six configurations (Yang et al., SC 2016, 5)."""

from __future__ import annotations

from pantala.papers.yang2016.study.platform import configurations

experiment = configurations("workload2")
