"""Metrics of samples: what several runs of one configuration say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pantala.errors import UsageError
from pantala.metrics.registry import metric

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["PERCENTILES", "percentiles", "representative", "sigma_clipped", "z_scores"]

#: The percentiles of latencies in Chunduri et al., V.D and Fig. 14.
PERCENTILES = (5.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 99.99)


@metric(of="samples", unit="", source="Chunduri et al., IPDPS 2021, Fig. 3, 4 and 9")
def z_scores(values: Sequence[float]) -> NDArray[np.float64]:
    """z-scores: the distance of each value from the mean, in standard deviations of the sample.

    Returns:
        One number per value; zeros if all values are equal.

    Raises:
        UsageError: there are fewer than two values.
    """
    import numpy as np

    if len(values) < 2:
        raise UsageError(f"z-scores of {len(values)} values are not defined; give two or more")
    array = np.asarray(values, dtype=np.float64)
    deviation = array.std(ddof=1)
    if deviation == 0:
        return np.zeros(len(array))
    scores: NDArray[np.float64] = (array - array.mean()) / deviation
    return scores


@metric(of="samples", unit="", source="Chunduri et al., IPDPS 2021, III (3 standard deviations)")
def sigma_clipped(values: Sequence[float], sigma: float = 3.0) -> NDArray[np.bool_]:
    """Sigma clipping: which values lie farther than `sigma` standard deviations from the mean.

    The rule is applied once, as in the paper. Values are marked and not removed.

    Returns:
        True for outliers.

    Raises:
        UsageError: there are fewer than two values, or sigma is not positive.
    """
    import numpy as np

    if not sigma > 0:
        raise UsageError(f"sigma = {sigma}: is not positive; the paper takes 3")
    return np.abs(z_scores(values)) > sigma


@metric(of="samples", unit="", source="Yang et al., SC 2016, 3.4")
def representative(values: Sequence[float]) -> int:
    """Representative run: the index of the value that lies next to the median.

    Of two equally near values, the first is taken.

    Raises:
        UsageError: there is no value.
    """
    import numpy as np

    if not len(values):
        raise UsageError("no value is given; a representative needs one")
    array = np.asarray(values, dtype=np.float64)
    return int(np.argmin(np.abs(array - np.median(array))))


@metric(of="samples", unit="", source="Chunduri et al., IPDPS 2021, V.D and Fig. 14")
def percentiles(values: Sequence[float]) -> dict[float, float]:
    """Percentiles of latencies: p5, p25, p50, p75, p90, p95, p99, p99.9 and p99.99.

    Linear interpolation between values.

    Raises:
        UsageError: there is no value.
    """
    import numpy as np

    if not len(values):
        raise UsageError("no value is given; percentiles need one")
    found = np.percentile(np.asarray(values, dtype=np.float64), PERCENTILES)
    return dict(zip(PERCENTILES, found.tolist(), strict=True))
