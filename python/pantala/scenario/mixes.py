"""Mixes: the jobs that papers run together, by name, with what a scenario lays over them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pantala.errors import nearest
from pantala.scenario.base import fault
from pantala.scenario.job import Job
from pantala.scenario.presets import merge, mix_preset, mix_presets

__all__ = ["jobs_of", "jobs_schema", "mix_of"]

#: What all jobs of a mix can be given at once.
_COMMON = ("compute_noise", "placement", "routing", "routing_all_to_all", "start")


def mix_of(jobs: object) -> str | None:
    """The mix that a scenario's jobs are from; None if they are a list of their own."""
    name = jobs.get("preset") if isinstance(jobs, Mapping) else jobs
    return name if isinstance(name, str) else None


def jobs_of(jobs: Any) -> Any:
    """The jobs as a list, if they are given as a mix: ``"wang2020.workload1"``, or a table with
    that as `preset`.

    A table's other keys are those of all jobs, or a job's name with a table of its own; the job's
    comes first, then what all have, then the mix. A workload of another `kind` takes the mix's
    place as a whole.

    Args:
        jobs: what the scenario has; a list comes back as it is.

    Raises:
        PydanticCustomError: no such mix, or no such job in it.
    """
    if isinstance(jobs, str):
        jobs = {"preset": jobs}
    if not isinstance(jobs, Mapping):
        return jobs
    if "preset" not in jobs:
        raise fault(
            "is a table without a preset",
            "add preset = '...', or write [[jobs]] for a job of your own",
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
    """The JSON Schema of a scenario's `jobs`: a list of jobs, a name of a mix, or a table with
    one.
    """
    names = {"type": "string", "enum": mix_presets()}
    described = schema.pop("description")
    array = {**schema, "minItems": 1}
    common = {
        key: Job.model_json_schema()["properties"][key].get("description", "") for key in _COMMON
    }
    table = {
        "type": "object",
        "description": (
            "A published mix of jobs, with changes; any other key is the name of one of its jobs."
        ),
        "properties": {
            "preset": names | {"description": "The name of the mix."},
            **{key: {"description": text} for key, text in common.items()},
        },
        "required": ["preset"],
        "additionalProperties": {"type": "object"},
    }
    schema.clear()
    schema |= {"description": described, "anyOf": [array, names, table]}


def _laid_over(job: Mapping[str, Any], given: Any, name: str) -> dict[str, Any]:
    """A job with its own table over it."""
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
        and workload.get("kind", job["workload"]["kind"]) != job["workload"]["kind"]
    ):
        del below["workload"]
    return merge(below, given)
