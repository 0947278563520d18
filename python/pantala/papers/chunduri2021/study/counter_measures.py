"""The measures of stalls, flits and latencies: arrays over seeds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np
import polars as pl

from pantala.metrics.samples import PERCENTILES, percentiles
from pantala.papers.chunduri2021.study.samples import (
    STEADY_NS,
    classes,
    job_times,
    links_of_targets,
    mean_by_seed,
    saving,
    tiles,
    under_all,
    without_outliers,
)
from pantala.run_tables.exact_sums import exact_sum
from pantala.studies.evidence import Evidence

Measures = Mapping[str, np.ndarray]
Measure = Callable[[Evidence], Measures]

NETWORK = ("row", "column", "global")
PROCESSOR = ("injection", "ejection")
_MODES = ("AD0", "AD3")
#: The four kinds of tiles, by the link classes that each has.
_TILES = {**{name: (name,) for name in NETWORK}, "processor": PROCESSOR}
#: The numbers of groups that jobs span both in production and in ensembles, by placement.
_SPANS = {"compact": (1, 2), "dispersed": (12,)}
#: Steps of a flit in sums. Flits of tiles are a time over the time of one flit, no whole numbers.
_STEPS = 1_000_000


def sums(
    e: Evidence, rows: pl.DataFrame, mode: str, among: tuple[str, ...]
) -> dict[str, np.ndarray]:
    """Returns stalls, flits and their ratio under a mode, by seed.

    Only placements that have runs under AD0 and AD3 count.

    Args:
        e: the evidence.
        rows: rows of `classes` or `tiles`.
        mode: the mode.
        among: the link classes.
    """
    if rows.is_empty():
        none = np.full(len(e.seeds), np.nan)
        return {"stalls": none, "flits": none, "ratio": none}
    chosen = pl.col("mode") == mode, pl.col("class").is_in(among)
    own = under_all(rows, _MODES).filter(*chosen)
    found = own.group_by("seed").agg(exact_sum("stalls", _STEPS), exact_sum("flits", _STEPS))
    found = found.with_columns(ratio=pl.col("stalls") / pl.col("flits"))
    return {name: mean_by_seed(e, found, name) for name in ("stalls", "flits", "ratio")}


def on_own_routers(e: Evidence) -> Measures:
    """Returns what AD3 saves of stalls and of their ratio on the routers of MILC, by class."""
    rows = links_of_targets(e, "production_milc", {"application": "milc"})
    found = {}
    for name in NETWORK:
        first, second = (sums(e, rows, mode, (name,)) for mode in _MODES)
        found[f"{name}_stalls_saving"] = saving(first["stalls"], second["stalls"])
        found[f"{name}_ratio_saving"] = saving(first["ratio"], second["ratio"])
    return found


def on_processor_tiles(e: Evidence) -> Measures:
    """Returns how the stalls of requests and responses change on MILC's processor tiles."""
    axes = ["application", "mode", "placement"]
    where = {"application": "milc"}
    links = links_of_targets(e, "production_milc", where)
    columns = [*axes, "link", "kind", "stall_ns"]
    rows = e.chosen("production_milc", "port_windows", columns, where)
    found: dict[str, list[np.ndarray]] = {"request": [], "response": []}
    if links.is_empty() or rows.is_empty():
        none = np.full(len(e.seeds), np.nan)
        return {"request_increase": none, "response_change": none}
    keys = ["seed", *axes, "link"]
    own = under_all(rows.join(links.select(keys), keys, how="semi"), _MODES)
    for kind, values in found.items():
        for mode in _MODES:
            chosen = own.filter(pl.col("kind") == kind, pl.col("mode") == mode)
            total = chosen.group_by("seed").agg(exact_sum("stall_ns"))
            values.append(mean_by_seed(e, total, "stall_ns"))
    return {
        "request_increase": -saving(*found["request"]),
        "response_change": -saving(*found["response"]),
    }


def less_stalled(e: Evidence) -> Measures:
    """Returns AD0's stalls-to-flits ratio on network tiles over AD3's, of eight jobs of MILC."""
    rows = classes(e, "large", {"application": "milc"})
    first, second = (sums(e, rows, mode, NETWORK) for mode in _MODES)
    ratio = first["ratio"] / second["ratio"]
    return {
        "ratio": ratio,
        "gain": ratio - 1,
        "stalls_saving": saving(first["stalls"], second["stalls"]),
        "flits_saving": saving(first["flits"], second["flits"]),
    }


def less_stalls(e: Evidence) -> Measures:
    """Returns what AD3 saves of the stalls of each kind of tile, of eight jobs of MILC."""
    return _saved_by_tile(e, classes(e, "large", {"application": "milc"}), "stalls", _TILES)


def fewer_flits(e: Evidence) -> Measures:
    """Returns what AD3 saves of the flits of each network tile, of eight jobs of MILC."""
    return _saved_by_tile(e, classes(e, "large", {"application": "milc"}), "flits", NETWORK)


def more_flits(e: Evidence) -> Measures:
    """Returns how much more flits AD3 sends over each kind of tile, of HACC in ensembles."""
    saved = _saved_by_tile(e, tiles(e, "tiles", {"application": "hacc"}), "flits", _TILES)
    return {name.replace("saving", "increase"): -each for name, each in saved.items()}


