"""Routing: which path a packet takes, and what an adaptive choice looks at."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field, Strict, WithJsonSchema, model_validator

from pantala.capacity import Capacity
from pantala.errors import nearest
from pantala.scenario.base import Count, Flag, Index, Model, Share, fault
from pantala.scenario.presets import merge

__all__ = ["ALGORITHMS", "Aries", "QAdaptive", "Routing", "defaults_of", "laid_over", "routing_assumptions"]

#: Every name that `routing.algorithm` knows, `bias(shift,add)` apart.
ALGORITHMS = (
    "minimal",
    "valiant_group",
    "valiant_node",
    "ugal_g",
    "ugal_n",
    "par",
    "ugal_global",
    "q_adaptive",
    "codes_adp",
    "codes_padp",
    "aries_ad0",
    "aries_ad1",
    "aries_ad2",
    "aries_ad3",
    "aries",
    "merlin_ugal",
    "booksim_ugal",
)

#: Shift and add of the routing modes of Aries (Chunduri et al., IPDPS 2021, II.D).
_MODES: Mapping[str, tuple[tuple[int, ...], int]] = {
    "aries_ad0": ((0,), 0),
    "aries_ad1": ((0, 1, 2), 0),
    "aries_ad2": ((0,), 4),
    "aries_ad3": ((2,), 0),
}
_BIAS = re.compile(r"bias\(\s*(?P<shift>[+-]?\d+)\s*,\s*(?P<add>[+-]?\d+)\s*\)")
_MOST_BIAS = 15

#: What an algorithm means by itself, under what a scenario says but over a machine's own defaults.
_DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "codes_adp": {"threshold": 2.0, "bias": Capacity(0, "flit"), "candidates_minimal": 2, "candidates_nonminimal": 2},
    "codes_padp": {"threshold": 2.0, "bias": Capacity(0, "flit"), "candidates_minimal": 2, "candidates_nonminimal": 2},
    "merlin_ugal": {
        "threshold": 2.0,
        "bias": Capacity(50, "flit"),
        "queue": "output",
        "queue_scope": "vc",
        "tie": "random",
    },
    "booksim_ugal": {
        "threshold": 2.0,
        "bias": Capacity(30, "flit"),
        "queue": "output_and_credits",
        "queue_scope": "port",
    },
    "aries": {"candidates_minimal": 2, "candidates_nonminimal": 2},
}

#: What no paper says of an algorithm, though it needs it: key to reason.
_ASSUMED: Mapping[str, Mapping[str, str]] = {
    "aries": {
        "candidates_minimal": "two, as Kang et al. (SC 2022, II.B) tell it; Chunduri et al. (IPDPS 2021) do not say",
        "candidates_nonminimal": "two, as Kang et al. (SC 2022, II.B) tell it; Chunduri et al. do not say",
        "queue": "what a load is, Chunduri et al. (IPDPS 2021, II.D) do not say",
        "aries.levels": "how finely a router knows its load, Chunduri et al. (IPDPS 2021) do not say",
    },
    "aries_ad1": {
        "aries.shift": "Chunduri et al. (IPDPS 2021, II.D) only say that the bias grows with the hops taken",
    },
}


def _is_known(value: str) -> bool:
    match = _BIAS.fullmatch(value)
    return value in ALGORITHMS or (match is not None and all(0 <= int(word) <= _MOST_BIAS for word in match.groups()))


def _known(value: str | None) -> str | None:
    if value is None or value in ALGORITHMS:
        return value
    match = _BIAS.fullmatch(value)
    if match is None:
        close = nearest(value, ALGORITHMS)
        hint = f"did you mean '{close}'? " if close else ""
        raise fault("is not known", f"{hint}known: {', '.join(ALGORITHMS)}, bias(shift,add)")
    for name in ("shift", "add"):
        if not 0 <= int(match[name]) <= _MOST_BIAS:
            raise fault(f"{name} must be 0 to {_MOST_BIAS}", "write e.g. 'bias(2,0)'")
    return f"bias({int(match['shift'])},{int(match['add'])})"


def _finite(value: Capacity) -> Capacity:
    if value.unit == "unlimited":
        raise fault("must have a bound", "write e.g. '50 flits'")
    return value


_Algorithm = Annotated[
    str | None,
    AfterValidator(_known),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "enum": list(ALGORITHMS)},
                {"type": "string", "pattern": r"^bias\( *(\d|1[0-5]) *, *(\d|1[0-5]) *\)$"},
            ]
        }
    ),
]
_Bias = Annotated[int, Strict(), Field(ge=0, le=_MOST_BIAS)]
_Factor = Annotated[float, Field(strict=True, ge=0.0, allow_inf_nan=False)]
_Level = Annotated[int, Field(strict=True, ge=2, le=2**16)]


class Aries(Model):
    """The bias of Aries' adaptive routing: minimal while its load <= (the non-minimal load << shift) + add.

    Source: Chunduri et al., IPDPS 2021, II.D. The modes aries_ad0 to aries_ad3 and bias(shift,add) set shift and add.
    """

    shift: Annotated[tuple[_Bias, ...], Field(min_length=1)] = (0,)
    """How far the non-minimal load is shifted to the left, 0 to 15, by the links that the packet has crossed; the last
    value holds from there on. aries_ad1 starts with 0, 1, 2: an assumption, the paper says only that it grows."""
    add: _Bias = 0
    """What is added to the non-minimal load, in levels, 0 to 15."""
    levels: _Level = 16
    """Levels that a router tells between an empty and a full port, the first being 1; an assumption, the paper does not
    say. Sixteen, since a bias is of four bits."""


class QAdaptive(Model):
    """The learning of q_adaptive.

    Source: Kang et al., SC 2022, II.B, and HPDC 2021; the values are those of the simulator published with the former.
    """

    learning_rate_down: Share = 0.2
    """Share of an error that an estimate takes over when it was too high."""
    learning_rate_up: Share = 0.04
    """The same when it was too low."""
    exploration: Share = 0.001
    """Share of decisions that are drawn at random."""
    first_explorations: Index = 0
    """So many decisions of each router, its first, are drawn at random too: 4 in the preset sst_sc22, since the random
    streams of SST start with small numbers. It shows in the first microseconds of a cold start."""
    threshold_source: _Factor = 0.2
    """Share of the minimal port's estimate by which the best port must be faster, at the source router."""
    threshold_intermediate: _Factor = 0.35
    """The same for a random local port at the first router of an intermediate group."""
    truncate: Flag = True
    """Whether clocks and estimates are cut off to whole nanoseconds, as in the simulator: small increases are lost."""
    table: str = ""
    """A q_tables.parquet to start from, of a run on the same topology with record.q_tables = "end"; none if not given:
    untrained. A path from where pantala is run."""


