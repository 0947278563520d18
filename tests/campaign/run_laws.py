"""Laws of one run, as queries of its tables: each yields what breaks it.

The definitions are those of docs/reference/tables.md, docs/explanation/fabric.md and blame.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from campaign.tables_of import Tables

__all__ = ["LAWS"]

#: Half a picosecond in ns: times are whole picoseconds in columns of floating-point ns.
_HALF_PS = 0.0005
#: Packets that a link counts before they start: "When a packet counts", docs/explanation/fabric.md.
_AHEAD = 5
_PATH = """
    select h.packet, h.hop, h.router, h.arrived_ns, h.departed_ns, h.wait_ns, p.job, p.bytes,
        p.created_ns, p.injected_ns, p.delivered_ns, p.source_node, p.link_hops, l.link, l.class
    from packet_hops h join packets p using (packet)
    join links l on l.source_router = h.router and l.source_port = h.port_out"""


def conservation(run: Tables) -> Iterator[str]:
    """Packets and bytes are conserved by job and link class: sent is delivered or in flight."""
    if _skipped(run):
        yield from _windows_of_sample(run)
        return
    yield from _none(
        run,
        "job {} delivered {} of {} injected bytes",
        "select name, delivered_bytes, injected_bytes from jobs"
        " where delivered_bytes > injected_bytes"
        " or (end_ns is not null and complete and delivered_bytes <> injected_bytes)",
    )
    if run.plan["record"]["packets"] == "all":
        yield from _none(
            run,
            "job {}: {} packets of {} bytes in jobs, {} of {} in packets",
            "select name, j.packets, delivered_bytes, count(p.packet), coalesce(sum(p.bytes), 0)"
            " from jobs j left join packets p using (job) group by all"
            " having j.packets <> count(p.packet) or delivered_bytes <> coalesce(sum(p.bytes), 0)",
        )
    yield from _none(
        run,
        "link {}: {} bytes, {} over its jobs",
        "select link, l.bytes, coalesce(sum(b.bytes), 0) from links l left join link_jobs b"
        " using (link) group by all having l.bytes <> coalesce(sum(b.bytes), 0)",
    )
    if run.plan["record"]["link_windows"]:
        yield from _none(
            run,
            "link {}, job {}: {} bytes, {} over its windows",
            "select link, job, b.bytes, coalesce(sum(w.bytes), 0) from link_jobs b left join"
            " link_windows w using (link, job) group by all"
            " having b.bytes <> coalesce(sum(w.bytes), 0)",
        )
    if not run.plan["nic"]["responses"]:
        yield from _none(
            run,
            "job {}: {} bytes injected, {} over its injection links",
            "select name, injected_bytes, coalesce(sum(b.bytes), 0) from jobs j left join (select"
            " job, b.bytes from link_jobs b join links using (link) where class = 'injection') b"
            " using (job) group by all having injected_bytes <> coalesce(sum(b.bytes), 0)",
        )
    yield from _by_class(run)


def _by_class(run: Tables) -> Iterator[str]:
    """Checks the bytes of each job and link class against the paths of its delivered packets."""
    if run.plan["record"]["packets"] != "all" or not run.plan["record"]["packet_paths"]:
        return
    flying = run.one("select coalesce(sum(injected_bytes - delivered_bytes), 0) from jobs")
    exact = flying == 0 and not run.plan["nic"]["responses"]
    yield from _none(
        run,
        "job {}, class {}: {} bytes on links, {} on the paths of delivered packets",
        f"with path as ({_PATH}), taken as (select job, class, sum(bytes) bytes from path group by"
        " all), sent as (select job, class, sum(b.bytes) bytes from link_jobs b join links"
        " using (link) where class <> 'injection' group by all having sum(b.bytes) > 0)"
        " select job, class, coalesce(s.bytes, 0), coalesce(t.bytes, 0)"
        " from sent s full join taken t using (job, class) where"
        + (
            " coalesce(s.bytes, 0) <> coalesce(t.bytes, 0)"
            if exact
            else " coalesce(s.bytes, 0) < coalesce(t.bytes, 0)"
        ),
    )
    yield from _none(
        run,
        "packet {} crossed {} links, its path has {} routers",
        f"select packet, link_hops, count(*) from ({_PATH}) group by all"
        " having count(*) <> link_hops + 1",
    )


def _windows_of_sample(run: Tables) -> Iterator[str]:
    """Checks that no skipped time has rows."""
    yield from _none(
        run,
        "packet {} was delivered in skipped time, at {} ns",
        "select packet, delivered_ns from packets p join (select distinct start_ns, end_ns from"
        " epochs where skipped) e on p.injected_ns > e.start_ns and p.delivered_ns < e.end_ns",
    )
    yield from _none(
        run,
        "epoch {} starts at {} ns, the one before it ended at {} ns",
        "select epoch, start_ns, before from (select epoch, start_ns, lag(end_ns) over"
        " (order by epoch) before from (select distinct epoch, start_ns, end_ns from epochs))"
        " where before is not null and abs(before - start_ns) > 0.001",
    )


def messages(run: Tables) -> Iterator[str]:
    """Messages are conserved by job: payload sent is payload of ranks and of messages."""
    if _skipped(run):
        return
    yield from _none(
        run,
        "job {}: {} bytes of MPI payload, {} sent by its ranks",
        "select name, mpi_bytes, sum(bytes_sent) from jobs join ranks using (job)"
        " where mpi_bytes is not null group by name, job, mpi_bytes"
        " having mpi_bytes <> sum(bytes_sent)",
    )
    yield from _none(
        run,
        "job {}: {} messages sent, {} received, {} delivered",
        "select r.*, coalesce(n, 0) from (select job, sum(messages_sent) sent,"
        " sum(messages_received) received from ranks group by job) r left join"
        " (select job, count(*) n from messages group by job) m using (job)"
        " where coalesce(n, 0) > sent or received > coalesce(n, 0)",
    )


def closed_form(run: Tables) -> Iterator[str]:
    """No packet is faster than the closed form of its path (docs/explanation/fabric.md)."""
    if not run.plan["record"]["packet_paths"]:
        return
    yield from _none(
        run,
        "packet {} took {:.3f} ns from injection to delivery, its path takes {:.3f} ns",
        f"select packet, took, least from ({_zero_load(run)}) where took < least - {_HALF_PS}",
    )


def waiting(run: Tables) -> Iterator[str]:
    """The waits of a packet after its NIC are its latency minus the closed form of its path."""
    router = run.plan["router"]
    rates = {link["bandwidth_bytes_per_s"] for link in run.plan["links"].values() if link}
    crossbar = router["crossbar_bandwidth_bytes_per_s"]
    # The page states it for packets that move as a whole, and links of one rate.
    if not _default(run) or len(rates) > 1 or crossbar < max(rates):
        return
    yield from _none(
        run,
        "packet {} took {:.3f} ns, its path takes {:.3f} ns and its waits {:.3f} ns",
        f"select packet, took, least, waited from ({_zero_load(run)})"
        f" where abs(took - least - waited) > {_HALF_PS}",
    )


def _zero_load(run: Tables) -> str:
    """Returns a query of each packet's time, the closed form of its path, and its waits."""
    plan, router = run.plan, run.plan["router"]
    flit = plan["flit_bytes"]

    def flit_ns(bandwidth: int) -> float:
        return float(round(flit / bandwidth * 1e12)) / 1000  # whole picoseconds

    full = _default(run)
    crossbar = flit_ns(router["crossbar_bandwidth_bytes_per_s"]) if full else 0.0
    latencies, flits = [], []
    for name, link in plan["links"].items():
        classes = ("ejection",) if name == "terminal" else (name,)
        for each in classes if link else ():
            time = flit_ns(link["bandwidth_bytes_per_s"]) if full else 0.0
            latencies.append(f"when '{each}' then {link['latency_ps'] / 1000 + time!r}")
            flits.append(f"when '{each}' then {time!r}")
    first = plan["links"]["terminal"]
    terminal = flit_ns(first["bandwidth_bytes_per_s"]) if full else 0.0
    start = first["latency_ps"] / 1000 + terminal
    inside = (router["input_latency_ps"] + router["output_latency_ps"]) / 1000 if full else 0.0
    return (
        f"select packet, any_value(delivered_ns - injected_ns) took, {start!r} + sum(case class"
        f" {' '.join(latencies)} end + {inside + crossbar!r})"
        f" + (ceil(any_value(bytes) / {flit}) - 1) *"
        f" greatest({terminal!r}, {crossbar!r}, max(case class {' '.join(flits)} end)) as least,"
        f" sum(wait_ns) waited from ({_PATH}) group by packet"
    )