def _saved_by_tile(
    e: Evidence, rows: pl.DataFrame, value: str, kinds: Iterable[str]
) -> dict[str, np.ndarray]:
    return {
        f"{name}_saving": saving(*(sums(e, rows, mode, _TILES[name])[value] for mode in _MODES))
        for name in kinds
    }


def beside_others(e: Evidence) -> Measures:
    """Returns the median ratio on tiles of MILC's routers in production less that in ensembles.

    Jobs that span as many groups are compared: compact jobs span one or two, dispersed jobs all.
    """
    found = {}
    for placement, spans in _SPANS.items():
        together = [_median_ratio(e, "tiles", placement, span) for span in spans]
        produced = [_median_ratio(e, "production_milc", f"{span} groups", span) for span in spans]
        medians = {"production": np.mean(produced, axis=0), "ensembles": np.mean(together, axis=0)}
        found[f"{placement}_difference"] = medians["production"] - medians["ensembles"]
        found |= {f"{placement}_{name}": each for name, each in medians.items()}
    return found


def _median_ratio(e: Evidence, experiment: str, placement: str, groups: int) -> np.ndarray:
    """Returns the median ratio on network tiles of MILC's jobs of so many groups under AD3."""
    where = {"application": "milc", "mode": "AD3", "placement": placement}
    rows = links_of_targets(e, experiment, where, groups)
    if not rows.is_empty():
        used = rows.filter(pl.col("class").is_in(NETWORK), pl.col("flits") > 0)
        rows = used.group_by("seed").agg(ratio=(pl.col("stalls") / pl.col("flits")).median())
    return mean_by_seed(e, rows, "ratio")


def peaks(e: Evidence) -> dict[str, np.ndarray]:
    """Returns how AD3 changes HACC's stalls in ensembles: rank-3 peaks and processor tiles."""
    rows = under_all(tiles(e, "tiles", {"application": "hacc"}), _MODES)
    high, processor = [], []
    for mode in _MODES:
        own = rows
        if not rows.is_empty():
            of_class = rows.filter(pl.col("class") == "global", pl.col("mode") == mode)
            own = of_class.group_by("seed", "placement").agg(
                peak=pl.col("stalls").max() / pl.col("stalls").mean()
            )
        high.append(mean_by_seed(e, own, "peak"))
        processor.append(sums(e, rows, mode, PROCESSOR)["stalls"])
    return {"peak_increase": -saving(*high), "processor_increase": -saving(*processor)}


def hacc_in_production(e: Evidence) -> Measures:
    """Returns how AD3 lengthens HACC's runs in production, and its peaks in ensembles."""
    rows = under_all(job_times(e, "production", {"application": "hacc"}), _MODES)
    rows = without_outliers(rows, ["application", "mode"])
    times = [
        mean_by_seed(e, rows if rows.is_empty() else rows.filter(pl.col("mode") == mode), "run_ns")
        for mode in _MODES
    ]
    return {"runtime_increase": -saving(*times), "peak_increase": peaks(e)["peak_increase"]}


def default_on_theta(e: Evidence) -> Measures:
    """Returns what the new default saves of stalls and of their ratio to flits on network tiles.

    Windows count from the end of the warm-up.
    """
    rows = classes(e, "default_theta", {}, STEADY_NS)
    first, second = (sums(e, rows, mode, NETWORK) for mode in _MODES)
    injected = [sums(e, rows, mode, ("injection",))["flits"] for mode in _MODES]
    return {
        "stalls_saving": saving(first["stalls"], second["stalls"]),
        "ratio_saving": saving(first["ratio"], second["ratio"]),
        "injected_change": -saving(*injected),
        "flits_saving": saving(first["flits"], second["flits"]),
    }


def default_on_cori(e: Evidence) -> Measures:
    """Returns what the new default saves of each percentile of the NICs' mean latencies.

    Windows count from the end of the warm-up.
    """
    rows = e.chosen("default_cori", "nic_windows", ["mode", "window_start_ns", _LATENCY], {})
    if not rows.is_empty():
        rows = rows.filter(pl.col("window_start_ns") >= STEADY_NS)
    found: dict[str, list[np.ndarray]] = {_name(share): [] for share in PERCENTILES}
    for mode in _MODES:
        values = np.full((len(PERCENTILES), len(e.seeds)), np.nan)
        for place, seed in enumerate(e.seeds):
            if rows.is_empty():
                continue
            own = rows.filter(pl.col("mode") == mode, pl.col("seed") == seed)[_LATENCY]
            if len(own):
                values[:, place] = list(percentiles(own.to_list()).values())
        for name, row in zip(found, values, strict=True):
            found[name].append(row)
    savings = {f"{name}_saving": saving(*pair) for name, pair in found.items()}
    return {"least_saving": np.min(list(savings.values()), axis=0), **savings}


_LATENCY = "request_response_latency_mean_ns"


def _name(share: float) -> str:
    return f"p{share:g}".replace(".", "_")


COUNTER_MEASURES: Mapping[str, Measure] = {
    "CHUN-4A-09": on_own_routers,
    "CHUN-4A-10": on_processor_tiles,
    "CHUN-4C-01": hacc_in_production,
    "CHUN-5A-01": less_stalls,
    "CHUN-5A-02": less_stalled,
    "CHUN-5A-03": fewer_flits,
    "CHUN-5A-06": beside_others,
    "CHUN-5B-02": more_flits,
    "CHUN-5B-03": peaks,
    "CHUN-5C-01": default_on_theta,
    "CHUN-5D-01": default_on_cori,
}
