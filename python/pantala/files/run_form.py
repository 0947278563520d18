"""The form of run.json, as far as Python reads it."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any, Required

from pydantic import Strict, TypeAdapter, ValidationError
from typing_extensions import TypedDict

__all__ = ["misfit"]

_Number = Annotated[float, Strict()]
_Flag = Annotated[bool, Strict()]
_Table = dict[str, Any] | None


class _Routing(TypedDict, total=False):
    q_adaptive: _Table


class _Workload(TypedDict, total=False):
    kind: Required[str]
    notes: list[Any] | None


class _Job(TypedDict, total=False):
    name: Required[str]
    ranks: Required[_Number]
    workload: Required[_Workload]
    application: str | None
    ranks_per_node: _Number
    start_ps: _Number
    end_ps: _Number
    repeat: _Flag | None
    placement: _Table
    routing: _Routing | None
    routing_all_to_all: _Routing | None
    nodes: list[Any] | None


_Links = TypedDict(
    "_Links",
    {"terminal": _Table, "local": _Table, "row": _Table, "column": _Table, "global": _Table},
    total=False,
)


class _Detail(TypedDict, total=False):
    coarsen: _Number


class _Stop(TypedDict, total=False):
    duration_ps: _Number
    watchdog_ps: _Number


class _Record(TypedDict, total=False):
    blame: _Table
    ports: _Table
    system: _Table
    routers: _Table
    packet_sample: _Number
    window_ps: _Number
    link_window_ps: _Number
    routing_windows_ps: _Number
    latency_windows_ps: _Number
    nic_windows_ps: _Number
    call_windows_ps: _Number
    packet_from_ps: _Number
    packet_until_ps: _Number


class _Plan(TypedDict, total=False):
    name: Required[str]
    jobs: Required[list[_Job]]
    seed: _Number
    packet_bytes: _Number
    topology: _Table
    links: _Links | None
    router: _Table
    nic: _Table
    routing: _Routing | None
    routing_all_to_all: _Routing | None
    mpi: _Table
    detail: _Detail | None
    record: _Record | None
    stop: _Stop | None
    derived: _Table
    assumptions: _Table


class _Document(TypedDict, total=False):
    plan: Required[_Plan]
    complete: Required[_Flag]
    reason: str | None
    result_hash: str | None
    coarsened: str | None
    pantala: str | None
    simulated_ns: _Number
    skipped: _Table
    counters: _Table
    conservation: _Table
    provenance: _Table
    tables: _Table
    table_crc32: dict[str, str] | None


@lru_cache
def _form() -> TypeAdapter[_Document]:
    return TypeAdapter(_Document)


def misfit(document: Any) -> str:
    """Returns what is wrong with the form of a run.json, as key and fault; empty if nothing is.

    Keys that older runs lack may be absent, and keys that Python does not read may be anything.
    """
    try:
        _form().validate_python(document)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        key = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"])
        if first["type"] == "missing":
            return f"'{key[1:]}' is missing"
        return f"{key[1:] or 'it'}: {first['msg'][:1].lower()}{first['msg'][1:]}"
    return ""
