"""The delay before the first iteration of the applications of Kang et al. (SC 2022)."""

from __future__ import annotations

from pantala.text.units import Duration

__all__ = ["START_DELAY"]

#: Their execution times begin at time zero and contain this delay: the paper's text has CosmoFlow's
#: first Allreduce at 5.51 ms, after 5.16 ms of computing. The execution and communication times of
#: FFT3D, LQCD and LU fit the same delay.
START_DELAY = Duration.parse("350 us")