def bandwidth(run: Tables) -> Iterator[str]:
    """A link never carries more than its bandwidth in any window."""
    yield from _none(
        run,
        "link {} was busy for {} ns of {} ns",
        "select link, busy_ns, $1 from links where busy_ns > $1 + $2",
        run.document["simulated_ns"],
        _AHEAD * _packet(run) / _slowest(run) + 0.001,
    )
    window = run.plan["record"]["link_window_ps"] / 1000
    rates = " ".join(
        f"when '{name}' then {link['bandwidth_bytes_per_s'] / 1e9!r}"
        for name, link in run.plan["links"].items()
        if link and name != "terminal"
    )
    terminal = run.plan["links"]["terminal"]["bandwidth_bytes_per_s"] / 1e9
    rate = f"case class {rates} else {terminal!r} end"
    yield from _none(
        run,
        "link {} sent {} bytes in the window at {} ns",
        "select link, sum(w.bytes), window_start_ns from link_windows w join links using (link)"
        f" group by link, class, window_start_ns having sum(w.bytes) > {rate} * $1 * 1.0001 + $2",
        window,
        (_AHEAD + 1) * _packet(run),
    )
    if run.plan["record"]["packet_paths"] and run.plan["router"]["flow_control"] != "wormhole":
        yield from _gaps(run, rate)


