"""Values that the shell completes: presets, routings, applications, benchmarks, scenario files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

__all__ = [
    "applications",
    "benchmarks",
    "curve_presets",
    "figures",
    "files",
    "global_arrangements",
    "link_classes",
    "load_files",
    "machines",
    "metrics",
    "of",
    "paper_tables",
    "routings",
    "runnable",
    "scenarios",
    "studies",
    "workloads",
]

Complete = Callable[[str], list[str]]


def of(words: Iterable[str]) -> Complete:
    """Returns a function that completes one of these words."""
    known = list(words)
    return lambda incomplete: _begin(known, incomplete)


def machines(incomplete: str) -> list[str]:
    """Completes machine presets."""
    from pantala.scenario.presets import example, machine_presets

    return _begin([example(name) for name in machine_presets()], incomplete)


def metrics(incomplete: str) -> list[str]:
    """Completes metrics."""
    from pantala.metrics import all_functions, all_metrics

    numbers = [each.name for each in all_metrics()]
    return _begin([*numbers, *(each.name for each in all_functions())], incomplete)


def curve_presets(incomplete: str) -> list[str]:
    """Completes router models and machine presets."""
    from pantala.scenario.presets import router_presets

    return sorted({*_begin(router_presets(), incomplete), *machines(incomplete)})


def routings(incomplete: str) -> list[str]:
    """Completes routing algorithms."""
    from pantala.scenario.routing import ALGORITHMS

    return _begin(ALGORITHMS, incomplete)


def global_arrangements(incomplete: str) -> list[str]:
    """Completes global link arrangements."""
    from typing import get_args

    from pantala.models.keys import TopologyKeys

    return _begin(get_args(TopologyKeys.model_fields["global_arrangement"].annotation), incomplete)


def applications(incomplete: str) -> list[str]:
    """Completes applications."""
    from pantala.workloads import APPLICATIONS

    return _begin(APPLICATIONS, incomplete)


def benchmarks(incomplete: str) -> list[str]:
    """Completes benchmarks."""
    from pantala.runs.benchmark import BENCHMARKS

    return _begin(BENCHMARKS, incomplete)


def paper_tables(incomplete: str) -> list[str]:
    """Completes papers' tables of applications."""
    from pantala.papers import papers

    return _begin([paper.name for paper in papers() if paper.table is not None], incomplete)


def studies(incomplete: str) -> list[str]:
    """Completes studies."""
    from pantala.papers import papers

    return _begin([paper.name for paper in papers() if paper.study is not None], incomplete)


def figures(incomplete: str) -> list[str]:
    """Completes kinds of figures."""
    from pantala.figures.registry import KINDS

    return _begin(KINDS, incomplete)


def link_classes(incomplete: str) -> list[str]:
    """Completes link classes of figures."""
    from pantala.figures.registry import CLASSES

    return _begin(CLASSES, incomplete)


def measures(incomplete: str) -> list[str]:
    """Completes measures of figures."""
    from pantala.figures.registry import KINDS

    found = (kind.options.get("measure") or () for kind in KINDS.values())
    return _begin(dict.fromkeys(measure for each in found for measure in each), incomplete)


def files(incomplete: str) -> list[str]:
    """Completes nothing, so that the shell completes files."""
    return []


def scenarios(incomplete: str) -> list[str]:
    """Completes TOML files."""
    return _files_with(incomplete, ".toml")


def runnable(incomplete: str) -> list[str]:
    """Completes TOML files, load files of Ember and coNCePTuaL programs."""
    return _files_with(incomplete, ".toml", ".load", ".ncptl")


def ncptl_programs(incomplete: str) -> list[str]:
    """Completes coNCePTuaL programs."""
    return _files_with(incomplete, ".ncptl")


def load_files(incomplete: str) -> list[str]:
    """Completes load files of Ember."""
    return _files_with(incomplete, ".load")


def _files_with(incomplete: str, *suffixes: str) -> list[str]:
    """Completes files with these suffixes.

    If a directory also fits, it returns nothing, so that the shell completes all files.
    """
    folder, slash, name = incomplete.rpartition("/")
    try:
        entries = [
            entry for entry in Path(folder + slash or ".").iterdir() if entry.name.startswith(name)
        ]
    except OSError:
        return []
    visible = sorted(
        entry for entry in entries if name.startswith(".") or not entry.name.startswith(".")
    )
    if any(entry.is_dir() for entry in visible):
        return []
    return [f"{folder}{slash}{entry.name}" for entry in visible if entry.suffix in suffixes]


def workloads(incomplete: str) -> list[str]:
    """Completes applications; scenario files and load files if no application fits."""
    return applications(incomplete) or runnable(incomplete)


def _begin(words: Iterable[str], incomplete: str) -> list[str]:
    return [word for word in words if word.startswith(incomplete)]