class Routing(Model):
    """How packets choose their way. `pantala routings` tells the algorithms apart.

    The keys from `threshold` to `tie` concern the adaptive algorithms. Without a machine preset they take the values of
    kang2022; codes_adp, codes_padp, merlin_ugal and booksim_ugal bring the values of their simulators.
    """

    shorthand: ClassVar[str | None] = "algorithm"

    algorithm: _Algorithm = None
    """minimal, valiant_group, valiant_node, ugal_g, ugal_n, par, ugal_global, q_adaptive, codes_adp, codes_padp,
    aries_ad0 to aries_ad3, bias(shift,add) with 0 to 15 each, aries (with the keys below `aries`), merlin_ugal or
    booksim_ugal. `_g` and `_group` name an intermediate group, `_n` and `_node` a router of it (Kang et al., SC 2022,
    II.B). To be given, unless the machine's preset does; in a job the system's if not given."""
    virtual_channels: Index = 0
    """Virtual channels a port; 0 means as many as the algorithms in use need to be free of deadlock."""
    channels: Literal["climbing", "booksim2", "caminos", "codes"] = "climbing"
    """Which virtual channel a packet takes where. climbing: the algorithm's own, free of deadlock; booksim2: as
    BookSim2, for minimal and booksim_ugal, of which the latter can deadlock; caminos: as CAMINOS' ascending channels,
    for minimal, valiant_node and booksim_ugal; codes: CODES' four, for minimal and valiant_group, which codes_adp and
    codes_padp have anyway."""
    local_order: Literal["row_first", "column_first"] = "row_first"
    """In two dimensions: the way inside a group, along the row and then the column, or the other way about."""
    threshold: _Factor = 2.0
    """Non-minimal when the minimal queue exceeds the non-minimal one times this (Kang et al., SC 2022, II.B)."""
    bias: Annotated[Capacity, AfterValidator(_finite)] = Capacity(0, "flit")
    """What the minimal queue must exceed on top, e.g. "50 flits"; zero in Kang et al. (SC 2022, III)."""
    minimal_up_to: Annotated[Capacity, AfterValidator(_finite)] = Capacity(0, "flit")
    """A minimal path whose queue is no longer than this is never left, e.g. "4 packets" (adaptive_threshold of
    CODES)."""
    candidates_minimal: Count = 1
    """Minimal paths drawn and compared; 1 in SST, 2 in the text of Kang et al. (SC 2022, II.B) and on Aries."""
    candidates_nonminimal: Count = 1
    """Non-minimal paths drawn and compared; 1 in SST, 2 in the text of Kang et al. (SC 2022, II.B) and on Aries."""
    queue: Literal["output_and_credits", "output", "credits"] = "output_and_credits"
    """What a port's queue is: flits in its output buffer, flits sent and not yet credited, or both (SST)."""
    queue_scope: Literal["port", "vc"] = "port"
    """Whether a queue is that of the whole port, or of the virtual channel that the packet would take."""
    tie: Literal["minimal", "random"] = "minimal"
    """What is taken when both are as good: the minimal path, or either at random."""
    intermediate: Literal["third", "any"] = "any"
    """booksim_ugal only: whether a non-minimal path goes through a router outside both groups (third, as CAMINOS), or
    through the router of any node, minimally if that is in the own group (any, as BookSim2)."""
    inside_group: Literal["minimal", "nonminimal", "beside"] = "minimal"
    """valiant_group and valiant_node only: how packets go to another router of their own group: minimal, through
    another group like all others (nonminimal, as in CAMINOS), or over another router of the group (beside, as in
    SST's merlin)."""
    aries: Aries = Aries()
    """The bias of aries, and the schedule of aries_ad1."""
    q_adaptive: QAdaptive = QAdaptive()
    """How q_adaptive learns."""

    @classmethod
    def complete(cls, data: dict[str, Any]) -> dict[str, Any]:
        """What the algorithm means by itself, under what is given."""
        algorithm = data.get("algorithm")
        if not isinstance(algorithm, str) or not _is_known(algorithm):
            return data
        aries, bias = data.get("aries", {}), _bias_of(algorithm)
        if isinstance(aries, Mapping) and bias:
            for key in ("add",) if algorithm == "aries_ad1" else ("shift", "add"):
                given = aries.get(key, bias[key])
                if (tuple(given) if isinstance(given, list) else given) != bias[key]:
                    raise fault(f"follows from algorithm = '{algorithm}'", "remove it, or use 'aries'", "aries", key)
            data["aries"] = bias | dict(aries)
        return merge(defaults_of(algorithm), data)

    @model_validator(mode="after")
    def _what_follows(self) -> Routing:
        if self.algorithm is None:
            return self
        usual = defaults_of(self.algorithm)
        self._follows(*(key for key, value in usual.items() if getattr(self, key) == value))
        bias = _bias_of(self.algorithm)
        self.aries._follows(*(key for key, value in bias.items() if getattr(self.aries, key) == value))
        if not self.aries.model_fields_set:
            self._follows("aries")
        return self

    @property
    def kernel(self) -> str:
        """The algorithm as the core has it: all modes of Aries are `aries`."""
        return _kernel(self.algorithm or "")


