"""What a run records beside the tables of jobs, ranks and links."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal

from pydantic_core import PydanticCustomError

from pantala.models.base import Flag, Index, Model, Name, PositiveDuration
from pantala.models.keys import BlameRecordKeys, RecordKeys
from pantala.models.validation import fault

__all__ = [
    "BlameRecord",
    "CallEventRecord",
    "PortRecord",
    "Record",
    "RouterRecord",
    "SystemRecord",
    "windows_beyond",
]


class PortRecord(Model):
    """The record of links, virtual channel by virtual channel and job by job: port_windows."""

    windows: tuple[PositiveDuration, ...] = ()
    """Lengths of windows. Each is a multiple of the shortest of all records of links. None: one row
    for the whole run."""
    split: tuple[Literal["vc", "job", "kind"], ...] = ()
    """What rows tell apart: virtual channels, jobs, requests and responses. Without it, a row is
    for all of them."""
    classes: tuple[Literal["injection", "ejection", "local", "row", "column", "global"], ...] = ()
    """Link classes. None: all."""
    routers: tuple[Index, ...] = ()
    """Routers that send on the links; of injection links, the router that receives. None: all."""
    jobs: tuple[Name, ...] = ()
    """Names of jobs, if `split` has job. None: all."""

    def as_plan(self) -> dict[str, Any]:
        """Returns the record in the plan's form."""
        return {
            "windows_ps": [int(window) for window in self.windows],
            "split": list(self.split),
            "classes": list(self.classes),
            "routers": list(self.routers),
            "jobs": list(self.jobs),
        }


class SystemRecord(Model):
    """The record of link classes over the whole machine: system_windows."""

    windows: tuple[PositiveDuration, ...] = ()
    """Lengths of windows, as of ports."""
    by_job: Flag = False
    """Whether rows tell jobs apart."""

    def as_plan(self) -> dict[str, Any]:
        """Returns the record in the plan's form."""
        return {"windows_ps": [int(window) for window in self.windows], "by_job": self.by_job}


class RouterRecord(Model):
    """The record of the packets of each job in every router: router_windows."""

    windows: tuple[PositiveDuration, ...] = ()
    """Lengths of windows, as of ports."""
    routers: tuple[Index, ...] = ()
    """Routers. None: all."""
    jobs: tuple[Name, ...] = ()
    """Names of jobs. None: all."""

    def as_plan(self) -> dict[str, Any]:
        """Returns the record in the plan's form."""
        return {
            "windows_ps": [int(window) for window in self.windows],
            "routers": list(self.routers),
            "jobs": list(self.jobs),
        }


class BlameRecord(BlameRecordKeys):
    """Waiting times by the job that causes them, in the table blame, and by place."""

    groups: Flag = False
    """Whether the blame_groups table records the waiting times by the groups that links connect."""
    links: Index = 0
    """Number of links of each class, those most waited at in the run, whose waiting times the
    blame_links table records. 0: not recorded."""

    def as_plan(self) -> dict[str, Any]:
        """Returns the record in the plan's form."""
        places: dict[str, Any] = {"groups": True} if self.groups else {}
        if self.links:
            places["links"] = self.links
        return {"window_ps": int(self.window), **places}


class CallEventRecord(Model):
    """The start and the end of single MPI calls, in the table call_events."""

    jobs: tuple[Name, ...] = ()
    """Names of the jobs whose calls have rows. None: all jobs."""
    ranks: tuple[Index, ...] = ()
    """Ranks of these jobs whose calls have rows. None: all ranks."""

    def as_plan(self) -> dict[str, Any]:
        """Returns the record in the plan's form."""
        return {"jobs": list(self.jobs), "ranks": list(self.ranks)}


#: The links of each class whose waiting times the preset explore records by cause.
_WORST_LINKS = 100


def _explored(window: Any) -> dict[str, Any]:
    """Returns the keys of the preset explore, with windows of one length."""
    return {
        "packet_paths": True,
        "routing_windows": window,
        "latency_windows": window,
        "call_windows": window,
        "blame": {"window": window, "groups": True, "links": _WORST_LINKS},
    }


