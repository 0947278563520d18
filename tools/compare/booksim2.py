"""BookSim2: `dragonflynew` and the router `iq`, one cycle per flit.

The format of the output is from `TrafficManager::_DisplayStats` and `main.cpp` of
github.com/booksim/booksim2, master of 2017. The adapter was written from these sources and not
tested with the program.
"""

from __future__ import annotations

from collections.abc import Set
from pathlib import Path

from compare.description import Description, NotComparable
from compare.process import Process
from compare.simulator import Moved, number

__all__ = ["BookSim2"]

#: Samples per run. The first is the warm-up.
_SAMPLES = 20

#: Latency of local and global links in cycles (`dragonfly.cpp`, DRAGON_LATENCY).
_LOCAL, _GLOBAL = 10, 100

#: Its routing and number of virtual channels, by Pantala's routing.
_ROUTINGS = {"minimal": ("min", 2), "ugal_n": ("ugal", 3)}


class BookSim2:
    """BookSim2."""

    key = "booksim"
    title = "BookSim2"
    install = "not in a package registry: clone github.com/booksim/booksim2 and run 'make' in src"
    hops = (
        "computed: its rate of injected flits in 19 of 20 samples, used for all 20, times its mean"
        " hops (routers passed)"
    )
    #: It exits with 255 on success (`main.cpp`: `return result ? -1 : 0`).
    statuses: Set[int] = frozenset({0, 255})

    def differences(self, described: Description) -> list[str]:
        """Returns the differences: compiled-in link latencies, its own adaptive rule and others."""
        if (described.a, described.h, described.g) != (
            2 * described.p,
            described.p,
            2 * described.p * described.p + 1,
        ):
            raise NotComparable("its Dragonfly has a = 2p, h = p and g = a h + 1")
        if described.routing not in _ROUTINGS:
            raise NotComparable(
                f"it has no routing '{described.routing}'; it has {', '.join(_ROUTINGS)}"
            )
        local, over = (
            described.cycles(described.local_latency_ps),
            described.cycles(described.global_latency_ps),
        )
        found = [f"links of {_LOCAL} and {_GLOBAL} cycles, compiled in, not {local} and {over}"]
        found.append(
            "flits, not packets, hold buffers and cross links; output queues are unbounded"
        )
        if described.routing != "minimal":
            found.append("its own rule of ugal: minimal up to twice the other queue plus 30 flits")
        return found

    def prepare(self, described: Description, directory: Path) -> list[str]:
        """Writes one file of settings."""
        routing, channels = _ROUTINGS[described.routing]
        settings = {
            "topology": "dragonflynew",
            "k": described.p,
            "n": 1,
            "routing_function": routing,
            "num_vcs": channels,
            "vc_buf_size": described.input_buffer_flits,
            "internal_speedup": f"{described.crossbar_bandwidth / described.bandwidth:.1f}",
            "vc_allocator": "islip",
            "sw_allocator": "islip",
            "alloc_iters": 1,
            "traffic": "uniform",
            "packet_size": described.packet_flits,
            "injection_rate": described.load,
            "injection_rate_uses_flits": 1,
            # A threshold of 0 is never reached, so every sample is simulated.
            "sim_type": "throughput",
            "warmup_periods": 1,
            "sample_period": self._sample(described),
            "max_samples": _SAMPLES,
            "acc_stopping_thres": "0.0",
            "sim_count": 1,
            "seed": described.seed,
        }
        text = "".join(f"{key} = {value};\n" for key, value in settings.items())
        (directory / "booksim.cfg").write_text(text, encoding="utf-8")
        return ["booksim.cfg"]

    def moved(self, described: Description, directory: Path, process: Process) -> Moved:
        """Returns packet-hops from the rate of injected flits, because the network drains."""
        rate = number(r"^Injected flit rate average = (\S+)", process.output, self.title)
        hops = number(r"^Hops average = (\S+)", process.output, self.title)
        seconds = number(r"^Total run time (\S+)", process.output, self.title)
        cycles = _SAMPLES * self._sample(described)
        packets = rate * described.nodes * cycles / described.packet_flits
        return Moved(packets * hops, process.share_of_cpu(seconds))

    def _sample(self, described: Description) -> int:
        """Returns the cycles per sample."""
        return max(1, round(described.simulated_ps / described.flit_ps / _SAMPLES))
