"""The notes of the ranks: the call at which a capture stopped, and the calls that it leaves out.

A rank's file of notes has one line of text each:

    refused: CALL: REASON           the capture of the rank stopped at this call
    missed: CALL: NUMBER: REASON    calls of this kind, of which the first stopped the capture
    left out: CALL: NUMBER: REASON  calls that the operation file lacks
    region: BORDER: NUMBER          calls of this kind that came before the end; too few
    shared: RANKS: PROCESSORS       ranks of a host that measured wall-clock time
    computing: WALL: CPU            then: all computing of the rank in nanoseconds, by both clocks
    polling: TIME: ALL              nanoseconds between failing tests, and of all computing
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from pantala.text.amounts import PLAIN, counted

__all__ = ["RANK_FILE", "Notes", "rank_of", "read_notes"]

RANK_FILE = re.compile(r"rank-(\d{6,})\.(operations|note)")
#: The remedy of a reason that names none.
_REMEDY = "write the exchange as a Python program instead"
#: A message names that many functions.
_NAMED = 4
#: Waiting for a processor is told if it can be a larger share of a rank's computing.
_WAITED = 0.005
#: So is time between unsuccessful tests.
_POLLED = 0.01


def rank_of(name: str) -> int:
    """Returns the rank that wrote the file with this name."""
    match = RANK_FILE.fullmatch(name)
    assert match is not None
    return int(match[1])


@dataclass(frozen=True)
class Notes:
    """What the ranks of a capture noted.

    Attributes:
        refusal: the first call at which a rank stopped, and why; None if all ranks went on.
        calls: the calls that the capture leaves out by reason, with their numbers.
        ranks: the ranks that made them, by reason.
        unreached: a border of the recorded part that the program did not reach, if any.
        shared: the ranks and the processors of the first host with more ranks than processors.
        computing: by rank that shares its host so: its computing in nanoseconds by the wall clock,
            and its CPU time.
        polling: by rank that polls: the time between tests that do not succeed, and its computing.
    """

    refusal: str | None
    calls: dict[str, Counter[str]]
    ranks: dict[str, set[int]]
    unreached: str | None = None
    shared: tuple[int, int] | None = None
    computing: dict[int, tuple[int, int]] = field(default_factory=dict)
    polling: dict[int, tuple[int, int]] = field(default_factory=dict)

    def shown(self, size: int) -> tuple[str, ...]:
        """Returns a line per reason, for a job with `size` ranks."""
        lines = [
            f"{reason}: {_listed(calls)} ({len(self.ranks[reason])} of {size} ranks)"
            for reason, calls in sorted(self.calls.items())
        ]
        waited = self._waited()
        if self.shared is not None and waited is not None:
            ranks, processors = self.shared
            lines.append(
                f"{ranks} ranks share {counted(processors, 'processor')} of a host, and the"
                " computing times are wall-clock times: they contain the time that other ranks had"
                f" the processor{waited}; capture with --clock cpu, or start at most"
                f" {counted(processors, 'rank')} per host"
            )
        polled = self._polled(size)
        return (*lines, polled) if polled else tuple(lines)

    def _polled(self, size: int) -> str | None:
        """Returns a line about the time between tests that do not succeed, if it is much."""
        shares = {rank: part / whole for rank, (part, whole) in self.polling.items() if whole}
        rank = max(shares, key=lambda each: shares[each], default=None)
        if rank is None or shares[rank] < _POLLED:
            return None
        return (
            "the time between tests that find nothing (MPI_Test, MPI_Iprobe) counts as computing,"
            f" up to {PLAIN.percent(shares[rank])} of a rank's (rank {rank}; {len(shares)} of"
            f" {size} ranks): if the program only waits there, a replay waits as long on any"
            " network; let it wait in MPI_Wait or MPI_Probe for the capture"
        )

    def _waited(self) -> str | None:
        """Returns in words for how much of the computing times ranks can have waited.

        It is empty if that is unknown, and None if it is nothing that would show.
        """
        walls = sum(wall for wall, _ in self.computing.values())
        if not walls:
            return ""
        share = 1 - sum(cpu for _, cpu in self.computing.values()) / walls
        by_rank = {rank: 1 - cpu / wall for rank, (wall, cpu) in self.computing.items() if wall}
        rank = max(by_rank, key=lambda each: by_rank[each])
        if by_rank[rank] < _WAITED:
            return None
        return (
            f", at most {PLAIN.percent(share)} of them (rank {rank}:"
            f" {PLAIN.percent(by_rank[rank])})"
        )


def read_notes(files: Iterable[Path]) -> Notes:
    """Reads the files with the notes of the ranks."""
    refused: list[tuple[int, str, str]] = []
    missed: dict[str, Counter[str]] = defaultdict(Counter)
    left_out: dict[str, Counter[str]] = defaultdict(Counter)
    ranks: dict[str, set[int]] = defaultdict(set)
    unreached: str | None = None
    shared: tuple[int, int] | None = None
    computing: dict[int, tuple[int, int]] = {}
    polling: dict[int, tuple[int, int]] = {}
    for path in files:
        rank = rank_of(path.name)
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            kind, _, rest = line.partition(": ")
            call, _, rest = rest.partition(": ")
            if kind == "refused":
                refused.append((rank, call, rest))
                continue
            if kind == "region":
                unreached = (
                    f"rank {rank} did not reach the call of --{call}: it made {rest} of its kind;"
                    " name another call"
                )
                continue
            if kind == "shared":
                shared = shared or (int(call), int(rest))
                continue
            if kind in {"computing", "polling"}:
                if call.isdecimal() and rest.isdecimal():
                    times = computing if kind == "computing" else polling
                    times[rank] = (int(call), int(rest))
                continue
            number, _, reason = rest.partition(": ")
            if not number.isdecimal():  # a rank that was killed cut the line off
                continue
            if kind == "missed":
                missed[reason][call] += int(number)
            elif kind == "left out":
                left_out[reason][call] += int(number)
                ranks[reason].add(rank)
    return Notes(
        refusal=_refusal(refused, missed),
        calls=dict(left_out),
        ranks=dict(ranks),
        unreached=unreached,
        shared=shared,
        computing=computing,
        polling=polling,
    )


def _refusal(refused: list[tuple[int, str, str]], missed: dict[str, Counter[str]]) -> str | None:
    if not refused:
        return None
    rank, call, reason = min(refused)
    calls = missed.get(reason)
    counted = f" (all ranks: {_listed(calls)})" if calls and calls.total() > 1 else ""
    fault, _, remedy = reason.partition("; ")
    return f"rank {rank}: {call}: {fault}{counted}; {remedy or _REMEDY}"


def _listed(calls: Counter[str]) -> str:
    """Returns the calls with their numbers, the most frequent first."""
    ordered = sorted(calls.items(), key=lambda item: (-item[1], item[0]))
    named = [f"{number:,} {call}" for call, number in ordered[:_NAMED]]
    if len(ordered) > _NAMED:
        rest = ordered[_NAMED:]
        named.append(f"{sum(number for _, number in rest):,} of {len(rest)} other functions")
    return ", ".join(named)
