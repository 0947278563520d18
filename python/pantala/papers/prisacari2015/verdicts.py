"""The verdict on each claim: the conditions of claims.toml as code, one function per claim."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from math import sqrt

from pantala.papers.prisacari2015 import structure
from pantala.papers.prisacari2015.claims import Finding, Verdict, claims, inside, verdict_of
from pantala.papers.prisacari2015.evidence import Evidence, Result
from pantala.papers.prisacari2015.model import IDEAL, bounds, direct, estimate
from pantala.papers.prisacari2015.runs import ANY, MINIMAL, PATTERNS, RANDOMISED, RESTRICTED, Size
from pantala.papers.prisacari2015.wording import (
    by_pattern,
    deviations,
    each_pattern,
    names,
    ratios,
)
from pantala.text.amounts import PAGE

__all__ = ["RUN_CLAIMS", "judge", "judge_all"]

Rule = Callable[[Evidence], Finding]
Condition = Callable[[Result], bool]

_RULES: dict[str, Rule] = {}
#: Claims about the network or the model, which latencies do not influence.
_STATIC = {
    "PRIS-2-01",
    "PRIS-2-02",
    "PRIS-2-03",
    "PRIS-3-01",
    "PRIS-3-02",
    "PRIS-3-04",
    "PRIS-3-05",
}
#: The maximum number of routers for which paths are enumerated one by one.
_SMALL = Size(2, 4, 2)
_MAX_ROUTERS = 600

_MIDDLE = (
    "Under bit complement the middle group, as the number of groups is odd, sends to itself over"
    " the very local links that all transit through it needs"
)


def judge(claim: str, evidence: Evidence) -> Finding:
    """Returns the finding on one claim."""
    return _RULES[claim](evidence)


def judge_all(evidence: Evidence) -> dict[str, Finding]:
    """Returns the finding on every claim, in the order of the paper."""
    return {claim.id: judge(claim.id, evidence) for claim in claims()}


def _rule(claim: str) -> Callable[[Rule], Rule]:
    """Registers the rule of a claim."""

    def add(rule: Rule) -> Rule:
        _RULES[claim] = rule
        return rule

    return add


def _untested(reason: str) -> Finding:
    return Finding(Verdict.UNTESTED, "", f"{reason[0].upper()}{reason[1:]}.")


def _failing(results: Iterable[Result], holds: Condition) -> list[Result]:
    return [result for result in results if not holds(result)]


def _told(outside: Sequence[Result], word: str) -> str:
    return f"{word}: {names(outside)}." if outside else ""


def _all_of(
    results: Iterable[Result],
    value: Callable[[Result], float],
    holds: Condition,
    direction: Condition,
    otherwise: str,
) -> Finding:
    """Returns the finding on a claim about every result.

    Args:
        results: the results.
        value: returns the value of a result; the finding gives the range of these values.
        holds: the condition for "holds".
        direction: the condition for "holds in direction".
        otherwise: the word before the list of results that do not meet `holds`.
    """
    results = list(results)
    out = _failing(results, holds)
    verdict = verdict_of(not out, not _failing(results, direction))
    return Finding(verdict, by_pattern(results, value), _told(out, otherwise))


def _none_from(p: int) -> Finding:
    return _untested(f"no size from p = {p} on was run")


@_rule("PRIS-2-01")
def _one_path(evidence: Evidence) -> Finding:
    size = max(size for size in evidence.sizes if size.routers <= _MAX_ROUTERS)
    nodes = [
        structure.counts(each)[1] == each.groups * (each.groups - 1) for each in evidence.sizes
    ]
    diameter, single = structure.shortest_paths(size)
    return Finding(
        verdict_of(all(nodes) and diameter == 3),
        f"one link a pair of groups at {len(nodes)} sizes; {diameter} links at most",
        "The path is the only one with at most one remote link. Of all paths,"
        f" {PAGE.percent(1 - single)} of the pairs of routers in different groups of {size} have"
        " another one as short, over two remote links, or only such.",
    )


@_rule("PRIS-2-02")
def _longest(evidence: Evidence) -> Finding:
    found = structure.longest_paths(_SMALL)
    expected = {"minimal": {"LRL"}, "valiant_group": {"LRLRL"}, "valiant_node": {"LRLLRL"}}
    shown = ", ".join("/".join(sorted(paths)) for paths in found.values())
    return Finding(verdict_of(found == expected), f"{shown} (all paths of {_SMALL})")


@_rule("PRIS-2-03")
def _channels(evidence: Evidence) -> Finding:
    found = structure.channels(_SMALL)
    holds = {routing: count for routing, (count, acyclic) in found.items() if acyclic}
    expected = {"minimal": 2, "valiant_group": 3, "valiant_node": 4}
    shown = ", ".join(str(count) for count, _ in found.values())
    cycles = "no cycle" if len(holds) == len(found) else "a cycle"
    return Finding(
        verdict_of(holds == expected),
        f"{shown} virtual channels, {cycles} in the channel-dependency graphs of {_SMALL}",
        "Every channel is counted on local and remote links alike; VA needs its fourth on local"
        " links only.",
    )


@_rule("PRIS-2-05")
def _local_load(evidence: Evidence) -> Finding:
    results = [result for result in evidence.of(RESTRICTED) if result.spec.size in evidence.sizes]
    pairs = [(evidence.get(r.spec.size, r.spec.pattern, ANY), r) for r in results]
    more = all(any_.local_bytes > restricted.local_bytes for any_, restricted in pairs)
    worse = [any_ for any_, restricted in pairs if any_.accepted <= restricted.accepted]
    measured = (
        f"local bytes a byte: VR {min(r.local_bytes for _, r in pairs):.2f} to"
        f" {max(r.local_bytes for _, r in pairs):.2f}, VA"
        f" {min(r.local_bytes for r, _ in pairs):.2f} to"
        f" {max(r.local_bytes for r, _ in pairs):.2f}; T of VA above VR in"
        f" {len(pairs) - len(worse)} of {len(pairs)}"
    )
    reason = f"VA hurts, as the paper says it may: {names(worse)}." if worse else ""
    helps = all(result.spec.size != evidence.sizes[-1] for result in worse)
    return Finding(verdict_of(more and helps, more), measured, reason)


@_rule("PRIS-3-01")
def _wiring(evidence: Evidence) -> Finding:
    offsets = set().union(*(structure.offset_of_wiring(size) for size in evidence.sizes))
    return Finding(
        verdict_of(offsets == {0}, len(offsets) == 1),
        (
            "(i + x*h + m + 1) mod (a*h + 1) at every remote link"
            if offsets == {1}
            else f"offsets {sorted(offsets)}"
        ),
        "As printed, without the 1, the first link of every group leads back to its own group.",
    )


@_rule("PRIS-3-02")
def _totals(evidence: Evidence) -> Finding:
    found = {size: structure.counts(size) for size in evidence.sizes}
    right = all(
        nodes == size.nodes and links == formula for size, (nodes, links, formula) in found.items()
    )
    largest = max(found)
    return Finding(
        verdict_of(right),
        f"{found[largest][0]:,} nodes and {found[largest][1]:,} remote links at {largest}, and"
        " so on",
    )


@_rule("PRIS-3-03")
def _remote_bottleneck(evidence: Evidence) -> Finding:
    results = [result for result in evidence.of(MINIMAL) if result.spec.size.p >= 3]
    if not results:
        return _none_from(3)
    shifted = [result for result in results if result.spec.pattern != "neighbor_3d"]
    off = [result.between_groups / direct(result.spec.size) - 1 for result in shifted]

    def busiest(some: Sequence[Result]) -> float:
        return min(float(result.record["global_utilization_max"]) for result in some)

    reason = (
        "All nodes together have more under bit complement, whose middle group keeps its traffic to"
        " itself."
    )
    if busiest(results) < 0.9 <= busiest(shifted):
        reason += (
            " In the exchange a process sends to its two neighbours in turn, over links of two"
            " pairs of groups: it waits for the fuller one, and the other falls idle."
        )
    far = max(map(abs, off)) > 0.1
    return Finding(
        verdict_of(busiest(results) >= 0.9 and not far, busiest(results) >= 0.8 and not far),
        "busiest remote link busy:"
        f" {each_pattern(results, lambda mine: PAGE.percent(busiest(mine)))} or more;"
        f" T between groups {min(off):+.1%} to {max(off):+.1%} off 1/(a*p)",
        reason,
    )


@_rule("PRIS-3-04")
def _two_links(evidence: Evidence) -> Finding:
    results = list(evidence.of(RESTRICTED))
    count = {
        pattern: max(
            structure.transit_links(r.prediction.loads.transit)
            for r in results
            if r.spec.pattern == pattern
        )
        for pattern in PATTERNS
    }
    shown = ", ".join(f"{PATTERNS[pattern].lower()} {number}" for pattern, number in count.items())
    one_group = [number for pattern, number in count.items() if pattern != "neighbor_3d"]
    return Finding(
        verdict_of(max(count.values()) <= 2, max(one_group) <= 2),
        f"most local links of a switch with transit: {shown}",
        (
            "The exchange pairs each group with two others, one ahead and one behind: two links"
            " each way, and a third where planes of the grid do not end with a group. For patterns"
            " with one destination group the claim is exact."
            if count["neighbor_3d"] > 2
            else ""
        ),
    )


@_rule("PRIS-3-05")
def _h_times(evidence: Evidence) -> Finding:
    results = evidence.of(RESTRICTED, ["bit_complement"])
    found = {r.spec.size: float(r.prediction.loads.transit.max()) for r in results}
    sizes = sorted(found, key=lambda size: (size.h, size))
    rises = all(
        found[after] > found[before] for before, after in pairwise(sizes) if after.h > before.h
    )
    share = {size: load / size.h for size, load in found.items()}
    largest, most = max(found), max(share, key=lambda size: share[size])
    return Finding(
        verdict_of(
            all(inside(load, size.h, size.h, 1) for size, load in found.items()),
            rises and min(found.values()) > 1,
        ),
        f"{share[largest]:.3f} h at {largest}; {share[most]:.3f} h at {most}",
        "More than h in small networks: the traffic of a group has a*h - 1 groups to go through,"
        " not a*h.",
    )


@_rule("PRIS-3-08")
def _within_bounds(evidence: Evidence) -> Finding:
    results = [result for result in evidence.of(RESTRICTED) if result.spec.size.p >= 3]
    if not results:
        return _none_from(3)

    def within(result: Result, spare: float, unit: float) -> bool:
        low, high = (bound * result.spec.size.p for bound in bounds(result.spec.size))
        return inside(
            result.accepted * result.spec.size.p, (1 - spare) * low, (1 + spare) * high, unit
        )

    out = _failing(results, lambda result: within(result, 0, 0.01))
    far = _failing(results, lambda result: within(result, 0.1, 0.0001))
    reasons = [_told(out, "Out of bounds"), _told(far, "By more than 10 %")]
    if any(result.spec.pattern == "neighbor_3d" for result in out):
        reasons.append(
            "Equation (1) shares one or two local links among the h remote links of a switch; where"
            " a pattern spreads over more, as the exchange does with its two directions, their load"
            " is lower."
        )
    if any(result.spec.pattern == "bit_complement" for result in out):
        reasons.append(f"{_MIDDLE}.")
    reasons.append(
        _told(
            _failing(out, lambda result: bool(result.record["steady"])),
            "Cut short before it settled",
        )
    )
    measured = f"T*p: {ratios(results)} (bounds 0.5 to 1)"
    return Finding(verdict_of(not out, not far), measured, " ".join(filter(None, reasons)))


def _off_estimate(result: Result) -> float:
    return result.accepted / estimate(result.spec.size) - 1


@_rule("PRIS-3-09")
def _near_estimate(evidence: Evidence) -> Finding:
    results = list(evidence.of(RESTRICTED))
    out = _failing(results, lambda result: abs(_off_estimate(result)) <= 0.1)
    far = _failing(results, lambda result: abs(_off_estimate(result)) <= 0.25)
    reasons = [_estimate_reason(results) if out else "", _told(far, "By more than 25 %")]
    return Finding(
        verdict_of(not out, not far),
        deviations(results, _off_estimate),
        " ".join(filter(None, reasons)),
    )


@_rule("PRIS-4-04")
def _follows_estimate(evidence: Evidence) -> Finding:
    results = list(evidence.of(RESTRICTED))
    off = [abs(_off_estimate(result)) for result in results]
    exact = [abs(result.accepted / result.prediction.saturation - 1) for result in results]
    mean = sum(off) / len(off)
    return Finding(
        verdict_of(mean <= 0.1, mean <= 0.2),
        f"mean difference {PAGE.percent(mean)} ({deviations(results, _off_estimate)}); to the exact"
        f" model {PAGE.percent(sum(exact) / len(exact))}",
        _estimate_reason(results) if mean > 0.1 else "",
    )


def _estimate_reason(results: Sequence[Result]) -> str:
    """Returns the reason for the error of equation (4), from the exact model."""
    exact = deviations(
        results, lambda result: result.prediction.saturation / estimate(result.spec.size) - 1
    )
    return (
        f"The exact load of the busiest link is itself off equation (4): {exact}. {_MIDDLE}; the"
        " exchange spreads its two directions over different local links."
    )


@_rule("PRIS-3-10")
def _near_shift(evidence: Evidence) -> Finding:
    near = evidence.variants("near_shift")
    if not near or evidence.variant:
        return _untested("shift by one group was run at the study's own latencies only")
    far = evidence.get(near[0].spec.size, "shift", RESTRICTED)
    return Finding(
        verdict_of(near[0].accepted > far.accepted),
        f"{PAGE.percent(near[0].accepted)} for m = 1, {PAGE.percent(far.accepted)} for m = h + 1,"
        f" at {far.spec.size}",
    )


#: In ns.
_TEN_MS = 1e7


@_rule("PRIS-4-01")
def _ten_milliseconds(evidence: Evidence) -> Finding:
    results = [
        result for each in (MINIMAL, RESTRICTED, ANY, RANDOMISED) for result in evidence.of(each)
    ]
    # A half width falls with the root of time. A run that the packet limit ended could have
    # continued to this length.
    cut = [
        r for r in results if not r.record["precise"] and r.record["simulated_ns"] < 0.9 * _TEN_MS
    ]
    widths = {
        r.spec.key: (
            r.record["half_width"]
            / r.accepted
            * (sqrt(r.record["simulated_ns"] / _TEN_MS) if r in cut else 1)
        )
        for r in results
    }
    late = [r for r in results if widths[r.spec.key] > 0.02 or r.record["simulated_ns"] > _TEN_MS]
    reason = f"Not: {names(late)}. " if late else ""
    if cut:
        reason += f"Extrapolated from the time simulated: {names(cut)}."
    return Finding(
        verdict_of(not late and not cut, not late),
        f"known to {PAGE.percent(max(widths.values()))} or better by 10 ms",
        reason.rstrip(),
    )


@_rule("PRIS-4-02")
def _descends(evidence: Evidence) -> Finding:
    steps: list[tuple[float, Result]] = []
    for pattern in PATTERNS:
        results = [
            result for result in evidence.of(RESTRICTED, [pattern]) if result.spec.size.balanced
        ]
        steps += [
            (after.accepted / before.accepted - 1, after) for before, after in pairwise(results)
        ]
    if not steps:
        return _untested("one balanced size only was run")
    rising = [result for rise, result in steps if rise > 0.01]
    reason = ""
    if rising:
        reason = (
            f"{_told(rising, 'Rises')} The largest rise is"
            f" {PAGE.percent(max(rise for rise, _ in steps))}."
        )
        unsettled = _failing(
            rising, lambda result: bool(result.record["precise"] and result.record["steady"])
        )
        reason = " ".join(filter(None, [reason, _told(unsettled, "Cut short before it settled")]))
    shown = by_pattern(list(evidence.of(RESTRICTED)), _accepted)
    verdict = verdict_of(not rising, all(rise <= 0.03 for rise, _ in steps))
    return Finding(verdict, f"{shown}; {len(rising)} of {len(steps)} steps up", reason)


def _accepted(result: Result) -> float:
    return result.accepted


@_rule("PRIS-4-12")
def _not_uniform(evidence: Evidence) -> Finding:
    def below(result: Result) -> bool:
        return result.accepted < (0.3 if result.spec.size.p >= 4 else 0.45)

    return _all_of(
        evidence.of(RESTRICTED),
        _accepted,
        below,
        lambda result: result.accepted < IDEAL,
        "Not so far below",
    )


@_rule("PRIS-4-06")
def _any_range(evidence: Evidence) -> Finding:
    def within(low: float, high: float) -> Condition:
        return lambda result: inside(result.accepted, low, high, 0.01)

    return _all_of(
        evidence.of(ANY), _accepted, within(0.33, 0.43), within(0.28, 0.48), "Outside 33 to 43 %"
    )


@_rule("PRIS-4-07")
def _of_optimum(evidence: Evidence) -> Finding:
    def share(result: Result) -> float:
        return result.accepted / IDEAL

    def within(low: float, high: float) -> Condition:
        return lambda result: inside(share(result), low, high, 0.01)

    return _all_of(
        evidence.of(ANY), share, within(0.65, 0.85), within(0.56, 0.96), "Outside 65 to 85 %"
    )


@_rule("PRIS-4-08")
def _beyond_512(evidence: Evidence) -> Finding:
    patterns = ["bit_complement", "shift"]
    results = [
        result for result in evidence.of(RESTRICTED, patterns) if result.spec.size.routers > 512
    ]
    if not results:
        return _untested("no size of more than 512 switches was run; the full study has three")
    return _all_of(
        results,
        _accepted,
        lambda each: each.accepted < 0.15,
        lambda each: each.accepted < 0.16,
        "Not below 15 %",
    )


@_rule("PRIS-4-10")
def _gain(evidence: Evidence) -> Finding:
    large = [result for result in evidence.of(RANDOMISED) if result.spec.size.p >= 5]
    if not large:
        return _none_from(5)

    def gain(result: Result) -> float:
        return (
            result.accepted
            - evidence.get(result.spec.size, result.spec.pattern, RESTRICTED).accepted
        )

    out = _failing(large, lambda result: 0.05 <= gain(result) <= 0.15)
    falls = []
    for pattern in PATTERNS:
        mine = [result for result in large if result.spec.pattern == pattern]
        if gain(mine[-1]) < gain(mine[0]) - 0.005:
            falls.append(mine[-1])
    reasons = []
    if out:
        reasons.append(f"Outside 5 to 15 points: {names(out)}.")
        if any(gain(result) > 0.15 for result in out):
            reasons.append(
                "Where the gain is larger it starts from less: "
                + _MIDDLE[0].lower()
                + _MIDDLE[1:]
                + "."
            )
    if falls:
        reasons.append(f"Smaller at the largest size than at p = 5: {names(falls)}.")
    shown = (
        by_pattern(large, gain).replace(" %", " points").replace("\N{NO-BREAK SPACE}%", " points")
    )
    holds, direction = not out and not falls, all(gain(result) > 0 for result in large)
    return Finding(verdict_of(holds, direction), shown, " ".join(reasons))


@_rule("PRIS-4-11")
def _order(evidence: Evidence) -> Finding:
    large = [size for size in evidence.sizes if size.p >= 4]
    if not large:
        return _none_from(4)
    order = (ANY, RANDOMISED, RESTRICTED, MINIMAL)
    wrong, ends = [], True
    for size in large:
        for pattern in PATTERNS:
            results = [evidence.get(size, pattern, configuration) for configuration in order]
            if any(better.accepted <= worse.accepted for better, worse in pairwise(results)):
                wrong.append(results[0])
            found = sorted(results, key=_accepted, reverse=True)
            ends = ends and (found[0], found[-1]) == (results[0], results[-1])
    runs = len(large) * len(PATTERNS)
    return Finding(
        verdict_of(not wrong, ends),
        f"that order in {runs - len(wrong)} of {runs} (sizes from p = 4 on, patterns)",
        f"Another order: {names(wrong)}." if wrong else "",
    )


#: Claims that runs decide, so that latencies could change their verdicts. They are judged again at
#: other latencies.
RUN_CLAIMS = tuple(claim for claim in _RULES if claim not in _STATIC)
