"""The table of all benches: every case in every round, medians and spread."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

import benches
from compare.process import Failed, Process

SLOWEST, FASTEST = 1e6, 3e6


def test_every_case_runs_in_every_round(monkeypatch: pytest.MonkeyPatch) -> None:
    rates = iter([SLOWEST, 1.0, FASTEST, 1.0])
    ran: list[list[str]] = []

    def run(command: Sequence[str], directory: Path, timeout: float) -> Process:
        ran.append(list(command[-2:]))
        rate = {"packet_hops_per_cpu_second": next(rates)}
        sizes = {"packet_hops": 12_345, "events_per_packet_hop": 1.857, "bytes_per_node": 4_221.4}
        return Process(json.dumps({**rate, **sizes}), 1.0, 1.0)

    monkeypatch.setattr(benches, "run", run)
    ended = CliRunner().invoke(benches.app, ["uniform-72", "uniform-1056", "--repeats", "2"])
    assert ended.exit_code == 0, ended.output
    assert ran == 2 * [["uniform-72", ""], ["uniform-1056", ""]]
    assert (
        "| `uniform-72` |  | 12,345 | 1.86 | 2.00 (1.00 to 3.00) | 4,221 |"
        in ended.stdout.splitlines()
    )
    assert len({line.count("|") for line in ended.stdout.splitlines()}) == 1


def test_mistakes_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*_: object) -> Process:
        raise Failed("python exited with status 1: no memory")

    monkeypatch.setattr(benches, "run", run)
    unknown = CliRunner().invoke(benches.app, ["uniform-73"])
    assert (unknown.exit_code, "no benchmark 'uniform-73'" in unknown.stderr) == (2, True)
    failed = CliRunner().invoke(benches.app, ["uniform-72"])
    assert (failed.exit_code, "no memory" in failed.stderr) == (1, True)
