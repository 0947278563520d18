"""Workload 3, each job alone and all together, in six combinations on two networks (Wang, VI)."""

from __future__ import annotations

from pantala.papers.wang2020.study.platform import combinations

experiment = combinations("workload3")
