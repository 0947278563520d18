"""The form of run.json, as far as Python reads it."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any, Required

from pydantic import Field, Strict, TypeAdapter, ValidationError
from typing_extensions import TypedDict

__all__ = ["first_fault", "misfit"]

_Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
_Whole = Annotated[int, Strict()]
_Flag = Annotated[bool, Strict()]
_Text = Annotated[str, Strict()]
_Table = dict[str, Any]
_Numbers = dict[str, _Number]
#: The ends of keys of a plan that hold a quantity.
_QUANTITY = ("_ps", "_fs", "_bytes", "_per_s", "_flits", "_packets", "_ranks", "_share")
#: Quantities of a record that are lists.
_LISTS = frozenset({"windows_ps"})
#: Quantities by name, such as one for each link class.
_TABLES = frozenset({"flit_time_ps", "simulated_buffer_flits"})


class _QAdaptive(TypedDict, total=False):
    learning_rate_down: _Number
    learning_rate_up: _Number
    exploration: _Number
    threshold_source: _Number
    threshold_intermediate: _Number


class _Aries(TypedDict, total=False):
    shift: list[_Number]
    add: _Number
    levels: _Number


class _Routing(TypedDict, total=False):
    algorithm: _Text
    virtual_channels: _Whole
    vc_map: _Text | None
    local_order: _Text
    threshold: _Number
    bias_flits: _Number
    candidates_minimal: _Number
    candidates_nonminimal: _Number
    queue: _Text
    queue_scope: _Text
    tie: _Text
    intermediate: _Text
    intra_group: _Text
    aries: _Aries | None
    q_adaptive: _QAdaptive | None


class _Workload(TypedDict, total=False):
    kind: Required[_Text]
    notes: list[Any] | None
    pattern: _Text | None
    load: _Number | None
    parts: list[_Workload]
    phases: list[_Table] | None
    hash: _Text


class _Job(TypedDict, total=False):
    name: Required[_Text]
    ranks: Required[_Whole]
    workload: Required[_Workload]
    application: _Text | None
    ranks_per_node: _Number
    repeat: _Flag | None
    placement: _Table | None
    routing: _Routing | None
    routing_all_to_all: _Routing | None
    nodes: list[_Whole] | None


class _Topology(TypedDict, total=False):
    kind: _Text
    p: _Whole
    a: _Whole
    h: _Whole
    g: _Whole
    rows: _Whole
    columns: _Whole
    links_per_local_pair: _Number
    links_per_row_pair: _Number
    links_per_column_pair: _Number
    links_per_pair: _Number | None


_Links = TypedDict(
    "_Links",
    {
        "terminal": _Table,
        "local": _Table | None,
        "row": _Table | None,
        "column": _Table | None,
        "global": _Table | None,
    },
    total=False,
)


class _Router(TypedDict, total=False):
    model: _Text


class _Detail(TypedDict, total=False):
    coarsen: Annotated[int, Field(strict=True, gt=0)]


class _Skip(TypedDict, total=False):
    tolerance_millionths: _Number
    minimum: _Number


class _Ports(TypedDict, total=False):
    windows_ps: list[_Number]
    split: list[_Text]
    jobs: list[Any] | None
    routers: list[Any] | None
    classes: list[Any] | None


class _Record(TypedDict, total=False):
    blame: _Table | None
    ports: _Ports | None
    system: _Table | None
    routers: _Table | None
    packet_sample: _Number


class _Derived(TypedDict, total=False):
    nodes: _Whole
    routers: _Whole
    groups: _Whole
    ports_per_router: _Number
    virtual_channels: _Number
    links: _Numbers
    flit_time_ps: _Numbers
    flit_time_error_ppm: _Numbers
    failed_links: _Table | None
    warnings: list[Any]
    coarsened: _Text | None
    skip_share: _Number | None
    skip_declined: _Text | None


class _Plan(TypedDict, total=False):
    name: Required[_Text]
    jobs: Required[list[_Job]]
    seed: _Whole
    topology: _Topology
    service_nodes: list[list[_Whole]]
    links: _Links
    router: _Router
    nic: _Table
    routing: _Routing | None
    routing_all_to_all: _Routing | None
    mpi: _Table
    detail: _Detail | None
    record: _Record | None
    stop: _Table | None
    skip: _Skip | None
    derived: _Derived
    assumptions: dict[str, _Text] | None


class _Skipped(TypedDict, total=False):
    text: _Text


class _Provenance(TypedDict, total=False):
    wall_seconds: _Number | None
    cpu_seconds: _Number | None
    packet_hops_per_cpu_second: _Number | None


class _Document(TypedDict, total=False):
    plan: Required[_Plan]
    complete: Required[_Flag]
    reason: _Text | None
    result_hash: _Text | None
    coarsened: _Text | None
    pantala: _Text | None
    simulated_ns: Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0)]
    skipped: _Skipped | None
    counters: _Numbers
    conservation: dict[str, _Flag]
    provenance: _Provenance
    tables: dict[str, _Whole]
    table_crc32: dict[str, _Text] | None


@lru_cache
def _form() -> TypeAdapter[_Document]:
    return TypeAdapter(_Document)


def misfit(document: Any) -> str:
    """Returns what is wrong with the form of a run.json, as key and fault; empty if nothing is.

    Keys that older runs lack may be absent, and keys that Python does not read may be anything.
    """
    if wrong := first_fault(_form(), document):
        return wrong
    jobs, rows = document["plan"].get("jobs"), document.get("tables", {}).get("jobs")
    if jobs is not None and rows and len(jobs) != rows:
        return f"plan.jobs: has {len(jobs)} jobs, and the table jobs has {rows} rows"
    try:
        return _no_quantity(document["plan"], "plan")
    except RecursionError:
        return "plan is nested too deeply"


def first_fault(form: TypeAdapter[Any], document: Any) -> str:
    """Returns what is wrong with the form of a document, as key and fault; empty if nothing is."""
    try:
        form.validate_python(document)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        key = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"])
        if first["type"] == "missing":
            return f"'{key[1:]}' is missing"
        return f"{key[1:] or 'it'}: {first['msg'][:1].lower()}{first['msg'][1:]}"
    return ""


def _no_quantity(value: Any, key: str, name: str = "", *, lists: bool = False) -> str:
    """Returns which quantity below a key is no number, such as a text in ``latency_ps``.

    Args:
        value: the value.
        key: its dotted key.
        name: the last word of the key that names a quantity.
        lists: whether a quantity may be null, or a list: that of a workload may be.
    """
    quantity = name.endswith(_QUANTITY)
    if isinstance(value, dict) and (not quantity or name in _TABLES):
        below = ((f"{key}.{name}", name, each) for name, each in value.items())
    elif isinstance(value, list) and (not quantity or lists or name in _LISTS):
        if not quantity and value and not isinstance(value[0], dict):
            return ""  # numbers of nodes, for example
        below = ((f"{key}[{number}]", name, each) for number, each in enumerate(value))
    elif quantity and (
        isinstance(value, str | list | dict | bool) or (value is None and not lists)
    ):
        return f"{key}: input should be a valid number"
    else:
        return ""
    found = (
        _no_quantity(each, place, last, lists=lists or last == "workload")
        for place, last, each in below
    )
    return next(filter(None, found), "")
