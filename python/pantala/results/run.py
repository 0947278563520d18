"""One run: its directory as lazy tables and named metrics."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from pantala.analysis.tiles import (
    has_tiles,
    link_counters,
    tile_counters,
    tile_jobs,
    tile_kinds,
    tile_map,
)
from pantala.catalogue.tables import TABLES
from pantala.caveats import Caveat, caveats_of, facts_of_run
from pantala.errors import RunDirectoryError, UsageError
from pantala.files.run_directory import PROGRAM_LOGS_FILE, RUN_FILE, TABLES_FILE
from pantala.files.run_files import AGAIN, document_of, scanned_table, table_in_archive
from pantala.files.table_errors import UNREADABLE, reason
from pantala.metrics.routers import counters_of_serving_routers
from pantala.metrics.run_metrics import Metric, all_metrics, chosen_job, value_of
from pantala.run_tables.job_nodes import job_nodes
from pantala.run_tables.table_display import converted, displayed

__all__ = ["Run"]


class Run:
    """One run. Its tables are lazy frames of Polars, which are read only on demand.

    `pantala.catalogue.tables.TABLES` describes every column. A table that was not recorded is
    empty. Times are simulated nanoseconds, sizes are bytes::

        run = pt.Run("runs/quickstart")
        run.jobs.select("name", "communication_time_mean_ns").collect()
        run.metric("communication_time_mean_ns", job="halo3d")

    Attributes:
        path: the run directory.
        document: run.json: the resolved plan, counters, conservation, provenance.
    """

    def __init__(self, path: str | Path) -> None:
        """Opens a run directory.

        Raises:
            RunDirectoryError: the directory holds no run.
        """
        self.path, self._files = Path(path), Path(path).absolute()  # the current one can change
        self.document: dict[str, Any] = document_of(self.path, RUN_FILE)
        #: The tables that have been opened; those of an archive would stay in memory.
        self._tables: dict[str, pl.LazyFrame] = {}

    @property
    def name(self) -> str:
        """The name of the plan."""
        return str(self.plan["name"])

    @property
    def plan(self) -> dict[str, Any]:
        """The resolved plan, in picoseconds, bytes and bytes per second."""
        plan: dict[str, Any] = self.document["plan"]
        return plan

    @property
    def complete(self) -> bool:
        """Whether every job that can end has ended; `document["reason"]` has the reason."""
        return bool(self.document["complete"])

    @property
    def coarsened(self) -> str | None:
        """The statement about a coarsened run and its known error; None in full detail."""
        return self.document.get("coarsened")

    @property
    def caveats(self) -> list[Caveat]:
        """What makes the results approximate or partial, such as coarse packets or one seed."""
        return caveats_of({self.name: facts_of_run(self)})

    @cached_property
    def job_names(self) -> list[str]:
        """The names of the jobs, in the plan's order."""
        return [job["name"] for job in self.plan["jobs"]]

    @property
    def jobs(self) -> pl.LazyFrame:
        """One row per job: communication time, latencies, bytes."""
        return self._table("jobs")

    @property
    def ranks(self) -> pl.LazyFrame:
        """One row per rank: its node, and its time by activity."""
        return self._table("ranks")

    @property
    def calls(self) -> pl.LazyFrame:
        """One row per job and MPI call: number of calls, bytes, time."""
        return self._table("calls")

    @property
    def rank_calls(self) -> pl.LazyFrame:
        """One row per rank and MPI call; empty if `record.rank_calls` was off."""
        return self._table("rank_calls")

    @property
    def call_events(self) -> pl.LazyFrame:
        """One row per MPI call: start, end, bytes; empty if `record.call_events` was off."""
        return self._table("call_events")

    @property
    def call_windows(self) -> pl.LazyFrame:
        """One row per window, job and MPI call; empty if `record.call_windows` was off."""
        return self._table("call_windows")

    @property
    def program_logs(self) -> pl.LazyFrame:
        """One row per value that a coNCePTuaL program logs, and per line that it prints."""
        return self._table("program_logs")

    @property
    def program_log_text(self) -> str:
        """What coNCePTuaL programs log and print, as text by job and rank; empty without any."""
        file = self._files / PROGRAM_LOGS_FILE
        return file.read_text(encoding="utf-8") if file.is_file() else ""

    @property
    def epochs(self) -> pl.LazyFrame:
        """One row per job and stretch of simulated or skipped time; empty without `skip`."""
        return self._table("epochs")

    @property
    def iterations(self) -> pl.LazyFrame:
        """One row per iteration of a rank; empty if `record.iterations` was off."""
        return self._table("iterations")

    @property
    def messages(self) -> pl.LazyFrame:
        """One row per message; empty if `record.messages` was off."""
        return self._table("messages")

    @property
    def rank_messages(self) -> pl.LazyFrame:
        """One row per rank and direction, messages sent or received: number, bytes, latencies.

        It is empty if `record.rank_messages` was off.
        """
        return self._table("rank_messages")

    @property
    def packets(self) -> pl.LazyFrame:
        """One row per recorded packet; `record.packets` selects them."""
        return self._table("packets")

    @property
    def packet_hops(self) -> pl.LazyFrame:
        """One row per recorded packet and router of its path: ports, VCs, times, waiting time.

        It is empty if `record.packet_paths` was off.
        """
        return self._table("packet_hops")

    @property
    def routing_windows(self) -> pl.LazyFrame:
        """One row per job and window: packets by path. Empty if `record.routing_windows` is off."""
        return self._table("routing_windows")

    @property
    def links(self) -> pl.LazyFrame:
        """One row per directed link, terminal links included: traffic, utilization, stall time."""
        return self._table("links")

    @property
    def link_jobs(self) -> pl.LazyFrame:
        """One row per link and job: the job's bytes and stall on the link."""
        return self._table("link_jobs")

    @property
    def link_windows(self) -> pl.LazyFrame:
        """One row per link, window of time and job: bytes and stall.

        Terminal links are included. The table is empty if `record.link_windows` was off.
        """
        return self._table("link_windows")

    @property
    def job_windows(self) -> pl.LazyFrame:
        """One row per job and window of time: bytes in and out, mean latency."""
        return self._table("job_windows")

    @property
    def latency_windows(self) -> pl.LazyFrame:
        """One row per job, kind of latency and window of time: percentiles of the latency.

        It is empty if `record.latency_windows` was off.
        """
        return self._table("latency_windows")

    @property
    def nic_windows(self) -> pl.LazyFrame:
        """One row per node and window of time: number and mean of request-response latencies.

        It is empty if `record.nic_windows` was off.
        """
        return self._table("nic_windows")

    @property
    def q_tables(self) -> pl.LazyFrame:
        """One row per estimate of q_adaptive at the end; empty if `record.q_tables` was off."""
        return self._table("q_tables")

    @property
    def q_learning(self) -> pl.LazyFrame:
        """One row per window of time and kind of port: corrections of q_adaptive's estimates.

        It is empty if `record.q_learning` was off.
        """
        return self._table("q_learning")

    @property
    def blame(self) -> pl.LazyFrame:
        """One row per window of time, link class, waiting job and causing job: waiting time.

        It is empty if `record.blame` was off.
        """
        return self._table("blame")

    @property
    def blame_groups(self) -> pl.LazyFrame:
        """One row per window, two groups and two jobs; empty if `record.blame.groups` was off."""
        return self._table("blame_groups")

    @property
    def blame_links(self) -> pl.LazyFrame:
        """One row per window, link and two jobs; empty if `record.blame.links` was off."""
        return self._table("blame_links")

    @property
    def port_windows(self) -> pl.LazyFrame:
        """One row per link and window of time, by virtual channel, job or kind if asked for.

        It is empty if `record.ports` was off.
        """
        return self._table("port_windows")

    @property
    def system_windows(self) -> pl.LazyFrame:
        """One row per link class and window of time; empty if `record.system` was off."""
        return self._table("system_windows")

    @property
    def router_windows(self) -> pl.LazyFrame:
        """One row per router, window of time and job; empty if `record.routers` was off."""
        return self._table("router_windows")

    @property
    def tiles(self) -> pl.LazyFrame:
        """One row per tile of an Aries router (48 per router): its link and its counters.

        `pantala.analysis.tiles` has the map from links to tiles. Link and counters of an unused
        tile are null.

        Raises:
            UsageError: the routers of the machine have no such tiles.
        """
        return converted(self._tiles.lazy())

    @property
    def tile_jobs(self) -> pl.LazyFrame:
        """One row per tile of an Aries router and job: the job's bytes and stall on the tile.

        Raises:
            UsageError: the routers of the machine have no such tiles.
        """
        mapped = tile_map(self.links.collect(), self.plan["topology"])
        return converted(tile_jobs(mapped, self.link_jobs.collect(), self._flit_times).lazy())

    def router_counters(
        self, job: str | None = None, *, by_router: bool = False, by_kind: bool = False
    ) -> pl.DataFrame:
        """Returns the counters of the routers that serve a job, averaged as by AutoPerf.

        Classes are those of tiles if the routers have 48 tiles, else link classes.
        `pantala.metrics.counters_of_serving_routers` defines the columns.

        Args:
            job: the job; optional if there is only one.
            by_router: whether each router has rows of its own.
            by_kind: whether requests and responses have rows of their own. This needs tiles and
                `record.ports` with `split = ["kind"]`, without `jobs`, `routers` or `classes`.

        Raises:
            UsageError: there is no such job, or, with `by_kind`, the routers have no tiles or the
                run did not record requests and responses.
        """
        number = self.job_names.index(chosen_job(self, "router_counters", job))
        nodes = job_nodes(self.ranks, self.plan, number)
        if by_kind:
            counters = self._tile_kinds()
        elif has_tiles(self.plan["topology"]):
            counters = self._tiles
        else:
            counters = link_counters(self.links.collect(), self._flit_times)
        return counters_of_serving_routers(counters, nodes, by_router=by_router)

    @cached_property
    def _tiles(self) -> pl.DataFrame:
        links = self.links.collect()
        mapped = tile_map(links, self.plan["topology"])
        return tile_counters(mapped, link_counters(links, self._flit_times))

    @property
    def _flit_times(self) -> dict[str, int]:
        times: dict[str, int] = self.plan["derived"]["flit_time_ps"]
        return times

    def _tile_kinds(self) -> pl.DataFrame:
        mapped = tile_map(self.links.collect(), self.plan["topology"])
        ports = self.plan["record"].get("ports") or {}
        partial = any(ports.get(key) for key in ("jobs", "routers", "classes"))
        if "kind" not in ports.get("split", []) or partial:
            raise UsageError(
                "the run did not record all requests and responses; set record.ports.split ="
                ' ["kind"], without jobs, routers and classes'
            )
        rows = self.port_windows.filter(pl.col("window_ns") == pl.col("window_ns").min())
        return tile_kinds(mapped, rows.collect(), self._flit_times)

    def metric(self, name: str, job: str | None = None) -> float | None:
        """Returns a metric by its name.

        Args:
            name: one of `metrics`.
            job: the job, for a metric of a job; optional if there is only one job.

        Returns:
            The value, in the unit that its name ends in; None if there is no value, for example for
            the message latency of a job without messages.

        Raises:
            UsageError: there is no such metric or job, or the job is missing.
        """
        return value_of(self, name, job)

    @staticmethod
    def metrics() -> list[Metric]:
        """Returns all metrics, each with its unit and meaning."""
        return all_metrics()

    def _table(self, name: str) -> pl.LazyFrame:
        """Returns a table; it has no rows if the run did not record it.

        Raises:
            RunDirectoryError: the file is missing or damaged, or lacks a column.
        """
        if name in self._tables:
            return self._tables[name]
        table = TABLES[name]
        path = self._files / table.file
        try:
            frame = scanned_table(path, self.document)
            columns = frame.collect_schema()
        except FileNotFoundError:
            packed = table_in_archive(self._files / TABLES_FILE, table.file)
            if packed is not None:
                return displayed(packed.lazy(), name)
            is_packed = (self._files / TABLES_FILE).is_file()  # without the tables not kept
            if not is_packed and self.document.get("tables", {}).get(name):
                message = f"{table.file} is missing; the run wrote it"
                raise RunDirectoryError(self.path, message, AGAIN) from None
            return displayed(pl.LazyFrame(schema=table.polars_schema), name)
        except RunDirectoryError as error:
            raise RunDirectoryError(self.path, error.message, error.remedy) from None
        except (*UNREADABLE, OSError) as error:
            message = f"{table.file} is damaged: {reason(error)}"
            raise RunDirectoryError(self.path, message, AGAIN) from None
        lacking = [column for column in table.polars_schema if column not in columns]
        if lacking:
            version = self.document.get("pantala", "another version")
            message = f"{table.file} of Pantala {version} has no column '{lacking[0]}'"
            raise RunDirectoryError(self.path, message, AGAIN)
        for column, expected in table.polars_schema.items():
            if columns[column].is_numeric() != expected.is_numeric():
                message = f"{table.file} has {columns[column]} in column '{column}', not {expected}"
                raise RunDirectoryError(self.path, message, AGAIN)
        self._tables[name] = displayed(frame, name)
        return self._tables[name]

    def _repr_html_(self) -> str:
        from pantala.results.notebook import run_html

        return run_html(self)

    def __repr__(self) -> str:
        state = "" if self.complete else f", incomplete: {self.document.get('reason')}"
        return f"Run('{self.path}', jobs={self.job_names}{state})"