class Record(RecordKeys):
    """The optional output of a run. The tables of jobs, ranks and links are always written."""

    shorthand: ClassVar[str | None] = "preset"

    preset: Literal["explore"] | None = None
    """explore records what `pantala explore` shows beyond the default: `packet_paths` of the
    sampled packets, `blame` with `groups` and with 100 `links` of each class, `call_windows`,
    `latency_windows` and `routing_windows`, in windows of the length of `window`. Keys given here
    replace its values."""
    packet_jobs: tuple[Name, ...] = ()
    """Names of the jobs whose packets have rows in packets and packet_hops. None: all jobs."""
    packet_routers: tuple[Index, ...] = ()
    """Routers. Only packets that pass one of them have rows; the routers of their source and
    destination count. None: all packets."""
    ports: PortRecord | None = None
    """Links by virtual channel, job and kind of packet, in windows: the table port_windows. A table
    without keys is enough. Default: not recorded."""
    system: SystemRecord | None = None
    """Link classes in windows: the table system_windows. Default: not recorded."""
    routers: RouterRecord | None = None
    """Packets of each job in every router, in windows: the table router_windows. Default: not
    recorded."""

    blame: BlameRecord | None = None
    """Waiting times by the job that causes them: the table blame. An empty table `[record.blame]`
    records it in windows of 10 us. Default: not recorded."""

    latency_windows: PositiveDuration | None = None
    """Length of a time window of the latency_windows table: percentiles of packet, message and
    request-response latency per job. The percentiles of up to 4,096 latencies are exact; of more
    they are at most 0.1 % too high. Default: not recorded."""
    call_windows: PositiveDuration | None = None
    """Length of a time window of the call_windows table: the time that the ranks of each job are
    blocked in each MPI call. It grows with windows and names of calls, not with ranks. Default: not
    recorded."""
    nic_windows: PositiveDuration | None = None
    """Length of a time window of the nic_windows table: number and mean of the request-response
    latencies of each node. It needs `machine.nic.responses`. Default: not recorded."""
    unexpected: Flag = False
    """Whether the messages table tells which messages were unexpected: arrived before a receive was
    posted. It needs `messages`."""
    rank_messages: Flag = False
    """Whether the rank_messages table records number, bytes and latencies of the messages that each
    rank has sent and received."""
    rank_calls: Flag = False
    """Whether the rank_calls table records number, bytes and time of each rank's MPI calls, and the
    iterations table the time of computing."""
    call_events: CallEventRecord | None = None
    """Single MPI calls with start and end: the table call_events. An empty table
    `[record.call_events]` records all jobs and ranks. Default: not recorded."""

    @classmethod
    def complete(cls, data: dict[str, Any]) -> dict[str, Any]:
        """Returns the data with the preset's records; given keys stay."""
        if data.get("preset") != "explore":
            return data
        recorded = _explored(data.get("window", cls.model_fields["window"].default))
        if data.get("packets") == "off":
            del recorded["packet_paths"]
        if isinstance(data.get("blame"), Mapping):
            data = data | {"blame": recorded["blame"] | data["blame"]}
        return recorded | data

    #: The records that are tables of keys.
    tables: ClassVar[tuple[str, ...]] = ("ports", "system", "routers", "blame", "call_events")
    #: The records in windows, which a plan has only if they are on.
    windows: ClassVar[tuple[str, ...]] = ("latency_windows", "nic_windows", "call_windows")
    #: The records of ranks, which a plan has only if they are on.
    flags: ClassVar[tuple[str, ...]] = ("unexpected", "rank_messages", "rank_calls")

    def as_plan(self) -> dict[str, Any]:
        """Returns the keys that a plan has only if they record something, in the plan's form."""
        found = {name: getattr(self, name) for name in self.tables}
        lists = {"packet_jobs": self.packet_jobs, "packet_routers": self.packet_routers}
        lengths = {name: getattr(self, name) for name in self.windows}
        return {
            **{f"{name}_ps": int(each) for name, each in lengths.items() if each is not None},
            **{name: True for name in self.flags if getattr(self, name)},
            **{name: list(names) for name, names in lists.items() if names},
            **{name: table.as_plan() for name, table in found.items() if table is not None},
        }


def windows_beyond(
    record: Record, duration: int | None, given: Mapping[str, Any]
) -> Iterator[PydanticCustomError]:
    """Yields a fault for each given window that is longer than the run.

    The core checks the windows that have no default.

    Args:
        record: the record.
        duration: the duration of the run, if the scenario has one.
        given: the keys of the record that the scenario gives.
    """
    blame = given.get("blame")
    windows: list[tuple[tuple[str, ...], int]] = [
        ((name,), getattr(record, name)) for name in ("window", "link_window") if name in given
    ]
    if record.blame is not None and isinstance(blame, Mapping) and "window" in blame:
        windows.append((("blame", "window"), record.blame.window))
    for path, window in windows:
        if duration is not None and window > duration:
            message = f"the window is longer than the run of {duration}"
            yield fault(message, "give a time of at most this", "record", *path)
