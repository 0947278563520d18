"""The comparison with SST: its measurements beside `pantala curve --preset sst_sc22`, simulated when asked for."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REFERENCE = Path(__file__).parents[2] / "tests" / "python" / "data" / "sst_sc22.csv"

_SPACE = "\N{NO-BREAK SPACE}"
_HEADINGS = ("routing", "pattern", "load", "accepted", "differs", "mean, ns", "differs", "p99, ns", "links")


@dataclass(frozen=True)
class Point:
    """One operating point: what SST measured, and what Pantala does. Numbers by the keys of `pantala curve`."""

    routing: str
    pattern: str
    load: float
    theirs: dict[str, float]
    ours: dict[str, Any]

    @property
    def name(self) -> str:
        """``minimal-uniform-0.5``."""
        return f"{self.routing}-{self.pattern}-{self.load:g}"

    def error(self, key: str) -> float:
        """How far ours is from theirs, as a share of theirs."""
        return float(self.ours[key]) / self.theirs[key] - 1


def reference() -> list[dict[str, str]]:
    """The rows of the reference file."""
    with REFERENCE.open(encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def compare() -> Iterator[Point]:
    """Every operating point of the reference file, simulated with the preset as it is, one after the other."""
    from pantala import curve

    keys = {"link_hops": "link_hops_mean"}
    for row in reference():
        routing, pattern, load = row["routing"], row["pattern"], float(row["load"])
        theirs = {
            keys.get(key, key): float(row[key])
            for key in ("accepted", "latency_mean_ns", "latency_p50_ns", "latency_p99_ns", "link_hops")
        }
        (ours,) = curve(preset="sst_sc22", routing=routing, pattern=pattern, loads=[load])
        yield Point(routing, pattern, load, theirs, dict(ours))


def table(points: list[Point]) -> str:
    """Theirs / ours, and by how much the two that matter most differ, as Markdown."""
    lines = [_HEADINGS, ("---", "---", *["---:"] * 7)]
    for point in points:
        lines.append(
            (
                f"`{point.routing}`",
                f"`{point.pattern}`",
                f"{point.load:g}",
                _pair(point, "accepted", 3),
                _percent(point, "accepted"),
                _pair(point, "latency_mean_ns", 0),
                _percent(point, "latency_mean_ns"),
                _pair(point, "latency_p99_ns", 0),
                _pair(point, "link_hops_mean", 2),
            )
        )
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def summary(points: list[Point]) -> str:
    """The largest difference, in a sentence."""
    worst = {key: max(abs(point.error(key)) for point in points) for key in ("accepted", "latency_mean_ns")}
    return (
        f"Over these {len(points)} points, accepted load differs by at most {100 * worst['accepted']:.1f} % and mean "
        f"latency by at most {100 * worst['latency_mean_ns']:.1f} %."
    )


def _pair(point: Point, key: str, decimals: int) -> str:
    return f"{point.theirs[key]:,.{decimals}f}{_SPACE}/{_SPACE}{point.ours[key]:,.{decimals}f}"


def _percent(point: Point, key: str) -> str:
    return f"{100 * point.error(key):+.1f}{_SPACE}%"


def page() -> str:
    """What the validation page includes; without the compiled core, a line that says why there is no table."""
    from importlib.util import find_spec

    if find_spec("pantala._core") is None:
        return "The core was not built when this page was made, so the table is missing; `make docs` builds it.\n"
    points = list(compare())
    words = "Pairs are SST / Pantala; *links* are those between routers, the mean over packets."
    return f"{words}\n\n{table(points)}\n\n{summary(points)}\n"


def write_page(app: Any) -> None:
    """Write the table into the source directory; what has not changed stays untouched."""
    path = Path(app.srcdir) / "explanation" / "made-validation.md"
    text = page()
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def setup(app: Any) -> dict[str, Any]:
    """Sphinx asks for this."""
    app.connect("builder-inited", write_page)
    return {"parallel_read_safe": True}
