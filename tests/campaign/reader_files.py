"""The files of each reader, for the part `coverage`."""

from __future__ import annotations

__all__ = ["NO_READING", "PYTHON", "RUST"]

_SIM = "pantala-sim/src"
_FRONT = "pantala-frontends/src"

#: Patterns of files below `crates`, without writers of a format and what runs after the reading.
RUST: dict[str, tuple[str, ...]] = {
    "chakra": (f"{_FRONT}/chakra/*.rs",),
    "dumpi_binary": tuple(
        f"{_FRONT}/dumpi/{name}.rs"
        for name in ("binary_file", "binary_records", "functions", "files", "rank_file", "survey")
    ),
    "dumpi_text": tuple(
        f"{_FRONT}/dumpi/{name}.rs"
        for name in ("text_records", "functions", "files", "rank_file", "survey")
    ),
    "estimates": (f"{_SIM}/plan/q_tables.rs",),
    "goal_binary": (f"{_FRONT}/goal/binary.rs", f"{_FRONT}/goal/schedule.rs"),
    "goal_text": tuple(
        f"{_FRONT}/goal/{name}.rs" for name in ("text", "scanner", "labels", "schedule")
    ),
    "ncptl": tuple(
        f"pantala-ncptl/src/{name}"
        for name in ("language/*.rs", "language/check/*.rs", "language/parser/*.rs", "compile/*.rs")
    ),
    "operations": tuple(
        f"{_FRONT}/operations/{name}.rs"
        for name in ("bytes", "contents", "decode", "layout", "lists", "packed", "agreement")
    ),
    "plan": tuple(
        f"{_SIM}/plan/{name}.rs"
        for name in ("reading", "form", "ranges", "resolve", "placement", "network", "records")
    ),
}
#: Patterns of files below `python/pantala`.
PYTHON: dict[str, tuple[str, ...]] = {
    "file of links": ("scenario/link_files.py",),
    "file of nodes": ("scenario/node_file.py",),
    "host list": ("scenario/hostlist.py",),
    "run.json": ("files/run_form.py",),
    "job log": ("job_log/*.py",),
    "files of CODES": ("importers/codes/*.py",),
    "load file of Ember": ("importers/ember/*.py",),
    "experiment": ("experiments/description.py", "experiments/axes.py"),
    "scenario": tuple(
        f"scenario/{name}.py"
        for name in (
            *("toml", "scenario", "job", "job_checks", "job_copies", "failed_links", "record"),
            *("stop", "placement", "links", "mpi", "machine", "topology", "routing", "background"),
        )
    ),
}
#: Regular expressions of what in those files reads no file: the words of options, writers of host
#: lists, experiments in Python (a program of the user), and what schemas and documents ask.
NO_READING = (
    r"def _?fold(ed)?\(",
    r"def (parse_axis|toml_value|_split|_of_python)\(",
    r"def (first_seeds|document|digest|seed_axis|_shown)\(self",
    r"def (__get_pydantic_(core|json)_schema__|__eq__|__hash__|_repr_html_|__init_subclass__)",
    r"def (from_ember|replace|assumptions|application|node_count|source|as_given)\(",
)