def _bias_of(algorithm: str) -> dict[str, Any]:
    """Shift and add of a mode of Aries, or of bias(shift,add); empty for another algorithm."""
    match = _BIAS.fullmatch(algorithm)
    if match is not None:
        return {"shift": (int(match["shift"]),), "add": int(match["add"])}
    return dict(zip(("shift", "add"), _MODES[algorithm], strict=True)) if algorithm in _MODES else {}


def defaults_of(algorithm: object) -> Mapping[str, Any]:
    """The keys that an algorithm sets by itself, because its source has them so."""
    return _DEFAULTS.get(_kernel(algorithm), {}) if isinstance(algorithm, str) else {}


def laid_over(below: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """A routing's keys with others put over them; a bias does not outlive the algorithm it was for."""
    kept = merge({}, below)
    if given.get("algorithm", kept.get("algorithm")) != kept.get("algorithm") and isinstance(kept.get("aries"), dict):
        kept["aries"] = {key: value for key, value in kept["aries"].items() if key == "levels"}
    return merge(kept, given)


def routing_assumptions(routing: Routing) -> dict[str, str]:
    """What no paper says of the algorithm and the scenario does not change: key below `routing` to reason."""
    algorithm = routing.algorithm or ""
    reasons = dict(_ASSUMED.get(_kernel(algorithm), {})) | dict(_ASSUMED.get(algorithm, {}))
    usual = Routing(algorithm=algorithm)
    return {key: text for key, text in reasons.items() if _at(routing, key) == _at(usual, key)}


def _kernel(algorithm: str) -> str:
    return "aries" if algorithm in _MODES or _BIAS.fullmatch(algorithm) else algorithm


def _at(routing: Routing, key: str) -> Any:
    value: Any = routing
    for step in key.split("."):
        value = getattr(value, step)
    return value
