"""SST: merlin's Dragonfly under its offered load, upstream or the fork of SC 2022.

The formats are `sst --print-timing-info` of sst-core 11 to 15 ("Build time", then "Simulation time"
or "Run loop time") and its CSV of statistics. The adapter was written from their sources and
documentation and not tested with the program.
"""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Mapping, Set
from pathlib import Path
from typing import Any

from compare.description import Description, NotComparable
from compare.process import Failed, Process
from compare.simulator import Moved, number

__all__ = ["SC22", "Sst"]

_SCRIPT = Path(__file__).with_name("sst_network.py")
_STATISTICS = "statistics.csv"


class Sst:
    """SST with upstream's merlin."""

    key = "sst"
    title = "SST"
    install = (
        "not in a package registry: build github.com/sstsimulator/sst-core and sst-elements; give"
        " the path of 'sst'"
    )
    hops = "its own statistics: send_packet_count of all router ports"
    statuses: Set[int] = frozenset({0})
    #: Its routing, by Pantala's routing.
    routings: Mapping[str, str] = {"minimal": "minimal", "ugal_n": "ugal"}
    #: Additional parameters of the network interfaces.
    interface: Mapping[str, Any] = {}

    def differences(self, described: Description) -> list[str]:
        """Returns the differences: fixed send intervals, packets that arrive with their head."""
        if described.routing not in self.routings:
            raise NotComparable(
                f"it has no routing '{described.routing}'; it has {', '.join(self.routings)}"
            )
        found = [
            "every node sends at a fixed interval, all in phase",
            "a packet arrives with its head, not its tail",
        ]
        if self.routings[described.routing] == "ugal":
            found.append(
                "its own rule of ugal: the queue of one virtual channel, a bias of 50 flits"
            )
        return found

    def routing_parameters(self, described: Description) -> dict[str, Any]:
        """Returns additional parameters of the topology, which makes the routing decisions."""
        return {}

    def prepare(self, described: Description, directory: Path) -> list[str]:
        """Writes the script of the network and the description that it reads."""
        shutil.copyfile(_SCRIPT, directory / _SCRIPT.name)
        machine = described.as_dict()
        machine |= {
            "algorithm": self.routings[described.routing],
            "interface": dict(self.interface),
            "routing_parameters": self.routing_parameters(described),
        }
        (directory / "machine.json").write_text(json.dumps(machine, indent=1), encoding="utf-8")
        return ["--print-timing-info", _SCRIPT.name]

    def moved(self, described: Description, directory: Path, process: Process) -> Moved:
        """Returns the packets that router ports sent, and the time that SST prints."""
        return self.counted(directory, process)

    def counted(self, directory: Path, process: Process) -> Moved:
        """Returns the packets that router ports sent, and the time that SST prints.

        Raises:
            Failed: the output or the statistics do not contain it.
        """
        seconds = number(
            r"(?:Run loop|Run stage|Simulation) [Tt]ime:\s+(\S+) seconds",
            process.output,
            self.title,
        )
        return Moved(self._sent(directory / _STATISTICS), process.share_of_cpu(seconds))

    def _sent(self, statistics: Path) -> int:
        """Returns the sum of send_packet_count over all ports.

        sst-core 11.1 reports some routers in one row without a name of a component. It counts too.
        """
        if not statistics.is_file():
            raise Failed(f"{self.title} wrote no {statistics.name}")
        with statistics.open(encoding="utf-8", newline="") as text:
            rows = csv.DictReader(text, skipinitialspace=True)
            sent = [
                int(row["Sum.u64"]) for row in rows if row["StatisticName"] == "send_packet_count"
            ]
        if not sent:
            raise Failed(
                f"{self.title} counted no packets: {statistics.name} has no send_packet_count"
            )
        return sum(sent)


class SC22(Sst):
    """SST with the merlin of Kang et al., SC 2022."""

    key = "sst_sc22"
    title = "SST, fork of SC 2022"
    install = (
        "build github.com/SPEAR-IIT/sst-elements, branch df_interference_rl, on its own sst-core"
        " 11.1"
    )
    routings: Mapping[str, str] = {
        "minimal": "minimal",
        "ugal_n": "ugal-4vc",
        "par": "par",
        "q_adaptive": "q-adaptive",
    }
    # With the default level the fork writes a line per packet to a file.
    interface: Mapping[str, Any] = {"io_level": 0}

    def routing_parameters(self, described: Description) -> dict[str, Any]:
        """Returns the learning parameters of q_adaptive; the fork's own defaults differ.

        Estimates start from the link latencies. Source routers and the first routers of
        intermediate groups decide; other routers route minimally.
        """
        if described.routing != "q_adaptive":
            return {}
        learning = described.q_adaptive
        return {
            "link_lat_local": f"{described.local_latency_ps}ps",
            "link_lat_global": f"{described.global_latency_ps}ps",
            "qtable_row_type": "destG_srcN",
            "src_mid_group_q": True,
            "max_hops": 1,
            "learning_rate": learning["learning_rate_down"],
            "learning_rate2": learning["learning_rate_up"],
            "epsilon": learning["exploration"],
            "q_threshold1": learning["threshold_source"],
            "q_threshold2": learning["threshold_intermediate"],
        }