def _gaps(run: Tables, rate: str) -> Iterator[str]:
    """Checks that each packet starts on a link when the one before it has been sent."""
    flit = run.plan["flit_bytes"]
    time = f"ceil(bytes / {flit}) * round({flit} / {rate} * 1000) / 1000"
    yield from _none(
        run,
        "link {}: a packet starts at {:.3f} ns, {:.3f} ns after one that needs {:.3f} ns",
        f"select link, departed_ns, departed_ns - before, needs from (select link, departed_ns,"
        f" lag(departed_ns) over own before, lag({time}) over own needs from ({_PATH})"
        " window own as (partition by link order by departed_ns))"
        " where departed_ns - before < needs - 0.0015",
    )


def blame(run: Tables) -> Iterator[str]:
    """The waiting times of the blame table sum to the measured waiting of each job's packets."""
    record = run.plan["record"]
    if _skipped(run) or "blame" not in record or record["packets"] != "all":
        return
    if run.plan["nic"]["responses"] or run.plan["router"]["flow_control"] == "wormhole":
        return  # responses and single flits wait too, and packets do not tell how long
    # Packets that were not delivered have waited too: the table has at least the others' waits in
    # routers. The packet before one in its NIC may be among them, so waits in NICs are unknown.
    flying = run.one("select coalesce(sum(injected_bytes - delivered_bytes), 0) from jobs")
    ended = run.one("select bool_and(complete) from jobs") and flying == 0
    # A link that decides after a flit time starts a packet that much after its creation, which is
    # no wait, unless the packet meets a lack of credits meanwhile: packets do not tell.
    rate = run.plan["links"]["terminal"]["bandwidth_bytes_per_s"]
    after = run.plan["router"]["link_decision"] == "after_flit"
    idle = round(run.plan["flit_bytes"] / rate * 1e12) / 1000 if after else 0.0
    own = "(partition by source_node order by injected_ns)"
    nic = f"select *, coalesce(lag(injected_ns) over {own}, 0) as before from packets"

    def wait(delay: str) -> str:
        return f"greatest(0, injected_ns - greatest(before, created_ns + {delay}))"

    yield from _none(
        run,
        "job {}: {:.3f} ns of waits in blame, {:.3f} to {:.3f} ns in packets",
        f"with measured as (select job, sum(least) as least, sum(most) as most from"
        f" (select job, {wait('$2')} as least, {wait('0')} as most from ({nic}) where $1 union all"
        " select job, wait_ns, wait_ns from packet_hops join packets using (packet)) group by job),"
        " blamed as (select victim as job, sum(wait_ns) wait from blame group by victim),"
        " both_ as (select job, coalesce(b.wait, 0) wait, coalesce(m.least, 0) as least,"
        " coalesce(m.most, 0) as most from measured m full join blamed b using (job))"
        " select job, wait, least, most from both_ where wait < least - 0.01"
        " or ($1 and wait > most + 0.01)",
        ended,
        idle,
    )


def _packet(run: Tables) -> int:
    """Returns the bytes of a packet's flits."""
    flit: int = run.plan["flit_bytes"]
    return int(-(-run.plan["packet_bytes"] // flit) * flit)


def _slowest(run: Tables) -> float:
    """Returns the bandwidth of the slowest links, bytes per ns."""
    links = [link for link in run.plan["links"].values() if link]
    return float(min(link["bandwidth_bytes_per_s"] for link in links)) / 1e9


def _default(run: Tables) -> bool:
    """Returns whether the closed form of the page holds: the router model `pantala`."""
    router = run.plan["router"]
    return bool(
        router["flow_control"] == "virtual_cut_through"
        and router["serialization"] == "counted"
        and router["input_queue"] == "fifo"
        and router["crossbar_clock"] == "none"
        and router["crossbar_delay"] == "flit"
        and router["link_decision"] == "at_start"
        and "link_clock" not in router
        and router["input_vc_gap"] == 0
    )


def _skipped(run: Tables) -> bool:
    return bool(run.one("select count(*) from epochs where skipped"))


def _none(run: Tables, text: str, query: str, *values: object) -> Iterator[str]:
    """Yields the first row of a query that should have none, in words."""
    rows = run.rows(query, *values)
    if rows:
        yield text.format(*rows[0]) + (f" ({len(rows)} such rows)" if len(rows) > 1 else "")


LAWS: dict[str, Callable[[Tables], Iterator[str]]] = {
    "packets and bytes by job and link class": conservation,
    "messages and payload": messages,
    "closed form of a path": closed_form,
    "waits of a packet": waiting,
    "bandwidth of a link": bandwidth,
    "blame": blame,
}
