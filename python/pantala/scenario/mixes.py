"""Mixes: named sets of jobs that papers run together, with a scenario's changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pantala.errors import nearest
from pantala.models.base import fault
from pantala.scenario.job import Job
from pantala.scenario.presets import merge, mix_preset, mix_presets

__all__ = ["jobs_of", "jobs_schema", "mix_of"]

#: The keys that a mix can set for all its jobs.
_COMMON = ("compute_noise", "placement", "routing", "routing_all_to_all", "start")


def mix_of(jobs: object) -> str | None:
    """Returns the name of the mix of a scenario's jobs; None if they are a list."""
    name = jobs.get("preset") if isinstance(jobs, Mapping) else jobs
    return name if isinstance(name, str) else None


def jobs_of(jobs: Any) -> Any:
    """Returns the jobs as a list, also if they are given as a mix.

    A mix is a name such as ``"wang2020.workload1"``, or a table with the name as `preset`. The
    table's other keys are keys for all jobs, or a job's name with a table for that job. A job's own
    table comes first, then the keys for all jobs, then the mix. A workload of another `kind`
    replaces the mix's workload completely.

    Args:
        jobs: the value of the scenario's `jobs`; a list is returned unchanged.

    Raises:
        PydanticCustomError: there is no such mix, or the mix has no such job.
    """
    if isinstance(jobs, str):
        jobs = {"preset": jobs}
    if not isinstance(jobs, Mapping):
        return jobs
    if "preset" not in jobs:
        raise fault(
            "is a table without a preset",
            "add preset = '...', or write a [[jobs]] table for your own job",
            "jobs",
        )
    mix = mix_preset(jobs["preset"])
    own = {key: value for key, value in jobs.items() if key not in {"preset", *_COMMON}}
    for name in own:
        if name not in mix:
            known = [*mix, *_COMMON]
            close = nearest(name, known)
            remedy = f"did you mean '{close}'?" if close else f"choose one of {', '.join(known)}"
            raise fault(f"{jobs['preset']} has no such job", remedy, "jobs", name)
    common = {key: jobs[key] for key in _COMMON if key in jobs}
    return [
        {"name": name, **_laid_over(merge(job, common), own.get(name, {}), name)}
        for name, job in mix.items()
    ]


def jobs_schema(schema: dict[str, Any]) -> None:
    """Changes the JSON Schema of `jobs` to a list of jobs, a mix's name, or a table with one."""
    names = {"type": "string", "enum": mix_presets()}
    array = {**schema, "minItems": 1}
    common = {
        key: Job.model_json_schema()["properties"][key].get("description", "") for key in _COMMON
    }
    table = {
        "type": "object",
        "description": (
            "A published mix of jobs with changes. Any other key is the name of one of its jobs."
        ),
        "properties": {
            "preset": names | {"description": "The name of the mix."},
            **{key: {"description": text} for key, text in common.items()},
        },
        "required": ["preset"],
        "additionalProperties": {"type": "object"},
    }
    schema.clear()
    schema["anyOf"] = [array, names, table]


def _laid_over(job: Mapping[str, Any], given: Any, name: str) -> dict[str, Any]:
    """Returns a job of a mix with the keys of its own table applied."""
    if not isinstance(given, Mapping):
        raise fault(
            "is not a table",
            f"write its keys below a [jobs.{name}] heading or in {{ }}",
            "jobs",
            name,
        )
    below = dict(job)
    workload = given.get("workload")
    if (
        isinstance(workload, Mapping)
        and isinstance(job["workload"], Mapping)
        and workload.get("kind", job["workload"]["kind"]) != job["workload"]["kind"]
    ):
        del below["workload"]
    return merge(below, given)
