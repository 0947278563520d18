"""CODES: dragonfly-dally with the synthetic driver, sequential.

The formats are from `model-net-synthetic-dragonfly-all.c`, `dragonfly-dally.cxx` and
`scripts/dragonfly-dally` of github.com/codes-org/codes, master of 2026, and from `core/tw-stats.c`
of github.com/ROSS-org/ROSS, 8.1. The adapter was written from these sources and not tested with the
program.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Set
from pathlib import Path

from compare.description import Description, NotComparable
from compare.process import Process
from compare.simulator import Moved, number

__all__ = ["Codes", "global_links", "local_links"]

#: Its routing, by Pantala's routing. Its `adaptive` (ugal) ends with an error.
_ROUTINGS = {"minimal": "minimal", "par": "prog-adaptive"}

#: CODES takes bandwidth in GiB/s.
_GIB = 1 << 30

_CONFIGURATION = """\
LPGROUPS
{{
   MODELNET_GRP
   {{
      repetitions="{routers}";
      nw-lp="{p}";
      modelnet_dragonfly_dally="{p}";
      modelnet_dragonfly_dally_router="1";
   }}
}}
PARAMS
{{
   modelnet_order=( "dragonfly_dally","dragonfly_dally_router" );
   modelnet_scheduler="fcfs";
   message_size="1024";
   packet_size="{packet}";
   chunk_size="{packet}";
   num_routers="{a}";
   num_groups="{g}";
   num_cns_per_router="{p}";
   num_global_channels="{h}";
   cn_bandwidth="{gib:.9f}";
   local_bandwidth="{gib:.9f}";
   global_bandwidth="{gib:.9f}";
   cn_delay="{terminal_ns}";
   local_delay="{local_ns}";
   global_delay="{global_ns}";
   router_delay="{router_ns}";
   cn_vc_size="{buffer}";
   local_vc_size="{buffer}";
   global_vc_size="{buffer}";
   intra-group-connections="intra";
   inter-group-connections="inter";
   routing="{routing}";
   adaptive_threshold="0";
   route_scoring_metric="delta";
}}
"""


def local_links(described: Description) -> Iterator[bytes]:
    """Yields the links inside a group in CODES' format.

    A link is three 32-bit integers: two routers of the group and a type.
    """
    for source in range(described.a):
        for target in range(described.a):
            if target != source:
                yield struct.pack("=3i", source, target, 0)


def global_links(described: Description) -> Iterator[bytes]:
    """Yields the links between groups in CODES' format.

    A link is two 32-bit integers: two routers of the machine.
    """
    for group in range(described.g):
        for index in range(described.a * described.h):
            other = described.global_peer(group, index)
            if other is None:
                continue
            back = group if group < other else group - 1
            source = group * described.a + index // described.h
            target = other * described.a + back // described.h
            yield struct.pack("=2i", source, target)


class Codes:
    """CODES."""

    key = "codes"
    title = "CODES"
    install = (
        "not in a package registry: build github.com/ROSS-org/ROSS and github.com/codes-org/codes; "
        "give the path of model-net-synthetic-dragonfly-all"
    )
    hops = (
        "its own statistics: finished chunks (one per packet) times their mean hops (routers"
        " passed)"
    )
    statuses: Set[int] = frozenset({0})

    def differences(self, described: Description) -> list[str]:
        """Returns the differences: no crossbar, no output buffers, and others."""
        if described.routing not in _ROUTINGS:
            raise NotComparable(
                f"it has no routing '{described.routing}'; it has {', '.join(_ROUTINGS)}"
            )
        return [
            "store-and-forward of whole packets, without crossbar and output buffers",
            (
                "every node sends a fixed number of packets at exponential intervals, then the"
                " network drains"
            ),
            "4 virtual channels, each with the whole input buffer",
        ]

    def prepare(self, described: Description, directory: Path) -> list[str]:
        """Writes a configuration and two binary files of links."""
        text = _CONFIGURATION.format(
            routers=described.routers,
            p=described.p,
            a=described.a,
            h=described.h,
            g=described.g,
            packet=described.packet_bytes,
            gib=described.bandwidth / _GIB,
            terminal_ns=described.terminal_latency_ps / 1_000,
            local_ns=described.local_latency_ps / 1_000,
            global_ns=described.global_latency_ps / 1_000,
            router_ns=(described.input_latency_ps + described.output_latency_ps) / 1_000,
            buffer=described.input_buffer_flits * described.flit_bytes,
            routing=_ROUTINGS[described.routing],
        )
        (directory / "network.conf").write_text(text, encoding="utf-8")
        (directory / "intra").write_bytes(b"".join(local_links(described)))
        (directory / "inter").write_bytes(b"".join(global_links(described)))
        interval_ns = described.packet_bytes * 1e9 / (described.load * described.bandwidth)
        return [
            "--sync=1",
            "--traffic=1",
            f"--num_messages={max(1, round(described.simulated_ns / interval_ns))}",
            f"--payload_sz={described.packet_bytes}",
            f"--arrival_time={interval_ns:.4f}",
            "--",
            "network.conf",
        ]

    def moved(self, described: Description, directory: Path, process: Process) -> Moved:
        """Returns chunks times hops from its report, and the running time of ROSS."""
        hops = number(r"Average number of hops traversed (\S+)", process.output, self.title)
        chunks = number(r"finished chunks (\d+)", process.output, self.title)
        seconds = number(r": Running Time = (\S+) seconds", process.output, self.title)
        return Moved(chunks * hops, process.share_of_cpu(seconds))
