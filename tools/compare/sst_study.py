"""SST's fork of SC 2022 with a load file of Ember.

The adapter runs the fork's own `emberLoad_df1056.py`. It was written from the fork's sources and
not tested with the program.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

from compare.ember import LOAD_FILE, Study
from compare.process import Failed, Process, run
from compare.sst import SC22
from compare.study_runs import StudyRun

__all__ = ["SOURCES", "SstStudy"]

_SCRIPT = Path(__file__).with_name("sst_ember.py")
_STATISTICS = "statistics.csv"

#: A file of the fork's sources.
SOURCES = Path("tests", "config", "emberLoad_df1056.py")

#: Units of simulated time, as SST prints them, in microseconds.
_UNITS = {"ps": 1e-6, "ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6, "ks": 1e9}


class SstStudy:
    """SST with firefly and merlin of the fork.

    Attributes:
        sources: the checkout of the fork, whose scripts build the network.
    """

    key = SC22.key
    title = SC22.title
    simulator = SC22()

    def __init__(self, sources: Path) -> None:
        self.sources = sources

    def prepare(self, study: Study, directory: Path) -> list[str]:
        """Writes the load file, the script and its parameters; returns SST's arguments."""
        study.write(directory)
        shutil.copyfile(_SCRIPT, directory / _SCRIPT.name)
        learning = study.learning
        options = {
            "loadFile": LOAD_FILE,
            "platform": "study",
            "topo": "dragonfly",
            "algoRting": self.simulator.routings[study.routing],
            "stats_startat": "0us",
            "numVNs": 1,
            "smallCollectiveVN": -1,
            "smallCollectiveSize": -1,
            "qlr1": learning["learning_rate_down"],
            "qlr2": learning["learning_rate_up"],
            "explore": learning["exploration"],
            "qthld1": learning["threshold_source"],
            "qthld2": learning["threshold_intermediate"],
            "qtable_path": "",
            # With its default level the fork writes a line per packet to a file.
            "io_level": 0,
            "io_thld": 0,
            "statsFile": _STATISTICS,
        }
        document = {
            "sources": str(self.sources),
            "topology": study.topology,
            "network": study.network,
            "options": [f"--{key}={value}" for key, value in options.items()],
        }
        (directory / "study.json").write_text(json.dumps(document, indent=1), encoding="utf-8")
        return ["--print-timing-info", _SCRIPT.name]

    def run(self, path: str, study: Study, directory: Path, timeout: float) -> StudyRun:
        """Runs SST; returns the result, read from its output and its statistics.

        Raises:
            Failed: SST fails, or its output has no such number.
        """
        process = run([path, *self.prepare(study, directory)], directory, timeout)
        return self.read(directory, process)

    def read(self, directory: Path, process: Process) -> StudyRun:
        """Returns the result of a run that ended."""
        moved = self.simulator.counted(directory, process)
        assert moved.network_cpu_seconds is not None
        return StudyRun(
            packet_hops=moved.packet_hops,
            simulated_us=_simulated_us(process.output),
            cpu_seconds=process.cpu_seconds,
            simulation_cpu_seconds=moved.network_cpu_seconds,
            report_cpu_seconds=None,
        )


def _simulated_us(output: str) -> float:
    """Returns the simulated time that SST prints at its end, in microseconds.

    Raises:
        Failed: the output has no such line.
    """
    found = re.findall(rf"simulated time: ([0-9.]+) ({'|'.join(_UNITS)})\b", output)
    if not found:
        raise Failed(f"{SC22.title} printed no 'simulated time: NUMBER UNIT'")
    value, unit = found[-1]
    return float(value) * _UNITS[unit]
