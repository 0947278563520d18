"""The measures of the claims. T is the throughput as a fraction of the injection bandwidth.

Most are the least and the largest value over the runs that a claim is about, so that the bounds of
the claim hold for every run. A value that the paper prints is rounded as it prints it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from math import floor, nan, sqrt

import numpy as np

from pantala.papers.prisacari2015.study import structure
from pantala.papers.prisacari2015.study.model import IDEAL, direct, estimate, predict, remote_links
from pantala.papers.prisacari2015.study.networks import PATTERNS, Size
from pantala.papers.prisacari2015.study.results import Result, Results, read_results
from pantala.studies.evidence import Evidence

Measures = Mapping[str, float]
Measure = Callable[[Results], Measures]

#: The maximum number of routers for which paths are enumerated one by one.
_MAX_ROUTERS = 600
#: The machine whose paths are enumerated, the smallest balanced one.
_SMALL = Size(2, 4, 2)
_TEN_MS = 1e7
_PRECISION = 0.01


def least(values: Iterable[float]) -> float:
    """Returns the least value; NaN if there is none."""
    return min(values, default=nan)


def most(values: Iterable[float]) -> float:
    """Returns the largest value; NaN if there is none."""
    return max(values, default=nan)


def rounded(value: float, unit: float) -> float:
    """Returns a value as the paper prints it: a multiple of a unit; halves round up."""
    return value if value != value else unit * floor(value / unit + 0.5 + 1e-9)  # NaN stays


def extremes(values: Iterable[float]) -> Measures:
    """Returns the measures ``lowest`` and ``highest``."""
    known = list(values)
    return {"lowest": least(known), "highest": most(known)}


def one_link(results: Results) -> Measures:
    """PRIS-2-01: links between two groups, the longest minimal path, pairs with other paths."""
    per_pair = [
        structure.nodes_and_links(size)[1] / (size.groups * (size.groups - 1))
        for size in results.sizes
    ]
    small = [size for size in results.sizes if size.routers <= _MAX_ROUTERS]
    diameter, single = structure.shortest_paths(max(small)) if small else (nan, nan)
    return {
        "fewest_links": least(per_pair),
        "most_links": most(per_pair),
        "diameter": diameter,
        "pairs_with_other_shortest_paths": 1 - single,
    }


def longest_paths(_: Results) -> Measures:
    """PRIS-2-02: the routings whose longest paths are those of the paper; lengths in links."""
    paper = {"minimal": "LRL", "valiant_group": "LRLRL", "valiant_node": "LRLLRL"}
    found = {routing: structure.longest_paths(_SMALL, routing) for routing in paper}
    lengths = {f"links_{routing}": len(max(paths)) for routing, paths in found.items()}
    return {"as_in_paper": sum(found[each] == {paper[each]} for each in paper), **lengths}


def virtual_channels(_: Results) -> Measures:
    """PRIS-2-03: virtual channels by routing, and graphs of channels that have a cycle."""
    found = {each: structure.channels(_SMALL, each) for each in structure.ROUTINGS}
    return {
        **{routing: count for routing, (count, _) in found.items()},
        "cycles": sum(cycle for _, cycle in found.values()),
    }


def local_load(results: Results) -> Measures:
    """PRIS-2-05: local bytes per byte delivered, VA over VR; T of VA less VR's at the largest."""
    pairs = [
        (results.get(each.size, each.pattern, "valiant_node"), each)
        for each in results.of("valiant_group")
    ]
    gains = [(any_.size, any_.accepted - restricted.accepted) for any_, restricted in pairs]
    return {
        "local_bytes_ratio": least(any_.local_bytes / vr.local_bytes for any_, vr in pairs),
        "gain_at_largest": least(gain for size, gain in gains if size == results.sizes[-1]),
        "runs_with_gain": sum(gain > 0 for _, gain in gains) if gains else nan,
    }


def wiring(results: Results) -> Measures:
    """PRIS-3-01: groups between the end of a remote link and the group of the formula."""
    offsets = [each for size in results.sizes for each in structure.offsets_of_wiring(size)]
    return {
        "least_offset": least(offsets),
        "largest_offset": most(offsets),
        "spread": most(offsets) - least(offsets),
    }


def totals(results: Results) -> Measures:
    """PRIS-3-02: nodes and remote links off the formulas; their numbers at the largest size."""
    found = {size: structure.nodes_and_links(size) for size in results.sizes}
    nodes, links = found[results.sizes[-1]] if found else (nan, nan)
    return {
        "nodes_off": most(abs(count - size.nodes) for size, (count, _) in found.items()),
        "links_off": most(abs(count - remote_links(size)) for size, (_, count) in found.items()),
        "nodes": nodes,
        "links": links,
    }


