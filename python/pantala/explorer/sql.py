"""The SQL query behind each view, for DuckDB over the Parquet files of the run.

A query names its values ``$from``, ``$to`` (the interval in ns), ``$time`` (its length without
skipped time), ``$job``, ``$class``, ``$group``, ``$router``, ``$link``, ``$links``, ``$victim`` and
``$aggressor``; the hottest links also have ``$window``, ``$end`` (of the run), ``$most``, and
``$sampled`` in place of ``$time`` if the table of links has skipped time. A line that starts with
``?NAME`` belongs to the query only if that value is chosen. The page fills in the values; `filled`
does the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from pantala.analysis.link_busy import LEAST_PART, measured_by
from pantala.results.run import Run
from pantala.run_tables.run_like import link_window_ns, table

__all__ = ["QUERIES", "filled", "queries_of"]

#: The time per byte of a link is its mean over the run: packets fill whole flits.
_LINKS = """WITH l AS (
  SELECT *, CASE WHEN bytes > 0 THEN busy_ns / bytes ELSE 0 END AS byte_ns
  FROM '$dir/links.parquet'),
w AS (
  SELECT link, x.window_start_ns, x.job, x.bytes, x.stall_ns, x.bytes * l.byte_ns AS busy_ns
  FROM '$dir/link_windows.parquet' x JOIN l USING (link))"""
#: The same with the busy time of links that port_windows measured, as in `busy_windows`.
_MEASURED = """WITH p AS (
  SELECT link, (window_start_ns * 1000)::BIGINT // {window} * {window} / 1000 AS window_start_ns,
    sum(busy_ns) AS busy_ns
  FROM '$dir/port_windows.parquet' WHERE abs(window_ns - {port} / 1000) < 1e-6 GROUP BY ALL),
l AS (
  SELECT *, CASE WHEN bytes > 0 AND link NOT IN (SELECT link FROM p) THEN busy_ns / bytes
    ELSE 0 END AS byte_ns
  FROM '$dir/links.parquet'),
w AS (
  SELECT link, window_start_ns, coalesce(x.bytes, 0) AS bytes, coalesce(x.stall_ns, 0) AS stall_ns,
    coalesce(x.job, last_value(x.job IGNORE NULLS) OVER before) AS job,
    coalesce(x.bytes, 0) * l.byte_ns + coalesce(p.busy_ns, 0) * CASE
      WHEN sum(x.bytes) OVER same > 0 THEN coalesce(x.bytes, 0) / sum(x.bytes) OVER same
      ELSE 1 / count(*) OVER same END AS busy_ns
  FROM '$dir/link_windows.parquet' x FULL JOIN (FROM p WHERE busy_ns > 0) p
    USING (link, window_start_ns) JOIN l USING (link)
  WINDOW same AS (PARTITION BY link, window_start_ns),
    before AS (PARTITION BY link ORDER BY window_start_ns, x.job))"""
_INTERVAL = "w.window_start_ns >= $from AND w.window_start_ns < $to"

#: The query of each view by its name.
QUERIES: Mapping[str, str] = {
    "throughput": """SELECT window_start_ns, job, delivered_bytes / window_ns AS gb_per_s
FROM '$dir/job_windows.parquet'
WHERE window_start_ns < $to AND window_start_ns + window_ns > $from
?job   AND job IN ($job)
ORDER BY ALL;""",
    "latency": """SELECT window_start_ns, job, p50_ns, p95_ns, p99_ns
FROM '$dir/latency_windows.parquet'
WHERE kind = 'packet' AND window_start_ns >= $from AND window_start_ns < $to
?job   AND job IN ($job)
ORDER BY ALL;""",
    "routing": """SELECT window_start_ns, job, nonminimal / packets AS nonminimal_share
FROM '$dir/routing_windows.parquet'
WHERE window_start_ns >= $from AND window_start_ns < $to
?job   AND job IN ($job)
ORDER BY ALL;""",
    "presence": """-- Time blocked in MPI calls; the view divides it by ranks and windows.
SELECT job, sum(time_ns) AS inside_ns
FROM '$dir/call_windows.parquet'
WHERE call NOT IN ('init', 'finalize') AND window_start_ns >= $from AND window_start_ns < $to
?job   AND job IN ($job)
GROUP BY ALL ORDER BY ALL;""",
    "phases": """-- The MPI phases: time blocked in each call, summed over ranks.
SELECT job, call, sum(time_ns) AS inside_ns
FROM '$dir/call_windows.parquet'
WHERE call NOT IN ('init', 'finalize') AND window_start_ns >= $from AND window_start_ns < $to
?job   AND job IN ($job)
GROUP BY ALL ORDER BY ALL;""",
    "presence_events": """-- Time inside MPI calls; the view divides it by ranks and windows.
