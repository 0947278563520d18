"""The cost of a run, extrapolated from a probe of its first part.

What the jobs have received in the probe, and what they send in all, tells which part of the run it
was. In a large machine nothing arrives for some microseconds, while the network fills; so the
packets that it has delivered, and half of those under way, count if they are more. The cost of a
packet is the same before and after.

A job takes at least as long as it computes, also if all that it has sent in the probe came at once.
The other jobs repeat, or send, until the run ends.

A run can wait for a job that has received nothing yet, because it computes first or starts later.
Then a second probe, of the awaited jobs alone, tells when they would end without the others. The
others slow them down, so it is the earliest end of the run.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from pantala.catalogue.tables import TABLES
from pantala.core.job_end import ends_by_itself
from pantala.core.plan import ExpectedTraffic
from pantala.planning.job_length import compute_ps, length_ns
from pantala.planning.probe import Probe, Sample
from pantala.planning.record_size import MOST_GROUP_ROWS, MOST_LINK_ROWS, row_bytes
from pantala.planning.run_cost import BYTES_PER_PROCESS, RunCost
from pantala.scenario.plan import awaited
from pantala.text.amounts import PLAIN

__all__ = ["end_of", "from_probe"]

#: Rows that a table holds before it writes them.
_ROW_GROUP = 262_144
#: The memory of such a row, as a multiple of its bytes on the disk.
_ROW_MEMORY = 5.0
#: Tables that stay in memory until the end, and the most rows that they can have; and the bytes of
#: a row, of which there are three copies at the end.
_HELD = {"blame_groups": MOST_GROUP_ROWS, "blame_links": MOST_LINK_ROWS}
_HELD_ROW = 3 * 24.0
#: The largest ratio of the slopes of memory that grows all the time.
_STEADY = 1.6
#: What memory that fills up grows by after the probe, as a share.
_FILLING = 0.3
#: Keys of a record and their tables, which have one row per link or router if no window is given.
_WHOLE = {"ports": "port_windows", "system": "system_windows", "routers": "router_windows"}
#: The most packets of control that a message takes: request to send, clear to send.
_CONTROL = 2
#: The end of each probe writes files that the end of a run writes once.
_SECONDS_OF_END = 0.03


def from_probe(
    plan: Mapping[str, Any],
    sent: Mapping[str, ExpectedTraffic],
    probed: Probe,
    earliest_ps: float = 0.0,
    kept: Collection[str] | None = None,
) -> RunCost:
    """Returns the cost of a run by what a probe of it has measured.

    Args:
        plan: the plan.
        sent: its `traffic`.
        probed: the probe, in which a job has received something, or which ended.
        earliest_ps: when the awaited jobs would end alone, if a probe has told.
        kept: the tables that stay on the disk; all, if it is not given.
    """
    left_out = set() if kept is None else {*TABLES} - {*kept}
    files = sum(size for name, size in probed.files.items() if name not in left_out)
    probed = replace(probed, rows=_growing(plan, probed.rows))
    if probed.ended:
        return RunCost(
            probed.seconds,
            BYTES_PER_PROCESS + max(each.resident_bytes for each in probed.samples),
            float(files),
            float(probed.packets),
            "from a probe that simulated all of it",
        )
    work = _Work(plan, sent, probed.samples, earliest_ps)
    last = probed.samples[-1]
    done, total = work.carried(last), work.in_all(work.end())
    # The first step warms up, so it does not count if most of the work came later.
    first = probed.samples[0]
    for each in probed.samples[:2]:
        if work.carried(each) <= done / 2:
            first = each
    # Rows that wait are written at the end of the probe; its other files come once.
    spent = max(last.seconds, probed.seconds - _SECONDS_OF_END) - first.seconds
    per_work = spent / (done - work.carried(first))
    scale = total / done
    return RunCost(
        probed.seconds + per_work * max(0.0, total - done),
        BYTES_PER_PROCESS + _memory(probed, work, total),
        files + _written(probed.rows, left_out, max(1.0, scale) - 1),
        max(total, float(probed.packets)),
        f"from a probe of its first {PLAIN.duration(last.simulated_ps / 1000)}"
        f"{' and one of the awaited jobs alone' if earliest_ps else ''}",
        not work.known,
    )


def end_of(plan: Mapping[str, Any], sent: Mapping[str, ExpectedTraffic], probed: Probe) -> float:
    """Returns the end of a run in ps by a probe of it, or the earliest that it can be.

    Args:
        plan: the plan.
        sent: its `traffic`.
        probed: the probe.
    """
    if probed.ended:
        return float(probed.samples[-1].simulated_ps)
    return _Work(plan, sent, probed.samples).end()


def _payload_share(plan: Mapping[str, Any], sent: Mapping[str, ExpectedTraffic]) -> float:
    """Returns the share of packets that carry messages, at least.

    Responses are half of all packets, and a message can need two packets of control.
    """
    messages = sum(each["messages"] for each in sent.values())
    packets = sum(_per_byte(plan, each) * each["bytes"] for each in sent.values())
    share = packets / (packets + _CONTROL * messages) if packets else 1.0
    return share / 2 if plan["nic"]["responses"] else share


class _Work:
    """The work of a run in packets, by the bytes that its jobs have received.

    Args:
        plan: the plan.
        sent: its `traffic`.
        samples: the end of the set-up of a probe, and its steps.
        earliest_ps: the earliest end of the awaited jobs.
    """

    def __init__(
        self,
        plan: Mapping[str, Any],
        sent: Mapping[str, ExpectedTraffic],
        samples: Sequence[Sample],
        earliest_ps: float = 0.0,
    ) -> None:
        self._plan = plan
        self._duration: int = plan["stop"]["duration_ps"]
        self._jobs = plan["jobs"]
        self._awaited = awaited(plan)
        self._sent = sent
        self._earliest = earliest_ps
        self._last = samples[-1]
        #: Packets per byte of each job: messages can be smaller than a packet.
        self._weights = [_per_byte(plan, sent.get(job["name"])) for job in self._jobs]
        self._payload = _payload_share(plan, sent)
        arrived = self.at(self._last)
        #: What counts as carried, by what has arrived.
        self._ahead = self.carried(self._last) / arrived if arrived else 1.0
        self._rates = [self._rate(number, samples) for number in range(len(self._jobs))]

    @property
    def known(self) -> bool:
        """Whether the work of the run is known, and not only what it has at least.

        A job without an end works until the others end, and a job that has received nothing yet
        does not say when. The messages of a job without bytes are not known.
        """
        if self._duration:
            return True
        if not self._awaited <= self._sent.keys():
            return False
        begun = all(
            rate or job["name"] not in self._awaited
            for job, rate in zip(self._jobs, self._rates, strict=True)
        )
        alone = all(ends_by_itself(job) for job in self._jobs)
        return begun or (alone and not self._without_bytes)

    def _rate(self, number: int, samples: Sequence[Sample]) -> float:
        """Returns the bytes per ps that a job receives, since it began to receive."""
        last = samples[-1]
        is_pattern = self._jobs[number]["workload"]["kind"] == "pattern"
        if is_pattern:
            # It takes some time until as much arrives as is sent.
            begin = sum(each.simulated_ps <= last.simulated_ps / 2 for each in samples) - 1
        else:
            begin = sum(not each.delivered[number] for each in samples) - 1
        start = samples[begin]
        if last.simulated_ps <= start.simulated_ps:
            return 0.0
        arrived = last.delivered[number] - start.delivered[number]
        ahead = 1.0 if is_pattern else self._ahead
        rate = arrived * ahead / (last.simulated_ps - start.simulated_ps)
        return self._of_passes(number, rate) if self._jobs[number].get("repeat") else rate

    def _of_passes(self, number: int, rate: float) -> float:
        """Returns the bytes per ps that a job receives in all its passes.

        A pass may compute longer than the probe, before its messages or between them.

        Args:
            number: the number of the job.
            rate: what it has received per ps in the probe.
        """
        job = self._jobs[number]
        sent = self._sent.get(job["name"])
        computing = compute_ps(self._plan, job, sent)
        if sent is None or not computing:
            return rate
        return min(rate, sent["bytes"] / computing) if rate else sent["bytes"] / computing

    def carried(self, sample: Sample) -> float:
        """Returns the work until a sample; a packet under way counts as half of one."""
        carried = (sample.packets + sample.in_flight / 2) * self._payload
        return max(self.at(sample), carried)

    def at(self, sample: Sample) -> float:
        """Returns the work of what has arrived until a sample."""
        pairs = zip(self._weights, sample.delivered, strict=True)
        return float(sum(weight * size for weight, size in pairs))

    def end(self) -> float:
        """Returns the end of the run in ps, or the earliest that it can be."""
        now, latest = float(self._last.simulated_ps), self._earliest
        for number, job in enumerate(self._jobs):
            sent = self._sent.get(job["name"])
            if job["name"] not in self._awaited or sent is None:
                continue
            left = sent["bytes"] - self._last.delivered[number]
            if left > 0 and not self._rates[number]:
                if self._duration:
                    return float(self._duration)
                # It has received nothing yet, perhaps because it starts later.
                earliest = length_ns(self._plan, job, sent) or job["start_ps"] / 1000
                latest = max(latest, 1000 * earliest)
                continue
            latest = max(latest, job["start_ps"] + (compute_ps(self._plan, job, sent) or 0.0))
            if left > 0:
                latest = max(latest, now + left / self._rates[number])
        if self._duration:
            return float(min(self._duration, latest or self._duration))
        return max(latest, now)

    def in_all(self, end: float) -> float:
        """Returns the work of the whole run, which ends at a time."""
        now, found = float(self._last.simulated_ps), 0.0
        for number, job in enumerate(self._jobs):
            size: float = self._last.delivered[number] + self._rates[number] * max(0.0, end - now)
            if ends_by_itself(job) and job["name"] in self._sent:
                all_of_it = self._sent[job["name"]]["bytes"]
                comes = not self._rates[number] and not self._duration
                size = all_of_it if comes else min(size, all_of_it)
            found += self._weights[number] * max(size, self._last.delivered[number])
        if self._without_bytes:
            found += self._bare() * max(1.0, end / now)
        return found

    @property
    def _without_bytes(self) -> bool:
        """Whether an awaited job sends no bytes, such as one with barriers only."""
        return any(not self._sent[name]["bytes"] for name in self._awaited & self._sent.keys())

    def _bare(self) -> float:
        """Returns the packets in the probe that carry no bytes of messages."""
        return max(0.0, self._last.packets * self._payload - self.at(self._last))


def _per_byte(plan: Mapping[str, Any], sent: ExpectedTraffic | None) -> float:
    """Returns the packets per byte of a job."""
    full: float = 1 / plan["packet_bytes"]
    if sent is None or not sent["bytes"]:
        return full
    return max(full, sent["messages"] / sent["bytes"])


def _memory(probed: Probe, work: _Work, total: float) -> float:
    """Returns the memory that a run will take besides that of its process.

    The rows of a table grow until they are written.
    """
    last, done = probed.samples[-1], work.carried(probed.samples[-1])
    waiting = _waiting(probed.rows, 1.0)

    def other(sample: Sample) -> float:
        return max(0.0, sample.resident_bytes - waiting * work.carried(sample) / done)

    return (
        other(last)
        + _growth(probed, other, work, total - done)
        + _waiting(probed.rows, total / done)
    )


def _growth(probed: Probe, other: Callable[[Sample], float], work: _Work, left: float) -> float:
    """Returns what the memory besides waiting rows will grow by.

    Buffers and queues fill up in the first microseconds, less and less. Only memory that grows by
    as much in each quarter of the probe goes on growing.
    """
    last = probed.samples[-1]
    done = work.at(last)
    points = [_nearest(probed.samples, work, done * part) for part in (0.25, 0.5, 0.75, 1.0)]
    slopes = [
        (other(late) - other(early)) / (work.at(late) - work.at(early))
        for early, late in pairwise(points)
        if work.at(late) > work.at(early)
    ]
    if len(slopes) == len(points) - 1 and max(slopes) <= _STEADY * min(slopes):
        return min(slopes) * max(0.0, left)
    return _FILLING * other(last)


def _nearest(samples: Sequence[Sample], work: _Work, done: float) -> Sample:
    """Returns the sample whose work is nearest to a number."""
    return min(samples, key=lambda sample: abs(work.at(sample) - done))


def _growing(plan: Mapping[str, Any], rows: Mapping[str, int]) -> dict[str, int]:
    """Returns the rows of tables without those that have rows for the whole run only."""
    record = plan.get("record", {})
    whole = [
        table
        for key, table in _WHOLE.items()
        if (kept := record.get(key)) is not None and not kept["windows_ps"]
    ]
    return {table: number for table, number in rows.items() if table not in whole}


def _waiting(rows: Mapping[str, int], scale: float) -> float:
    """Returns the memory of the rows that wait to be written, if there are `scale` as many."""
    return sum(
        min(number * scale, _HELD[table]) * _HELD_ROW
        if table in _HELD
        else min(number * scale, _ROW_GROUP) * _ROW_MEMORY * row_bytes(table)
        for table, number in rows.items()
    )


def _written(rows: Mapping[str, int], left_out: Collection[str], scale: float) -> float:
    """Returns the bytes on the disk of `scale` as many rows, without some tables."""
    return sum(
        number * scale * row_bytes(table) for table, number in rows.items() if table not in left_out
    )
