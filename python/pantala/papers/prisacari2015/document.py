"""The page of the study: claims, figures, numbers and assumptions in one HTML file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from pantala.files.atomic_file import write_text
from pantala.papers.prisacari2015 import figures
from pantala.papers.prisacari2015.claims import RULE, Finding, Verdict, claims
from pantala.papers.prisacari2015.evidence import Evidence, Result
from pantala.papers.prisacari2015.model import estimate
from pantala.papers.prisacari2015.runs import (
    CONFIGURATIONS,
    PATTERNS,
    VARIANTS,
    Spec,
    process_grid,
)
from pantala.report.inline_svg import inline_svg
from pantala.studies.simulate import PRECISION
from pantala.text.amounts import PAGE, count, join

__all__ = ["assumptions", "finding", "variant_rows", "write_page"]

Rows = list[tuple[str, ...]]


def write_page(
    path: Path,
    evidence: Evidence,
    found: Mapping[str, Finding],
    latency: Mapping[str, Mapping[str, Finding]],
    results: Sequence[Result],
    provenance: Mapping[str, str],
) -> Path:
    """Writes the page.

    Args:
        path: the file; replaced if it exists.
        evidence: the results without variants.
        found: the finding on each claim.
        latency: for each factor on the latencies ("half", "as is", "double"), the findings on the
            claims that latencies could change.
        results: all runs, variants included.
        provenance: facts about how the study was made.
    """
    environment = Environment(
        loader=ChoiceLoader(
            [
                PackageLoader("pantala.papers.prisacari2015", ""),
                PackageLoader("pantala.report", ""),
            ]
        ),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    page = environment.get_template("template.html.j2").render(
        finding=finding(found),
        rule=RULE,
        sizes=evidence.sizes,
        claims=[(claim, found[claim.id]) for claim in claims()],
        latency=latency,
        latency_rows=_latency_rows(latency),
        figures=_figures(evidence),
        numbers={title: _numbers(evidence, pattern) for pattern, title in PATTERNS.items()},
        variants=variant_rows(evidence, results),
        assumptions=assumptions(evidence),
        precision=PAGE.percent(PRECISION),
        imprecise=_imprecise(results),
        provenance=provenance,
    )
    write_text(path, page)
    return path


def finding(found: Mapping[str, Finding]) -> str:
    """Returns the result of the study in two sentences."""
    words = {
        Verdict.HOLDS: "hold",
        Verdict.DIRECTION: "hold in direction",
        Verdict.FAILS: "do not hold",
        Verdict.UNTESTED: "could not be tested",
    }

    def counted(verdicts: Sequence[Verdict]) -> str:
        return join(
            [f"{verdicts.count(each)} {word}" for each, word in words.items() if each in verdicts]
        )

    headlines = [found[claim.id].verdict for claim in claims() if claim.kind == "headline"]
    everything = counted([each.verdict for each in found.values()])
    return (
        f"Of {len(found)} claims, {everything}. Of the {len(headlines)} headline claims,"
        f" {counted(headlines)}."
    )


def _latency_rows(latency: Mapping[str, Mapping[str, Finding]]) -> Rows:
    first = next(iter(latency.values()), {})
    return [(claim, *(findings[claim].verdict for findings in latency.values())) for claim in first]


def _figures(evidence: Evidence) -> list[dict[str, Any]]:
    """Returns every panel as a figure of the page."""
    drawn = []
    for panel in figures.PANELS:
        alt = figures.in_words(panel, evidence)
        svg = inline_svg(figures.draw(panel, evidence), panel.key, alt)
        drawn.append({"key": panel.key, "title": panel.title, "svg": svg})
    return drawn


def _numbers(evidence: Evidence, pattern: str) -> Rows:
    """Returns one row per size: nodes, equation (4), then measured and exact per configuration."""
    rows = []
    for size in evidence.sizes:
        cells = [str(size), count(size.nodes), _share(estimate(size))]
        for configuration in CONFIGURATIONS:
            result = evidence.get(size, pattern, configuration)
            cells += [
                (
                    f"{_share(result.accepted)} \N{PLUS-MINUS SIGN}"
                    f" {100 * result.record['half_width']:.2f}"
                ),
                _share(result.prediction.saturation),
            ]
        rows.append(tuple(cells))
    return rows


def _share(value: float) -> str:
    return f"{100 * value:.2f}"


def variant_rows(evidence: Evidence, results: Sequence[Result]) -> Rows:
    """Returns one row per run of a variant that changes one thing.

    Returns:
        The change, size, pattern, configuration; then in % of the injection bandwidth: the
        throughput of the variant, the throughput without the change, and the exact model's
        throughput of the variant.
    """
    rows: Rows = []
    for result in results:
        spec = result.spec
        if not spec.variant or spec.variant in ("half_latency", "double_latency"):
            continue
        base = evidence.get(spec.size, spec.pattern, spec.configuration)
        rows.append(
            (
                VARIANTS[spec.variant],
                str(spec.size),
                PATTERNS[spec.pattern].lower(),
                spec.configuration.title,
                _share(result.accepted),
                _share(base.accepted),
                _share(result.prediction.saturation),
            )
        )
    return rows


def assumptions(evidence: Evidence) -> Rows:
    """Returns the paper's open points: the point, the decision of the study, and its reason."""
    largest = evidence.sizes[-1]
    grids = [
        f"{'x'.join(map(str, process_grid(size)))} for {size}"
        for size in (evidence.sizes[0], largest)
    ]
    return [
        (
            "sizes",
            ", ".join(map(str, evidence.sizes)),
            "the paper names the smallest and the largest; between them, all with p = a/2 = h",
        ),
        *(
            (key, "", reason)
            for key, reason in (
                Spec(largest, "shift", CONFIGURATIONS[0]).scenario(1).assumptions().items()
            )
            if key.startswith("machine.")
        ),
        (
            "shift",
            "m = h + 1",
            "the smallest m that the paper allows; the exact model says how other m fare",
        ),
        (
            "process grid",
            f"{grids[0]}, {grids[1]}, z last",
            (
                "planes of h + 1/a groups: of the grids whose neighbours in z are more than h"
                " groups apart, the one with the most planes"
            ),
        ),
        (
            "edges of the grid",
            "periodic",
            "every process has two neighbours; the other choice is among the variants",
        ),
        (
            "order of the exchange",
            "packet by packet in turn to both neighbours",
            (
                "as if both messages were sent without waiting; the 256 KB of a pair then only say"
                " for how long"
            ),
        ),
        (
            "group numbering",
            "one random order for each size and pattern",
            "the paper does not say how many it drew",
        ),
        (
            "what is measured",
            "the steady state of endless traffic",
            "the paper simulates 10 ms, warm-up and all",
        ),
    ]


def _imprecise(results: Sequence[Result]) -> list[str]:
    """Returns the runs whose mean does not reach the required precision, in words."""
    sentences = []
    for result in results:
        record = result.record
        if record["precise"] and record["steady"]:
            continue
        why = [] if record["steady"] else ["still settling"]
        width = record["half_width"] / result.accepted
        sentences.append(
            f"{result.spec.key}: throughput {_share(result.accepted)} % of injection bandwidth,"
            f" known within {PAGE.percent(width)} of it after"
            f" {PAGE.duration(record['simulated_ns'], exact=True)}"
            + "".join(f", {word}" for word in why)
        )
    return sentences