SELECT job, sum(least(end_ns, $to) - greatest(start_ns, $from)) AS inside_ns
FROM '$dir/call_events.parquet'
WHERE call NOT IN ('init', 'finalize') AND start_ns < $to AND end_ns > $from
?job   AND job IN ($job)
GROUP BY ALL ORDER BY ALL;""",
    "phases_events": """-- The MPI phases: time inside each call, summed over ranks.
SELECT job, call, sum(least(end_ns, $to) - greatest(start_ns, $from)) AS inside_ns
FROM '$dir/call_events.parquet'
WHERE call NOT IN ('init', 'finalize') AND start_ns < $to AND end_ns > $from
?job   AND job IN ($job)
GROUP BY ALL ORDER BY ALL;""",
    "bands": """-- The iterations: first start and last end over ranks.
SELECT job, motif, iteration, phase, min(start_ns) AS start_ns, max(end_ns) AS end_ns
FROM '$dir/iterations.parquet'
?job WHERE job IN ($job)
GROUP BY ALL HAVING min(start_ns) < $to AND max(end_ns) > $from ORDER BY ALL;""",
    "groups": f"""{_LINKS},
n AS (
  SELECT source_group, target_group, count(*) AS links
  FROM l WHERE class NOT IN ('injection', 'ejection')
?class     AND class = '$class'
  GROUP BY ALL)
SELECT l.source_group, l.target_group,
  sum(w.busy_ns) / (any_value(n.links) * $time) AS load,
  sum(w.stall_ns) / (any_value(n.links) * $time) AS stall
FROM w JOIN l USING (link)
JOIN n ON n.source_group = l.source_group AND n.target_group = l.target_group
WHERE {_INTERVAL} AND l.class NOT IN ('injection', 'ejection')
?class   AND l.class = '$class'
?job   AND w.job IN ($job)
GROUP BY ALL ORDER BY ALL;""",
    "group": f"""{_LINKS}
SELECT l.source_router, l.target_router,
  sum(w.busy_ns) / (count(DISTINCT l.link) * $time) AS load,
  sum(w.stall_ns) / (count(DISTINCT l.link) * $time) AS stall
FROM w JOIN l USING (link)
WHERE {_INTERVAL} AND l.source_group = $group AND l.class IN ('local', 'row', 'column')
?job   AND w.job IN ($job)
GROUP BY ALL ORDER BY ALL;""",
    "router": f"""{_LINKS}
SELECT l.link, l.class, l.source_port, w.job, sum(w.bytes) AS bytes,
  sum(w.busy_ns) / $time AS load, sum(w.stall_ns) / $time AS stall
FROM w JOIN l USING (link)
WHERE {_INTERVAL}
  AND (l.source_router = $router OR (l.class = 'injection' AND l.target_router = $router))
?job   AND w.job IN ($job)
GROUP BY ALL ORDER BY ALL;""",
    "hottest": f"""-- From $from to $to ns; of a run that skipped time, utilizations with that time.
{_LINKS},
v AS (
  SELECT w.link, w.window_start_ns, sum(w.bytes) AS bytes, sum(w.busy_ns) AS busy_ns
  FROM w
  WHERE {_INTERVAL}
  GROUP BY ALL)
SELECT link,
?time   least(1, sum(v.busy_ns) / $time) AS utilization,
?sampled   any_value(l.utilization) AS utilization,
  least(1, max(v.busy_ns / least($window, $to - v.window_start_ns))
    FILTER ($to - v.window_start_ns >= {LEAST_PART} * $window)) AS peak,
  any_value(l.stall_ns) / $end AS stall_share
FROM v JOIN l USING (link)
GROUP BY link HAVING sum(v.bytes) > 0 ORDER BY utilization DESC, link LIMIT $most;""",
    "worst": f"""{_LINKS}
SELECT w.link, any_value(l.class) AS class, w.window_start_ns,
  sum(w.busy_ns) AS busy_ns, sum(w.stall_ns) AS stall_ns
FROM w JOIN l USING (link)
WHERE {_INTERVAL}
?class   AND l.class = '$class'
?links   AND w.link IN ($links)
?job   AND w.job IN ($job)
GROUP BY w.link, w.window_start_ns ORDER BY ALL;""",
    "link": f"""{_LINKS}
SELECT w.window_start_ns, w.job, w.bytes, w.busy_ns, w.stall_ns
FROM w
WHERE {_INTERVAL} AND w.link = $link
?job   AND w.job IN ($job)
ORDER BY ALL;""",
    "packets": """SELECT p.*, h.router, h.arrived_ns, h.departed_ns, h.wait_ns
