"""A Dragonfly of merlin under uniform random traffic, described in `machine.json`.

SST runs this file, not Python: the module `sst` exists only there. Components, parameters and ports
are from `pymerlin-base.py`, `pymerlin-topo-dragonfly.py` and `offered_load.cc`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import sst  # type: ignore[import-not-found]

MACHINE: dict[str, Any] = json.loads(Path("machine.json").read_text(encoding="utf-8"))
P, A, H, G = (MACHINE[name] for name in "pahg")
FLIT = f"{MACHINE['flit_bytes']}B"
BANDWIDTH = f"{MACHINE['bandwidth']}B/s"
INPUT_BUFFER = f"{MACHINE['input_buffer_flits'] * MACHINE['flit_bytes']}B"
OUTPUT_BUFFER = f"{MACHINE['output_buffer_flits'] * MACHINE['flit_bytes']}B"
#: The group's global link (0 to a h - 1) to the n-th of the other groups.
GLOBAL_LINKS = [index if index < G - 1 else -1 for index in range(A * H)]

_links: dict[str, Any] = {}


def link(name: str) -> Any:
    """Returns the link with a name. Both ends share it."""
    if name not in _links:
        _links[name] = sst.Link(name)
    return _links[name]


def latency(kind: str) -> str:
    """Returns the latency of a link class with its unit."""
    return f"{MACHINE[f'{kind}_latency_ps']}ps"


def node(number: int) -> Any:
    """Makes a node that sends at the offered load, and returns its network interface."""
    source = sst.Component(f"node{number}", "merlin.offered_load")
    source.addParams(
        {
            "id": number,
            "num_peers": P * A * G,
            "offered_load": MACHINE["load"],
            "message_size": f"{MACHINE['packet_bytes']}B",
            "link_bw": BANDWIDTH,
            "pattern": "merlin.targetgen.uniform",
            "warmup_time": "0ps",
            "collect_time": f"{MACHINE['simulated_ps']}ps",
            "drain_time": "0ps",
        }
    )
    interface = source.setSubComponent("networkIF", "merlin.linkcontrol", 0)
    interface.addParams(
        {"link_bw": BANDWIDTH, "input_buf_size": INPUT_BUFFER, "output_buf_size": OUTPUT_BUFFER}
    )
    interface.addParams(
        {"job_id": 0, "job_size": P * A * G, "logical_nid": number, "use_nid_remap": False}
    )
    interface.addParams(MACHINE["interface"])
    return interface


def router(number: int) -> Any:
    """Returns a router with its routing and with a count of sent packets per port."""
    built = sst.Component(f"router{number}", "merlin.hr_router")
    built.addParams(
        {
            "id": number,
            "num_ports": P + A - 1 + H,
            "num_vns": 1,
            "link_bw": BANDWIDTH,
            "xbar_bw": f"{MACHINE['crossbar_bandwidth']}B/s",
            "flit_size": FLIT,
            "input_latency": f"{MACHINE['input_latency_ps']}ps",
            "output_latency": f"{MACHINE['output_latency_ps']}ps",
            "input_buf_size": INPUT_BUFFER,
            "output_buf_size": OUTPUT_BUFFER,
            "xbar_arb": "merlin.xbar_arb_lru",
        }
    )
    topology = built.setSubComponent("topology", "merlin.dragonfly", 0)
    topology.addParams(
        {
            "hosts_per_router": P,
            "routers_per_group": A,
            "intergroup_per_router": H,
            "intergroup_links": 1,
            "num_groups": G,
            "algorithm": MACHINE["algorithm"],
            "adaptive_threshold": MACHINE["threshold"],
            "global_routes": "absolute",
        }
        | MACHINE["routing_parameters"]
    )
    if number == 0:
        topology.addParam("global_link_map", GLOBAL_LINKS)
    built.enableStatistics(
        ["send_packet_count"], {"type": "sst.AccumulatorStatistic", "rate": "0ns"}, True
    )
    return built


def build() -> None:
    """Makes all routers, nodes and links."""
    for group in range(G):
        for local in range(A):
            number = group * A + local
            built = router(number)
            for host in range(P):
                name = f"terminal{number * P + host}"
                node(number * P + host).addLink(link(name), "rtr_port", latency("terminal"))
                built.addLink(link(name), f"port{host}", latency("terminal"))
            others = [other for other in range(A) if other != local]
            for port, other in enumerate(others, start=P):
                name = f"local{group}_{min(local, other)}_{max(local, other)}"
                built.addLink(link(name), f"port{port}", latency("local"))
            for port in range(H):
                index = GLOBAL_LINKS[local * H + port]
                if index >= 0:
                    far = index + 1 if index >= group else index
                    name = f"global{min(group, far)}_{max(group, far)}"
                    built.addLink(link(name), f"port{P + A - 1 + port}", latency("global"))


build()
sst.setStatisticLoadLevel(1)
sst.setStatisticOutput("sst.statOutputCSV", {"filepath": "statistics.csv", "separator": ","})
