"""The optional output of a run."""

from __future__ import annotations

from pantala.scenario.keys import BlameRecordKeys, RecordKeys

__all__ = ["BlameRecord", "Record"]


class BlameRecord(BlameRecordKeys):
    """The waiting time of each job by the job that causes it, in the table blame."""


class Record(RecordKeys):
    """The optional output of a run. The tables of jobs, ranks and links are always written."""

    blame: BlameRecord | None = None
    """The blame table. Off by default; an empty table `[record.blame]` records it in windows of
    10 us."""