def remote_bottleneck(results: Results) -> Measures:
    """PRIS-3-03: how busy the busiest remote link is; T between groups off 1/(a*p)."""
    found = [each for each in results.of("minimal") if each.size.p >= 3]
    off = [
        each.between_groups / direct(each.size) - 1
        for each in found
        if each.pattern != "neighbor_3d"
    ]
    busy = {
        f"busy_{pattern}": least(each.remote_busy for each in found if each.pattern == pattern)
        for pattern in PATTERNS
    }
    return {"busy": least(busy.values()), "off": most(map(abs, off)), **busy}


def two_links(results: Results) -> Measures:
    """PRIS-3-04: the most local links of a switch that carry transit traffic, by pattern."""
    return {
        pattern: most(
            structure.transit_links(predict(size, pattern, "valiant_group").loads.transit)
            for size in results.sizes
        )
        for pattern in PATTERNS
    }


def h_times(results: Results) -> Measures:
    """PRIS-3-05: the largest transit load of a local link, less h, rounded; and how it rises."""
    load = {
        size: float(predict(size, "bit_complement", "valiant_group").loads.transit.max())
        for size in results.sizes
    }
    sizes = sorted(load, key=lambda size: (size.h, size))
    over_h = [rounded(each, 1) - size.h for size, each in load.items()]
    return {
        "least_over_h": least(over_h),
        "most_over_h": most(over_h),
        "least_load": least(load.values()),
        "least_rise": least(
            load[after] - load[before] for before, after in pairwise(sizes) if after.h > before.h
        ),
        "load_per_h_at_largest": load[sizes[-1]] / sizes[-1].h if sizes else nan,
        "largest_load_per_h": most(each / size.h for size, each in load.items()),
    }


def within_bounds(results: Results) -> Measures:
    """PRIS-3-08: T * p under VR from p = 3 on, and rounded to two decimals."""
    large = [each for each in results.of("valiant_group") if each.size.p >= 3]
    found = extremes(each.accepted * each.size.p for each in large)
    return {**found, **{f"{name}_rounded": rounded(each, 0.01) for name, each in found.items()}}


def _off_estimate(result: Result) -> float:
    return result.accepted / estimate(result.size) - 1


def near_estimate(results: Results) -> Measures:
    """PRIS-3-09: T under VR over equation (4), less one."""
    return extremes(map(_off_estimate, results.of("valiant_group")))


def follows_estimate(results: Results) -> Measures:
    """PRIS-4-04: the mean difference of T under VR from equation (4), and from the exact model."""
    found = list(results.of("valiant_group"))
    exact = [
        abs(each.accepted / predict(each.size, each.pattern, "valiant_group").saturation - 1)
        for each in found
    ]
    if not found:
        return {"mean_off": nan, "mean_off_exact_model": nan}
    return {
        "mean_off": sum(abs(_off_estimate(each)) for each in found) / len(found),
        "mean_off_exact_model": sum(exact) / len(found),
    }


def near_shift(results: Results) -> Measures:
    """PRIS-3-10: T of shift by one group, by h + 1 groups, and the difference; the largest size."""
    sizes = [size for size in results.sizes if size in results.near]
    if not sizes:
        return dict.fromkeys(("gain", "near", "far"), nan)
    near = results.near[sizes[-1]]
    far = results.get(sizes[-1], "shift", "valiant_group").accepted
    return {"gain": near - far, "near": near, "far": far}


def ten_milliseconds(results: Results) -> Measures:
    """PRIS-4-01: how well T is known by 10 ms, the longest run, and runs that were cut short.

    The width of a run that was cut short is extrapolated to 10 ms with the root of time. A run that
    the limit of packets ended could have continued to this length.
    """

    def cut(result: Result) -> bool:
        return result.relative > _PRECISION and result.simulated_ns < 0.9 * _TEN_MS

    widths = [
        each.relative * (sqrt(each.simulated_ns / _TEN_MS) if cut(each) else 1)
        for each in results.found
    ]
    return {
        "known_to": most(widths),
        "longest_ms": most(each.simulated_ns / 1e6 for each in results.found),
        "cut_short": sum(map(cut, results.found)) if results.found else nan,
    }


