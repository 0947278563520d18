"""CAMINOS: `Dragonfly` and the router `InputOutput`, one cycle per flit; tested with 0.6.3."""

from __future__ import annotations

from collections.abc import Set
from pathlib import Path

from compare.description import Description, NotComparable
from compare.process import Process
from compare.simulator import Moved, number

__all__ = ["Caminos"]

_SHORTEST = "WeighedShortest { class_weight: [10, 100] }"

#: The configuration of its routing and its number of virtual channels, by Pantala's routing.
_ROUTINGS = {
    "minimal": (f"AscendantChannelsWithLinkClass {{ bases: [1, 1], routing: {_SHORTEST} }}", 2),
    "ugal_n": (
        (
            "AscendantChannelsWithLinkClass { bases: [2, 2], routing: Sum { policy: Stubborn,"
            f" first_routing: {_SHORTEST}, second_routing: Valiant4Dragonfly {{ first: {_SHORTEST},"
            f" second: {_SHORTEST} }}, first_allowed_virtual_channels: [0, 1, 2, 3, 4],"
            " second_allowed_virtual_channels: [0, 1, 2, 3, 4], second_extra_label: 1 } }"
        ),
        5,
    ),
    "par": ("PAR", 5),
}

#: The choice of an output, by the flits in its buffer and, for ugal_n, the flits sent and not yet
#: credited. The sum counts twice for a non-minimal path. PAR does not count uncredited flits,
#: because it would then take almost no minimal path: after the first local hop it compares a global
#: link with 59 flits in flight with a local link.
_ADAPTIVE = """\
OccupancyFunction {{ label_coefficient: 30, occupancy_coefficient: 1,
				product_coefficient: 1, constant_coefficient: 0,
				aggregate: true, use_internal_space: true, use_neighbour_space: {sent} }},
			LowestLabel,
			"""

_CONFIGURATION = """\
Configuration
{{
	random_seed: {seed},
	warmup: 0,
	measured: {cycles},
	topology: Dragonfly
	{{
		global_ports_per_router: {h},
		servers_per_router: {p},
		group_size: {a},
		number_of_groups: {g},
		global_arrangement: Palmtree,
	}},
	traffic: HomogeneousTraffic
	{{
		pattern: Uniform,
		servers: {nodes},
		load: {load},
		message_size: {packet},
	}},
	maximum_packet_size: {packet},
	server_queue_size: 1000,
	router: InputOutput
	{{
		virtual_channels: {channels},
		virtual_channel_policies: [
			EnforceFlowControl,
			{adaptive}Random,
		],
		crossbar_delay: {router_delay},
		buffer_size: {input_buffer},
		output_buffer_size: {output_buffer},
		bubble: false,
		flit_size: {packet},
		intransit_priority: false,
		allow_request_busy_port: true,
		allocator: Random,
	}},
	routing: {routing},
	link_classes: [
		LinkClass {{ delay: {local_delay} }},
		LinkClass {{ delay: {global_delay} }},
		LinkClass {{ delay: {terminal_delay} }},
	],
}}
"""


def _policies(routing: str) -> str:
    """Returns the rule by which a router chooses among the outputs of a routing."""
    return (
        ""
        if routing == "minimal"
        else _ADAPTIVE.format(sent="true" if routing == "ugal_n" else "false")
    )


class Caminos:
    """CAMINOS."""

    key = "caminos"
    title = "CAMINOS"
    install = "cargo install caminos --locked --version 0.6.3"
    hops = (
        "its own statistics: phits over links between routers and phits consumed by nodes, by"
        " packet size"
    )
    statuses: Set[int] = frozenset({0})

    def differences(self, described: Description) -> list[str]:
        """Returns the differences: global link arrangement, crossbar and adaptive rules."""
        if described.routing not in _ROUTINGS:
            raise NotComparable(
                f"it has no routing '{described.routing}'; it has {', '.join(_ROUTINGS)}"
            )
        found = [
            "palmtree global link arrangement, not absolute",
            "its crossbar moves one flit per cycle and virtual channel, not four per port",
        ]
        if described.routing != "minimal":
            found.append(
                "its own rule: minimal up to twice the other queue plus 30 flits, ties at random"
            )
        return found

    def prepare(self, described: Description, directory: Path) -> list[str]:
        """Writes one configuration without a warm-up; its statistics cover the whole run."""
        routing, channels = _ROUTINGS[described.routing]
        text = _CONFIGURATION.format(
            seed=described.seed,
            cycles=self._cycles(described),
            p=described.p,
            a=described.a,
            h=described.h,
            g=described.g,
            nodes=described.nodes,
            load=described.load,
            packet=described.packet_flits,
            channels=channels,
            adaptive=_policies(described.routing),
            router_delay=described.cycles(described.input_latency_ps + described.output_latency_ps),
            input_buffer=described.input_buffer_flits,
            output_buffer=described.output_buffer_flits,
            routing=routing,
            local_delay=described.cycles(described.local_latency_ps),
            global_delay=described.cycles(described.global_latency_ps),
            terminal_delay=described.cycles(described.terminal_latency_ps),
        )
        (directory / "caminos.cfg").write_text(text, encoding="utf-8")
        return ["caminos.cfg"]

    def moved(self, described: Description, directory: Path, process: Process) -> Moved:
        """Returns packet-hops from the mean link utilization and the accepted throughput."""
        used = number(r"average_link_utilization\s*:\s*([\d.e+-]+)", process.output, self.title)
        accepted = number(r"accepted_load\s*:\s*([\d.e+-]+)", process.output, self.title)
        links = described.routers * (described.a - 1 + described.h)
        phits = (used * links + accepted * described.nodes) * self._cycles(described)
        return Moved(phits / described.packet_flits)

    def _cycles(self, described: Description) -> int:
        """Returns the simulated time in cycles."""
        return max(1, round(described.simulated_ps / described.flit_ps))
