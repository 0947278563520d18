"""The study from beginning to end: runs, predictions, verdicts, figures, page."""

from __future__ import annotations

import platform
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pantala import figures as drawing
from pantala.core.extension import core
from pantala.files.atomic_file import write_table
from pantala.files.json_file import write_json
from pantala.papers.prisacari2015 import figures
from pantala.papers.prisacari2015.claims import Finding, Verdict, claims
from pantala.papers.prisacari2015.document import finding, write_page
from pantala.papers.prisacari2015.evidence import Evidence, Result, results, table
from pantala.papers.prisacari2015.runs import LATENCY, Spec, specs
from pantala.papers.prisacari2015.verdicts import RUN_CLAIMS, judge, judge_all
from pantala.studies.directory import StudyDirectory
from pantala.studies.simulate import Record, simulate
from pantala.studies.study import Options, Outcome, Study
from pantala.text.amounts import PAGE

__all__ = ["STUDY", "run", "run_specs"]

#: The names of the latencies, in the order of tables, and their variants.
_LATENCIES = {"half": "half_latency", "as is": "", "double": "double_latency"}


def run(options: Options) -> Outcome:
    """Runs the study; see `Options`.

    Raises:
        RunDirectoryError: the directory is taken or cannot be written. Nothing has been written.
        SimulationError: a network stalled. The measured points are kept, and the study continues
            from them.
        KeyboardInterrupt: Ctrl-C. The measured points are kept.
    """
    return run_specs(specs(quick=options.quick), options)


def run_specs(runs: list[Spec], options: Options) -> Outcome:
    """Runs the study with another list of runs.

    The list must hold all patterns and configurations of some size.
    """
    began = time.perf_counter()
    settings = {"study": "prisacari2015", "quick": options.quick, "seed": options.seed}
    directory = StudyDirectory(options.out, settings, overwrite=options.overwrite)
    points = [spec.point(options.seed, quick=options.quick) for spec in runs]
    directory.begin()
    done = 0

    def tell(record: Record, kept: bool) -> None:
        nonlocal done
        done += 1
        options.progress(done, len(points), _line(record, kept))

    records = simulate(points, directory.target, options.workers, tell)
    found = results(runs, records, options.seed)
    evidence = Evidence(found)
    verdicts = judge_all(evidence)
    latency = _at_latencies(found)
    seconds = time.perf_counter() - began
    _write_tables(directory.target, found, verdicts, latency)
    _write_figures(directory.target / "figures", evidence)
    provenance = _provenance(options, records, seconds)
    page = write_page(
        directory.target / "report.html", evidence, verdicts, latency, found, provenance
    )
    document = {"finding": finding(verdicts), "provenance": provenance}
    directory.finish({"pantala": core().VERSION, **settings, **document})
    return Outcome(
        directory.target,
        page,
        ("claim", "paper", "measured", "verdict"),
        [
            (claim.id, claim.paper, verdicts[claim.id].measured, verdicts[claim.id].verdict)
            for claim in claims()
        ],
        [finding(verdicts), *_notes(found)],
    )


def _line(record: Record, kept: bool) -> str:
    width = record["half_width"] / record["accepted"]
    how = "kept" if kept else f"{record['wall_seconds']:.1f} s"
    return (
        f"{record['key']}: {PAGE.percent(record['accepted'])} \N{PLUS-MINUS SIGN}"
        f" {PAGE.percent(width)} of it, {how}"
    )


def _at_latencies(found: list[Result]) -> dict[str, dict[str, Finding]]:
    """Returns the findings of runs at each latency, for sizes that were run at all of them."""
    other = [Evidence(found, variant) for variant in LATENCY]
    shared = set.intersection(
        *({r.spec.size for r in found if r.spec.variant == each.variant} for each in other)
    )
    if not shared or not all(each.sizes for each in other):
        return {}
    answers = {}
    for title, variant in _LATENCIES.items():
        evidence = Evidence(found, variant)
        if not variant:
            evidence = _as_in_variant(found, other[0])
        answers[title] = {claim: judge(claim, evidence) for claim in RUN_CLAIMS}
    tested = [
        claim
        for claim in RUN_CLAIMS
        if any(findings[claim].verdict is not Verdict.UNTESTED for findings in answers.values())
    ]
    return {
        title: {claim: findings[claim] for claim in tested} for title, findings in answers.items()
    }


def _as_in_variant(found: list[Result], other: Evidence) -> Evidence:
    """Returns the results without variants, for the runs that were also made at other latencies."""
    made = {
        (r.spec.size, r.spec.pattern, r.spec.configuration)
        for r in found
        if r.spec.variant == other.variant
    }
    return Evidence(
        [
            r
            for r in found
            if not r.spec.variant and (r.spec.size, r.spec.pattern, r.spec.configuration) in made
        ]
    )


def _write_tables(
    target: Path,
    found: list[Result],
    verdicts: Mapping[str, Finding],
    latency: Mapping[str, Mapping[str, Finding]],
) -> None:
    """Writes results.parquet and .json, claims.json, and latency.json (other latencies)."""
    frame = table(found)
    write_table(target / "results.parquet", frame, statistics=False)
    write_json(target / "results.json", frame.to_dicts())
    write_json(
        target / "claims.json", [_told(asdict(claim), verdicts[claim.id]) for claim in claims()]
    )
    write_json(
        target / "latency.json",
        {
            title: {claim: one.verdict for claim, one in findings.items()}
            for title, findings in latency.items()
        },
    )


def _told(claim: dict[str, Any], one: Finding) -> dict[str, Any]:
    """Returns a claim with the finding on it."""
    return {**claim, "measured": one.measured, "verdict": one.verdict, "reason": one.reason}


def _write_figures(target: Path, evidence: Evidence) -> None:
    """Draws every panel, and all panels in one figure, as SVG and as PNG."""
    target.mkdir(exist_ok=True)
    drawn = {panel.key: figures.draw(panel, evidence) for panel in figures.PANELS}
    drawn["figure-3"] = figures.draw_all(evidence)
    for name, figure in drawn.items():
        for ending in ("svg", "png"):
            drawing.save(figure, target / f"{name}.{ending}", dpi=110)


def _provenance(options: Options, records: Mapping[str, Record], seconds: float) -> dict[str, str]:
    """Returns facts about how the study was made; `seconds` is the wall-clock time of this call."""
    work = sum(record["wall_seconds"] for record in records.values())
    return {
        "Pantala": core().VERSION,
        "Python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        "runs": str(len(records)),
        "seed": str(options.seed),
        "processes": str(options.workers),
        "simulating": f"{work / 60:.1f} min, summed over runs",
        "this time": f"{seconds / 60:.1f} min, without what was kept of an interrupted study",
    }


def _notes(found: list[Result]) -> list[str]:
    wide = [r.spec.key for r in found if not (r.record["precise"] and r.record["steady"])]
    return [f"not known to 1 % within the longest run: {', '.join(wide)}"] if wide else []


STUDY = Study(
    name="prisacari2015",
    title=(
        "ValiantRestricted against ValiantAny under bit complement, shift and nearest neighbour, 42"
        " to 16,512 nodes"
    ),
    source="Prisacari et al., HPSR 2015",
    run=run,
)