def descends(results: Results) -> Measures:
    """PRIS-4-02: the rise of T under VR from a balanced size to the next, as a share."""
    rises = [
        after.accepted / before.accepted - 1
        for pattern in PATTERNS
        for before, after in pairwise(
            each for each in results.of("valiant_group", [pattern]) if each.size.balanced
        )
    ]
    return {
        "largest_rise": most(rises),
        "rises": sum(each > _PRECISION for each in rises) if rises else nan,
        **extremes(each.accepted for each in results.of("valiant_group")),
    }


def not_uniform(results: Results) -> Measures:
    """PRIS-4-12: the largest T under VR, at all sizes and from p = 4 on."""
    found = list(results.of("valiant_group"))
    return {
        "highest": most(each.accepted for each in found),
        "highest_from_p_4": most(each.accepted for each in found if each.size.p >= 4),
    }


def any_range(results: Results) -> Measures:
    """PRIS-4-06: T under VA, rounded to whole per cent."""
    return extremes(rounded(each.accepted, 0.01) for each in results.of("valiant_node"))


def of_optimum(results: Results) -> Measures:
    """PRIS-4-07: T under VA over the optimum, rounded to whole per cent."""
    return extremes(rounded(each.accepted / IDEAL, 0.01) for each in results.of("valiant_node"))


def beyond_512(results: Results) -> Measures:
    """PRIS-4-08: T under VR beyond 512 switches, for bit complement and shift."""
    return extremes(
        each.accepted
        for each in results.found
        if each.configuration == "valiant_group"
        and each.pattern in ("bit_complement", "shift")
        and each.size.routers > 512
    )


def gain_of_randomising(results: Results) -> Measures:
    """PRIS-4-10: T that numbering the groups at random adds to VR; its growth from p = 5 on."""
    sizes = [size for size in results.sizes if size.p >= 5]
    gains = {
        pattern: [
            results.get(size, pattern, "random_groups").accepted
            - results.get(size, pattern, "valiant_group").accepted
            for size in sizes
        ]
        for pattern in PATTERNS
    }
    return {
        **extremes(gain for each in gains.values() for gain in each),
        "least_growth": least(each[-1] - each[0] for each in gains.values() if each),
    }


def order(results: Results) -> Measures:
    """PRIS-4-11: the least step of T from VA over VR randomised and VR to shortest path.

    The measures are over sizes from p = 4 on and patterns. ``first`` is T of VA less the largest of
    the others, ``last`` the least of the others less shortest path.
    """
    found = [
        [
            results.get(size, pattern, each).accepted
            for each in ("valiant_node", "random_groups", "valiant_group", "minimal")
        ]
        for size in results.sizes
        if size.p >= 4
        for pattern in PATTERNS
    ]
    steps = [min(better - worse for better, worse in pairwise(each)) for each in found]
    return {
        "least_step": least(steps),
        "first": least(each[0] - max(each[1:]) for each in found),
        "last": least(min(each[:-1]) - each[-1] for each in found),
        "in_order": sum(step > 0 for step in steps) if steps else nan,
        "runs": len(steps) if steps else nan,
    }


#: The function of each claim, for the results of one seed.
OF_ONE_SEED: dict[str, Measure] = {
    "PRIS-2-01": one_link,
    "PRIS-2-02": longest_paths,
    "PRIS-2-03": virtual_channels,
    "PRIS-2-05": local_load,
    "PRIS-3-01": wiring,
    "PRIS-3-02": totals,
    "PRIS-3-03": remote_bottleneck,
    "PRIS-3-04": two_links,
    "PRIS-3-05": h_times,
    "PRIS-3-08": within_bounds,
    "PRIS-3-09": near_estimate,
    "PRIS-3-10": near_shift,
    "PRIS-4-01": ten_milliseconds,
    "PRIS-4-02": descends,
    "PRIS-4-04": follows_estimate,
    "PRIS-4-06": any_range,
    "PRIS-4-07": of_optimum,
    "PRIS-4-08": beyond_512,
    "PRIS-4-10": gain_of_randomising,
    "PRIS-4-11": order,
    "PRIS-4-12": not_uniform,
}


def _over_seeds(measure: Measure) -> Callable[[Evidence], Mapping[str, np.ndarray]]:
    def measured(evidence: Evidence) -> Mapping[str, np.ndarray]:
        found = [measure(each) for each in read_results(evidence)]
        return {name: np.array([each[name] for each in found], dtype=float) for name in found[0]}

    return measured


MEASURES = {claim: _over_seeds(measure) for claim, measure in OF_ONE_SEED.items()}
