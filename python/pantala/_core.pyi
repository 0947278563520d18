"""The compiled core. Use `pantala.native`, which speaks Python."""

from collections.abc import Callable
from typing import Any

VERSION: str
PLAN_VERSION: int
MAX_THREADS: int
RUSTC: str

class PlanError(ValueError):
    key: str
    value: str
    message: str
    remedy: str
    others: list[tuple[str, str, str, str]]

class RunError(RuntimeError): ...

def resolve(plan_json: str) -> str: ...
def run(
    plan_json: str,
    out_dir: str,
    threads: int,
    progress: Callable[[Any], None] | None,
    extend: Callable[[list[list[tuple[int, int]]]], int | None] | None,
) -> str: ...
def measure(
    plan_json: str,
    warmup_ps: int,
    measure_ps: int,
    timeline_ps: int,
    drain: bool,
    threads: int,
    progress: Callable[[Any], None] | None,
) -> str: ...
def cost(plan_json: str, threads: int, progress: Callable[[Any], None] | None) -> str: ...
def threads_worth(plan_json: str, processors: int) -> int: ...
def deadlock(plan_json: str) -> str: ...
def communication(plan_json: str) -> str: ...
def catalogue() -> str: ...
def process_grid(ranks: int, dimensions: int) -> list[int]: ...
def link_table(topology_json: str) -> dict[str, list[Any]]: ...
def write_link_table(topology_json: str, path: str) -> None: ...
