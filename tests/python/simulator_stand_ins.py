"""Stand-ins for the programs of other simulators."""

from __future__ import annotations

import sys
from collections.abc import Set
from pathlib import Path

from compare.description import Description
from compare.process import Failed, Process
from compare.simulator import Moved

__all__ = [
    "BOOKSIM",
    "CAMINOS",
    "CODES",
    "SST",
    "Standing",
    "fork",
    "program",
    "sst_with_ember",
]

#: Programs that check their arguments and files, and print what the simulators print.
BOOKSIM = """\
import re, sys
assert sys.argv[1:] == ["booksim.cfg"]
settings = dict(re.findall(r"(\\w+) = (\\S+);", open("booksim.cfg").read()))
asked = (settings["topology"], settings["k"], settings["routing_function"])
assert asked == ("dragonflynew", "2", "min")
print("====== Overall Traffic Statistics ======\\n====== Traffic class 0 ======")
print("Injected flit rate average = 0.5 (1 samples)")
print("Hops average = 3.25 (1 samples)\\nTotal run time 0.01")
sys.exit(255)
"""
CODES = """\
import os, sys
assert sys.argv[1:3] == ["--sync=1", "--traffic=1"] and sys.argv[-2:] == ["--", "network.conf"]
assert 'intra-group-connections="intra"' in open("network.conf").read()
assert (os.path.getsize("intra"), os.path.getsize("inter")) == (4 * 3 * 12, 9 * 8 * 8)
print("\\n\\t: Running Time = 0.0100 seconds\\n")
print("Average number of hops traversed 3.250000 average chunk latency 0.6 us "
      "maximum chunk latency 2.0 us avg message size 512.0 bytes "
      "finished messages 18000 finished chunks 18000")
"""
SST = """\
import json, sys
assert sys.argv[1:] == ["--print-timing-info", "sst_network.py"]
assert json.load(open("machine.json"))["algorithm"] == "minimal" and open("sst_network.py").read()
with open("statistics.csv", "w") as text:
    print("ComponentName,StatisticName,StatisticSubId,StatisticType,SimTime,Rank,Sum.u64",
          file=text)
    print("router0,send_packet_count,port0,Accumulator,1,0,58500", file=text)
print("Simulation Timing Information (Wall Clock Times):")
print("  Run loop time:                   0.010000 seconds")
"""
CAMINOS = """\
import sys
assert sys.argv[1:] == ["caminos.cfg"] and "Dragonfly" in open("caminos.cfg").read()
print("Result\\n{\\n\\taccepted_load:\\n\\t0.5,\\n\\taverage_link_utilization:\\n\\t0.25,\\n}")
"""


def program(directory: Path, text: str, name: str = "program") -> str:
    """Writes a Python script as an executable and returns its path."""
    path = directory / name
    path.write_text(f"#!{sys.executable}\n{text}", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


class Standing:
    """A simulator that does nothing."""

    install = "it cannot be installed"
    hops = "made up"
    statuses: Set[int] = frozenset({0})

    def __init__(self, key: str, hops: float | None) -> None:
        self.key, self.title, self.moves, self.seen = (
            key,
            key.capitalize(),
            hops,
            list[Description](),
        )

    def differences(self, described: Description) -> list[str]:
        return ["it stands still"]

    def prepare(self, described: Description, directory: Path) -> list[str]:
        self.seen.append(described)
        return []

    def moved(self, described: Description, directory: Path, process: Process) -> Moved:
        if self.moves is None:
            raise Failed("it moved nothing")
        return Moved(self.moves)


#: Stand-ins for the scripts of the fork: they record what they are given.
_PLATFORM = """\
netConfig = {"shape": "2:4:1:9"}
networkParams = {"packetSize": "128B", "link_bw": "4GB/s"}
nicParams = {"packetSize": "128B", "rxMatchDelay_ns": "as shipped"}
"""
_EMBER_LOAD = """\
import json, sys
import loadFileParse
options = dict(option.removeprefix("--").split("=", 1) for option in sys.argv[1:])
platform = __import__(options["platform"] + "Params")
motifs = [
    line.split()[1] for line in open(options["loadFile"]) if line.startswith("[MOTIF]")
]
with open("seen.json", "w") as text:
    network = platform.netConfig | platform.networkParams
    nic = {"nic": platform.nicParams["packetSize"], "host": platform.nicParams["rxMatchDelay_ns"]}
    json.dump(network | nic | {"options": options, "motifs": motifs}, text)
"""


def fork(directory: Path) -> Path:
    """Writes a checkout of SST's fork with stand-ins for its scripts; returns the directory."""
    config = directory / "tests" / "config"
    ember = directory / "src" / "sst" / "elements" / "ember" / "test"
    config.mkdir(parents=True)
    ember.mkdir(parents=True)
    (config / "platform_df1056Params.py").write_text(_PLATFORM, encoding="utf-8")
    (config / "emberLoad_df1056.py").write_text(_EMBER_LOAD, encoding="utf-8")
    (ember / "loadFileParse.py").write_text("", encoding="utf-8")
    return directory


def sst_with_ember(simulated: str) -> str:
    """Returns the text of a program that runs the script of a load file as SST does."""
    return f"""\
import runpy, sys
assert sys.argv[1:] == ["--print-timing-info", "sst_ember.py"]
runpy.run_path("sst_ember.py", run_name="__main__")
with open("statistics.csv", "w") as text:
    print("ComponentName, StatisticName, StatisticSubId, Sum.u64", file=text)
    print("rtr.0, send_packet_count, port0, 4199000", file=text)
    print(", send_packet_count, , 1000", file=text)
    print("rtr.0, send_bit_count, port0, 9", file=text)
print("Simulation is complete, simulated time: {simulated}")
print("  Run loop time:                   0.010000 seconds")
"""
