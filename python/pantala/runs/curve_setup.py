"""What a load curve measures: machine, traffic, windows, with the defaults of its simulator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

from pydantic_core import PydanticCustomError

from pantala.caveats.facts import learns
from pantala.errors import ScenarioError, UsageError, nearest
from pantala.models.base import plain
from pantala.scenario import Machine, Scenario
from pantala.scenario.presets import (
    example,
    machine_preset,
    machine_presets,
    merge,
    router_preset,
    router_presets,
)
from pantala.text.units import Duration, UnitError

__all__ = ["CountFrom", "CurveSetup", "curve_setup", "keys_of_the_curve"]

_SOURCE = "pantala curve"
CountFrom = Literal["window", "start"]
_JOB = "traffic"


@dataclass(frozen=True)
class CurveSetup:
    """The measurement of a curve, with every default.

    Attributes:
        scenario: one job of synthetic traffic on every node, at the load of the first point.
        warmup: simulated time before the measured window.
        measure: length of that window.
        timeline: length of the windows of the timeline; zero for none.
        drain: whether the packets injected in the window count, after which the sources stop and
            the network drains. Otherwise the packets delivered in it count.
        count_from: whether links per packet and the non-minimal share cover the packets of the
            window, or all packets delivered from time zero to its end.
    """

    scenario: Scenario
    warmup: Duration
    measure: Duration
    timeline: Duration
    drain: bool
    count_from: CountFrom = "window"

    @cached_property
    def learns(self) -> bool:
        """Whether a routing starts with estimates that it has not learned."""
        plan = self.scenario.plan()
        return any(learns(plan, job) for job in plan["jobs"])

    def at_load(self, load: float, seed: int | None = None) -> Scenario:
        """Returns the scenario at an offered load, with another seed if one is given."""
        changes: dict[str, Any] = {"jobs.0.workload.load": load}
        if seed is not None:
            changes["seed"] = seed
        with keys_of_the_curve():
            return self.scenario.replace(changes)

    def window(self) -> dict[str, Any]:
        """Returns the settings of the measurement, times in ps."""
        return {
            "warmup_ps": int(self.warmup),
            "measure_ps": int(self.measure),
            "timeline_ps": int(self.timeline),
            "drain": self.drain,
        }


def curve_setup(
    *,
    preset: str | None = None,
    machine: str | Mapping[str, Any] | Machine | None = None,
    routing: str | Mapping[str, Any] | None = None,
    pattern: str = "uniform",
    seed: int = 1,
    warmup: str | Duration | None = None,
    measure: str | Duration | None = None,
    injection: str | None = None,
    timeline: str | Duration | None = None,
    drain: bool | None = None,
    count_from: CountFrom = "window",
    coarsen: int | None = None,
    changes: Mapping[str, Any] | None = None,
) -> CurveSetup:
    """Returns the measurement that `curve` makes for these arguments.

    Raises:
        ScenarioError: a name or value is wrong.
        UsageError: a time is wrong, or there is no such preset.
    """
    if count_from not in get_args(CountFrom):
        raise UsageError(f"count_from = '{count_from}': must be 'window' or 'start'")
    chosen, own_routing, defaults = _preset_defaults(preset, machine)
    times = {
        "warmup": _time("warmup", defaults["warmup"] if warmup is None else warmup),
        "measure": _time("measure", defaults["measure"] if measure is None else measure),
        "timeline": Duration(0) if timeline is None else _time("timeline", timeline),
    }
    simulated = Duration(times["warmup"] + times["measure"])
    if times["timeline"] > simulated:
        raise UsageError(
            f"timeline = '{timeline}': is longer than the {simulated} simulated; write a shorter"
            " window"
        )
    data = {
        "name": "curve",
        "seed": seed,
        "machine": chosen,
        "routing": _meaning(
            own_routing if routing is None else routing, defaults.get("routings", {})
        ),
        "jobs": [
            {
                "name": _JOB,
                "ranks": 1,
                "placement": "contiguous",
                "workload": {
                    "kind": "pattern",
                    "pattern": pattern,
                    "load": 0.5,
                    "injection": defaults["injection"] if injection is None else injection,
                    **(
                        {"phase": defaults["phase"]}
                        if (injection or defaults["injection"]) == "periodic"
                        else {}
                    ),
                    "include_self": defaults["include_self"],
                },
            }
        ],
        "stop": {"duration": str(simulated)},
        "record": {"packets": "off", "messages": False, "iterations": False, "link_windows": False},
    }
    if coarsen is not None:
        data["detail"] = {"coarsen": coarsen}
    spelled = {
        f"jobs.0.{key}" if key.split(".")[0] == "workload" else key: value
        for key, value in (changes or {}).items()
    }
    with keys_of_the_curve():
        scenario = Scenario.from_dict(data, source=_SOURCE, changes=spelled)
        everywhere = scenario.replace({"jobs.0.ranks": scenario.machine.job_nodes})
    return CurveSetup(
        everywhere,
        **times,
        drain=defaults["drain"] if drain is None else drain,
        count_from=count_from,
    )


def _preset_defaults(
    preset: str | None, machine: str | Mapping[str, Any] | Machine | None
) -> tuple[dict[str, Any], str, dict[str, Any]]:
    """Returns the machine's table, its own routing, and the defaults of its router model."""
    if machine is None:
        name = "pantala" if preset is None else preset
        if name in router_presets():
            defaults: dict[str, Any] = router_preset(name)["curve"]
            nic = {"latency_from": defaults["latency_from"]}
            return (
                {"preset": defaults["machine"], "router": {"model": name}, "nic": nic},
                "minimal",
                defaults,
            )
        _check_machine_preset(name)
        machine = name
    elif preset is not None:
        raise UsageError("preset and machine: give one of the two")
    table: dict[str, Any] = {"preset": machine} if isinstance(machine, str) else plain(machine)
    with keys_of_the_curve("machine."):
        built = Machine(**table)
    defaults = router_preset(built.router.model)["curve"]
    if "latency_from" not in built.nic.model_fields_set:
        table = merge({"nic": {"latency_from": defaults["latency_from"]}}, table)
    given = {} if built.preset is None else machine_preset(built.preset).get("routing", {})
    return table, given.get("algorithm", "minimal"), defaults