FROM '$dir/links.parquet' l
JOIN '$dir/packet_hops.parquet' h ON h.router = l.source_router AND h.port_out = l.source_port
JOIN '$dir/packets.parquet' p USING (packet)
WHERE l.link = $link AND h.departed_ns >= $from AND h.departed_ns < $to
?job   AND p.job IN ($job)
ORDER BY h.wait_ns DESC;""",
    "queue": """SELECT window_start_ns, occupancy_mean_flits, occupancy_max_flits
FROM '$dir/port_windows.parquet'
WHERE link = $link AND vc IS NULL AND job IS NULL AND kind IS NULL
  AND occupancy_mean_flits IS NOT NULL
  AND window_ns = (SELECT min(window_ns) FROM '$dir/port_windows.parquet')
  AND window_start_ns < $to AND window_start_ns + window_ns > $from
ORDER BY ALL;""",
    "blame": """SELECT victim, aggressor, sum(wait_ns) AS wait_ns
FROM '$dir/blame.parquet'
WHERE window_start_ns >= $from AND window_start_ns < $to
?class   AND class = '$class'
GROUP BY ALL ORDER BY ALL;""",
    "waits": """SELECT source_group, target_group, sum(wait_ns) AS wait_ns
FROM '$dir/blame_groups.parquet'
WHERE window_start_ns < $to AND window_start_ns + window_ns > $from
?class   AND class = '$class'
?between   AND class NOT IN ('injection', 'ejection')
?job   AND victim IN ($job)
?victim   AND victim = $victim
?aggressor   AND aggressor = $aggressor
GROUP BY ALL ORDER BY ALL;""",
    "waiters": """SELECT victim, aggressor, sum(wait_ns) AS wait_ns
FROM '$dir/blame_links.parquet'
WHERE link = $link AND window_start_ns < $to AND window_start_ns + window_ns > $from
?job   AND victim IN ($job)
GROUP BY ALL ORDER BY wait_ns DESC;""",
    "jobs": "SELECT * FROM '$dir/jobs.parquet' ORDER BY job;",
    "latencies": """-- Packets by bin of latency: bin b begins at 10^(b/20) ns.
SELECT job, floor(20 * log10(greatest(latency_ns, 1))) AS bin, count(*) AS packets
FROM '$dir/packets.parquet'
WHERE delivered_ns >= $from AND delivered_ns < $to
?job   AND job IN ($job)
GROUP BY ALL ORDER BY ALL;""",
    "shares": """-- The paths of the packets that arrived.
SELECT job, sum(minimal) AS minimal, sum(nonminimal_at_source) AS at_source,
  sum(rerouted) AS rerouted
FROM '$dir/routing_windows.parquet'
WHERE window_start_ns >= $from AND window_start_ns < $to
?job   AND job IN ($job)
GROUP BY ALL ORDER BY ALL;""",
    "routers": """SELECT job, router, count(DISTINCT node) AS nodes
FROM '$dir/ranks.parquet'
?job WHERE job IN ($job)
GROUP BY ALL ORDER BY ALL;""",
    "placement": """SELECT job, "group", count(DISTINCT node) AS nodes
FROM '$dir/ranks.parquet' GROUP BY ALL ORDER BY ALL;""",
    "iterations": """SELECT job, rank, motif, iteration, sum(communication_time_ns) AS ns
FROM '$dir/iterations.parquet'
WHERE start_ns < $to AND end_ns > $from
?job   AND job IN ($job)
GROUP BY ALL ORDER BY ALL;""",
}


def queries_of(run: Run) -> Mapping[str, str]:
    """Returns the queries for a run: they take measured busy times if it has them."""
    port = None if table(run, "link_windows") is None else measured_by(run)
    if port is None:
        return QUERIES
    measured = _MEASURED.format(window=round(link_window_ns(run) * 1000), port=port)
    return {name: text.replace(_LINKS, measured) for name, text in QUERIES.items()}


_VALUE = re.compile(r"\$([a-z]+)")
_OPTIONAL = re.compile(r"\?([a-z]+)(.*)", re.DOTALL)


def filled(name: str, values: Mapping[str, object], queries: Mapping[str, str] = QUERIES) -> str:
    """Returns the query of a view with its values.

    Args:
        name: the view, of `QUERIES`.
        values: the values by name; a value that is None is not chosen. `dir` is the directory.
        queries: the queries, from `queries_of`.
    """
    lines = []
    for line in queries[name].split("\n"):
        optional = _OPTIONAL.fullmatch(line)
        if optional and values.get(optional[1]) is None:
            continue
        lines.append(
            _VALUE.sub(lambda found: _text(values, found), optional[2] if optional else line)
        )
    return "\n".join(lines)


def _text(values: Mapping[str, object], found: re.Match[str]) -> str:
    value = values[found[1]]
    return str(value).replace("'", "''")