def _check_machine_preset(name: str) -> None:
    """Rejects a name that is neither a router model nor a machine."""
    try:
        machine_preset(name)
    except PydanticCustomError as error:
        base = name.partition("(")[0].strip()
        context = error.context or {}
        if base in machine_presets():
            raise UsageError(
                f"preset = '{name}': {context['message']}; {context['remedy']}"
            ) from None
        known = list(dict.fromkeys([*router_presets(), *map(example, machine_presets())]))
        close = nearest(base, known)
        hint = f"did you mean '{close}'? " if close else ""
        message = f"is neither a router model nor a machine; {hint}choose one of {', '.join(known)}"
        raise UsageError(f"preset = '{name}': {message}") from None


def _meaning(routing: str | Mapping[str, Any], names: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the keys of `routing` for a routing's name in the preset's simulator."""
    meaning = names.get(routing, routing) if isinstance(routing, str) else routing
    return dict(meaning) if isinstance(meaning, Mapping) else {"algorithm": meaning}


@contextmanager
def keys_of_the_curve(below: str = "") -> Iterator[None]:
    """Makes errors name ``workload.load``, as in ``--set``, instead of ``jobs[0].workload.load``.

    Args:
        below: the prefix of the keys in an error about a part of a scenario.
    """
    try:
        yield
    except ScenarioError as error:
        raise error.respelled(_SOURCE, lambda key: below + key.removeprefix("jobs[0].")) from None


def _time(name: str, text: str | Duration) -> Duration:
    try:
        time = Duration.parse(text)
    except UnitError as error:
        raise UsageError(f"{name} = '{text}': {error}") from None
    if time <= 0:
        raise UsageError(f"{name} = '{text}': must be more than zero; write e.g. '20 us'")
    return time
