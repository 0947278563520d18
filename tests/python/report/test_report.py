"""The report: agreement with the tables, one file, and pages of runs with missing tables."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import polars as pl
import pytest

from pantala import figures
from pantala.analysis.slowdown import SLOWDOWN_COLUMNS
from pantala.experiments.experiment import Experiment
from pantala.report.finding import finding, finding_of, hottest_sentence
from pantala.report.reported_run import ReportedRun
from pantala.report.run_report import render_report, write_report
from pantala.report.summary_cards import tiles
from pantala.report.tables import communication_table, latency_table
from pantala.results.run import Run
from small_runs import small_interference, small_run
from support import Ended, one_line

pytestmark = pytest.mark.native


class Page(HTMLParser):
    """A parsed page: its tables, ids, links and text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.references: list[str] = []
        self.tables: list[list[list[str]]] = []
        self.captions: list[str] = []
        self.values: list[list[float]] = []
        self.drawings: list[str] = []
        self._inside: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self._inside.append(tag)
        if given.get("id"):
            self.ids.append(given["id"] or "")
        self.references += [
            value or "" for name, value in attrs if name in {"href", "src", "srcset", "xlink:href"}
        ]
        if tag == "table":
            self.tables.append([])
            self.values.append([])
            self.captions.append("")
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in {"td", "th"}:
            self.tables[-1][-1].append("")
        elif tag == "data":
            self.values[-1].append(float(given["value"] or "nan"))
        elif tag == "svg":
            self.drawings.append(given.get("aria-label") or "")

    def handle_endtag(self, tag: str) -> None:
        while self._inside and self._inside.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if "caption" in self._inside:
            self.captions[-1] += data
        elif "td" in self._inside or "th" in self._inside:
            self.tables[-1][-1][-1] += data

    def values_of(self, caption: str) -> list[float]:
        return self.values[self._find(caption)]

    def rows_of(self, caption: str) -> list[list[str]]:
        return self.tables[self._find(caption)]

    def _find(self, caption: str) -> int:
        return next(number for number, text in enumerate(self.captions) if text.startswith(caption))


@pytest.fixture(scope="module")
def experiment(tmp_path_factory: pytest.TempPathFactory) -> Experiment:
    return small_interference(tmp_path_factory.mktemp("experiment"))


@pytest.fixture(scope="module")
def text(experiment: Experiment) -> str:
    return render_report(experiment)


@pytest.fixture(scope="module")
def page(text: str) -> Page:
    return Page(text)


def edited(directory: Path, edit: Callable[[dict[str, Any]], None]) -> Run:
    """Returns a run whose run.json is changed by `edit`."""
    small_run(directory)
    document = json.loads((directory / "run.json").read_text())
    edit(document)
    (directory / "run.json").write_text(json.dumps(document))
    return Run(directory)


@pytest.mark.slow
def test_communication_times_agree_with_the_slowdown_table(
    experiment: Experiment, page: Page
) -> None:
    expected = []
    for row in experiment.slowdown.collect().to_dicts():
        expected += [row["slowdown"], row["run_time_slowdown"]]
        for part in ("alone", "together"):
            expected += [
                row[f"{part}_communication_time_{key}_ns"] for key in ("mean", "std", "max")
            ]
    assert page.values_of("Communication time of a rank") == expected


def test_latencies_agree_with_the_jobs_tables(experiment: Experiment, page: Page) -> None:
    def shown(row: dict[str, Any]) -> list[float]:
        mean, network = row["packet_latency_mean_ns"], row["network_latency_mean_ns"]
        packets = [row[f"packet_latency_{key}_ns"] for key in ("p50", "p95", "p99")]
        messages = [row[f"message_latency_{key}_ns"] for key in ("mean", "p99")]
        return [mean, mean - network, network, *packets, *messages]

    expected = []
    for number, run in enumerate(experiment.alone.values()):
        alone = run.jobs.collect().row(0, named=True)
        both = experiment.together.jobs.collect().row(number, named=True)
        keys = ("packet_latency_mean_ns", "packet_latency_p99_ns")
        expected += [*shown(alone), *(both[key] / alone[key] for key in keys), *shown(both)]
    assert page.values_of("Packet latency") == pytest.approx(expected, rel=1e-12)


def test_shown_numbers_are_rounded_exact_numbers(experiment: Experiment, page: Page) -> None:
    mean = experiment.slowdown.collect()["alone_communication_time_mean_ns"][0]
    assert page.rows_of("Communication time of a rank, µs")[1][3] == f"{mean / 1000:.2f}"


def test_hottest_links_are_sorted_with_both_ends_and_shares(
    experiment: Experiment, page: Page
) -> None:
    loads = figures.link_loads(experiment.together).links.sort("utilization", descending=True)
    first = loads.row(0, named=True)
    row = page.rows_of("Hottest links")[1]
    assert [row[0], row[2]] == [str(first["link"]), figures.link_name(first)]
    shown = [float(cells[1].split("\u00a0")[0]) for cells in page.rows_of("Hottest links")[1:]]
    assert shown == sorted(shown, reverse=True)
    values = page.values_of("Hottest links")
    assert values[0:2] == [first["utilization"], first["peak_utilization"]]
    assert sum(values[5:7]) == pytest.approx(1, abs=1e-3)


def test_link_classes_show_their_utilization(experiment: Experiment, page: Page) -> None:
    rows = page.rows_of("Utilization of the links by class")[1:]
    assert [row[0] for row in rows] == ["injection", "ejection", "local", "global"]
    loads = figures.link_loads(experiment.together).links
    highest = [loads.filter(pl.col("class") == row[0])["utilization"].max() for row in rows]
    assert page.values_of("Utilization of the links by class")[2::6] == highest


def test_finding_names_victim_aggressor_and_factor(experiment: Experiment, text: str) -> None:
    row = experiment.slowdown.collect().row(0, named=True)
    found = finding_of(experiment).replace("\u00a0", " ")
    assert found.startswith(
        f"Together with halo3d, fft3d communicates {row['slowdown']:.2f} times as long as"
        f" alone; its run time is {row['run_time_slowdown']:.2f} times as long. Together"
        " with fft3d, halo3d"
    )
    assert re.search(
        r"in which all jobs ran, the hottest link is .* (fft3d|halo3d)'s\)\. It is busy \d+ % of",
        found,
    )
    assert [caveat.kind for caveat in experiment.caveats] == ["one_seed"]
    shown = text.replace("&#39;", "'").replace("\u00a0", " ")
    subject = ReportedRun.of(experiment)
    assert finding(subject) in shown
    assert hottest_sentence(subject).replace("\u00a0", " ") in shown


def test_finding_reports_an_unchanged_job_as_unchanged(tmp_path: Path) -> None:
    experiment = small_interference(tmp_path)
    even = experiment.slowdown.collect().with_columns(slowdown=pl.Series([1.01, 0.8]))
    even.write_parquet(tmp_path / "slowdown.parquet")
    text = finding_of(Experiment(tmp_path))
    assert text.startswith(
        "Together with halo3d, fft3d's communication time is unchanged (1.01 times, within 2 %);"
        " its run"
    )
    assert "Together with fft3d, halo3d communicates 0.80 times as long as alone; " in text


def finding_about(rows: list[dict[str, Any]]) -> str:
    """Returns the finding for a slowdown table with these values and null elsewhere."""
    return finding(reported_about(rows))


def reported_about(rows: list[dict[str, Any]]) -> ReportedRun:
    """Returns what is reported for a slowdown table with these values and null elsewhere."""
    run = cast("Any", SimpleNamespace(document={"complete": True}))
    subject = ReportedRun(
        "x", run, {}, pl.DataFrame(rows, {n: t for n, (t, _) in SLOWDOWN_COLUMNS.items()})
    )
    vars(subject)["beside"] = {}
    return subject


def test_a_finding_on_twelve_jobs_is_short() -> None:
    rows = [
        {"name": f"job{at}", "compared": "run", "slowdown": 1.0 + at / 10} for at in range(1, 13)
    ]
    text = finding_about(rows)
    assert "longer than alone for job12 (2.20 times), job11 (2.10 times)" in text
    assert "and 8 more" in text
    assert len(text) < 300


def test_finding_of_many_jobs_lists_only_slower_jobs_as_slower() -> None:
    ratios = {"a": 1.4, "b": 1.0, "c": 0.99, "d": 0.9, "e": 1.12}
    rows = [{"name": name, "compared": "run", "slowdown": ratio} for name, ratio in ratios.items()]
    assert (
        finding_about(rows)
        == "With all jobs together, communication time is longer than alone for a (1.40 times)"
        " and e (1.12 times); it is shorter for d (0.90 times); it is unchanged (within 2 %) for"
        " b (1.00 times) and c (0.99 times)."
    )


def test_ratios_beside_the_limit_are_printed_as_they_are_judged() -> None:
    """0.981 and 0.979 are both 0.98 with two decimals, and one of them is within 2 %."""
    for within, beyond in ((0.981, 0.979), (1.019, 1.021), (0.98333, 0.9749), (1.02, 1.0206)):
        shown, other = f"{within:.3f}", f"{beyond:.{3 if abs(beyond - 1) < 0.025 else 2}f}"
        row = {"compared": "run", "slowdown": within, "run_time_slowdown": beyond}
        rows = [{"name": "a", **row}, {"name": "b", "compared": "run", "slowdown": 1.0}]
        text = finding_about(rows)
        assert f"a's communication time is unchanged ({shown} times, within 2 %); its" in text
        assert f"its run time is {other} times as long." in text
        ratios = {"a": within, "b": beyond, "c": 1.0}
        many = [{"name": name, "compared": "run", "slowdown": it} for name, it in ratios.items()]
        text = finding_about(many)
        assert f"for b ({other} times)" in text
        unchanged = text[text.index("unchanged (within 2 %) for ") :]
        assert f"a ({shown} times)" in unchanged
        assert "c (1.00 times)" in unchanged


def test_a_slowdown_that_nothing_shows_is_not_said_to_be_none() -> None:
    never = {"compared": "nothing", "alone_iterations": 2, "together_iterations": 0}
    rows = [{"name": name, **never, "compared_iterations": 0} for name in "ab"]
    rows += [{"name": "c", "compared": "run", "slowdown": None}]
    rows += [{"name": "d", "compared": "duration"}]
    reported = reported_about(rows)
    why = "no iteration finished in both runs (2 alone, 0 together)"
    text = finding(reported)
    assert f"The slowdowns of a and b are not known: {why}." in text
    assert "d's slowdown is not known: it delivered no packet in one of its runs." in text
    assert "c has no slowdown: there was no communication." in text
    shown = {tile.name: (tile.number, tile.lines[0]) for tile in tiles(reported)}
    assert shown["a"] == ("not known", why)
    assert shown["c"][0] == "no communication"
    assert shown["d"] == ("not known", "it delivered no packet in one of its runs")


def test_finding_of_truncated_jobs_names_the_compared_part() -> None:
    cut = {"name": "a", "compared": "iterations", "alone_iterations": 6, "together_iterations": 3}
    cut |= {"compared_iterations": 3, "slowdown": 1.5, "run_time_slowdown": 1.25}
    never = {"name": "b", "compared": "nothing", "alone_iterations": 1, "together_iterations": 0}
    unknown = {"name": "b", "compared": "nothing"}  # record.iterations = false
    start = (
        "Over the 3 iterations that finished in both runs (6 alone, 3 together), together with b, a"
        " communicates 1.50 times as long as alone; its run time is 1.25 times as long. "
    )
    assert (
        finding_about([cut, never | {"compared_iterations": 0}])
        == start
        + "b's slowdown is not known: no iteration finished in both runs (1 alone, 0 together)."
    )
    assert (
        finding_about([cut, unknown])
        == start
        + "b's slowdown is not known: not every run ended, and iterations were not recorded."
    )


def test_finding_of_patterns_reports_latency_and_accepted_throughput() -> None:
    noise = {"name": "a", "compared": "duration", "packet_latency_slowdown": 1.31}
    noise |= {"alone_accepted_throughput": 0.4, "together_accepted_throughput": 0.3}
    even = {"name": "b", "compared": "duration", "packet_latency_slowdown": 1.003}
    even |= {"alone_accepted_throughput": 0.2, "together_accepted_throughput": 0.2}
    assert (
        finding_about([noise, even])
        == "a is synthetic traffic. Together with b, its packets take 1.31 times as long as"
        " alone, and its accepted throughput falls from 0.400 to 0.300. b is synthetic traffic."
        " Together with a, its packet latency is unchanged (1.00 times, within 2 %), and its"
        " accepted throughput is unchanged at 0.200 (within 2 %)."
    )


def test_the_page_loads_no_other_file(text: str, page: Page) -> None:
    # The base64 of an image inside the page holds any letters.
    own = re.sub(r"data:image/png;base64,[^\"]*", "", text)
    assert not re.search(r"https?:|//[a-z]|@import|url\((?!#)|<script|<link", own)
    assert all(reference.startswith(("#", "data:")) for reference in page.references)


def test_ids_are_unique_and_references_exist(page: Page) -> None:
    assert len(page.ids) == len(set(page.ids))
    assert {reference[1:] for reference in page.references if reference.startswith("#")} <= set(
        page.ids
    )


def test_every_figure_has_a_text_and_every_table_a_caption(page: Page) -> None:
    assert len(page.drawings) == 13
    assert all(page.drawings)
    assert all(caption.strip() for caption in page.captions)


@pytest.mark.slow
def test_same_tables_give_the_same_page(experiment: Experiment, text: str) -> None:
    assert text == render_report(Experiment(experiment.path))


@pytest.mark.slow
def test_write_report_returns_its_path(experiment: Experiment, text: str, tmp_path: Path) -> None:
    path = write_report(experiment, tmp_path / "report.html")
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.slow
def test_a_single_run_has_the_same_page_without_a_comparison(
    experiment: Experiment,
) -> None:
    text = render_report(experiment.together)
    page = Page(text)
    assert "slowdown" not in text
    assert [caption.split(",")[0].split(":")[0] for caption in page.captions] == [
        "Traffic of each job. Run time",
        "Communication time of a rank",
        "MPI calls of each job",
        "Packet latency is the time from a packet's creation at its source to its tail at the"
        " destination NIC. Its mean is the wait at the source",
        "Utilization of the links by class",
        "Hottest links",
        "Counters of the routers that serve each job",
        "Each simulation. A packet-hop is one packet over one link between routers",
    ]
    jobs = experiment.together.jobs.collect()
    keys = ["communication_time_mean_ns", "communication_time_std_ns", "communication_time_max_ns"]
    expected = [row[key] for row in jobs.to_dicts() for key in keys]
    assert page.values_of("Communication time of a rank") == expected


@pytest.mark.slow
def test_the_caption_of_latencies_says_where_they_begin(tmp_path: Path) -> None:
    run = small_run(tmp_path)
    captions = {}
    for start in ("created", "nic", "injected"):
        run.document["plan"]["nic"]["latency_from"] = start
        table = latency_table(ReportedRun.of(run))
        assert table is not None
        captions[start] = table.caption
    assert "from a packet's creation at its source to its tail" in captions["created"]
    assert "from a packet's entry into the buffer of its NIC to its tail" in captions["nic"]
    assert "from the start of a packet's head on the injection link" in captions["injected"]
    assert "wait at the source" not in captions["injected"]


@pytest.mark.slow
def test_missing_packets_are_explained(tmp_path: Path) -> None:
    text = render_report(small_run(tmp_path, packets="off"))
    assert "This run did not record single packets" in text
    assert "figure-latency" in text


@pytest.mark.slow
def test_missing_windows_are_explained(tmp_path: Path) -> None:
    run = small_run(tmp_path)
    for name in ("job_windows", "link_windows", "iterations", "messages", "link_jobs"):
        (tmp_path / f"{name}.parquet").unlink()
        del run.document["tables"][name]
    text = render_report(run)
    assert "This run did not record time windows" in text
    page = Page(text)
    assert all(
        cell == "\N{EN DASH}" for row in page.rows_of("Hottest links")[1:] for cell in row[-2:]
    )
    assert "peak window" not in page.rows_of("Hottest links")[0]
    assert finding_of(run).startswith("A rank of fft3d communicates for ")
    assert "Over the whole run, the hottest link is " in finding_of(run)


def test_complete_run_has_no_warning(text: str) -> None:
    assert "<h2>Warnings</h2>" not in text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("interrupted", "was interrupted"),
        ("stalled", "stalled (packets in flight did not move, or ranks waited for one another)"),
        ("duration", "set duration"),
    ],
)
def test_incomplete_run_is_marked(tmp_path: Path, reason: str, words: str) -> None:
    run = edited(tmp_path, lambda document: document.update(complete=False, reason=reason))
    text = render_report(run)
    header = text.split("<header>", 1)[1].lstrip()
    assert header.startswith('<ul class="caveats"')
    assert words in header.split("</ul>", 1)[0]


@pytest.mark.slow
def test_a_conservation_error_is_a_warning(tmp_path: Path) -> None:
    run = edited(tmp_path, lambda document: document["conservation"].update(credits=False))
    assert "the count of credits does not balance" in render_report(run)


@pytest.mark.slow
def test_warnings_of_the_plan_are_shown(tmp_path: Path) -> None:
    warned = "packets can wait for each other in a cycle of 6 virtual channels"
    run = edited(tmp_path, lambda document: document["plan"]["derived"].update(warnings=[warned]))
    text = render_report(run)
    assert "<h2>Warnings</h2>" in text
    assert f": {warned}." in text


def test_the_time_of_a_call_beyond_the_end_of_a_job_is_explained(tmp_path: Path) -> None:
    def end(document: dict[str, Any]) -> None:
        document["plan"]["jobs"][1] |= {"repeat": True, "end_ps": 40_000_000}

    run = edited(tmp_path, end)
    note = "under way at the end of halo3d counts whole, so the time can exceed the run time."
    caption = communication_table(ReportedRun.of(run)).caption
    assert note in caption
    # It ended before the run.
    assert "as long as the run" not in caption
    whole = ReportedRun.of(small_run(tmp_path / "whole"))
    assert "under way" not in communication_table(whole).caption


@pytest.mark.slow
def test_saturated_pattern_is_a_warning(tmp_path: Path) -> None:
    def offer(document: dict[str, Any]) -> None:
        document["plan"]["jobs"][1]["workload"] = {
            "kind": "pattern",
            "pattern": "uniform",
            "load": 0.9,
        }

    text = render_report(edited(tmp_path, offer))
    assert re.search(r"halo3d is saturated: 0\.\d+ accepted of 0\.9 offered", text)
    assert "fft3d is saturated" not in text


@pytest.mark.slow
def test_names_are_escaped(tmp_path: Path) -> None:
    run = edited(tmp_path, lambda document: document["plan"].update(name="<b>&\"'"))
    jobs = run.jobs.collect().with_columns(name=pl.Series(["<i>x", 'say "y" $a$']))
    jobs.write_parquet(tmp_path / "jobs.parquet")
    text = render_report(Run(tmp_path))
    assert "<i>x" not in text
    assert "<b>&" not in text
    assert len(Page(text).drawings) == 12


@pytest.mark.slow
def test_the_slowdown_of_a_job_without_a_run_alone_is_not_known(tmp_path: Path) -> None:
    small_interference(tmp_path)
    document = json.loads((tmp_path / "interference.json").read_text())
    document["parts"] = [part for part in document["parts"] if part["part"] != "alone-halo3d"]
    (tmp_path / "interference.json").write_text(json.dumps(document))
    run = json.loads((tmp_path / "together" / "run.json").read_text())
    run["plan"]["jobs"][1]["workload"] = {"kind": "pattern", "pattern": "uniform", "load": 0.01}
    (tmp_path / "together" / "run.json").write_text(json.dumps(run))
    (tmp_path / "slowdown.parquet").unlink()
    text = render_report(Experiment(tmp_path))
    found = finding_of(Experiment(tmp_path))
    assert found.startswith("Together with halo3d, fft3d communicates ")
    assert "halo3d's slowdown is not known: there is no run alone." in found
    assert "than in all runs alone" not in text
    assert "<h2>Warnings</h2>" not in text
    assert [row[0] for row in Page(text).rows_of("Packet latency")[1:]] == [
        "fft3d alone",
        "fft3d together",
        "halo3d together",
    ]


@pytest.mark.slow
def test_job_without_packets_has_no_latency(tmp_path: Path) -> None:
    run = small_run(tmp_path)
    silent = [
        pl.when(pl.col("job") == 0).then(0).otherwise(pl.col(name)).alias(name)
        for name in ("packets", "delivered_bytes")
    ]
    run.jobs.collect().with_columns(silent).write_parquet(tmp_path / "jobs.parquet")
    page = Page(render_report(Run(tmp_path)))
    # Messages have their own count.
    assert page.rows_of("Packet latency")[1][1:7] == ["\N{EN DASH}"] * 6
    assert len(page.values_of("Packet latency")) == 2 + 8


def test_blame_is_drawn_if_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = {
        "window_start_ns": [0.0, 0.0],
        "class": ["global", "global"],
        "victim": [0, 0],
        "aggressor": [0, 1],
        "wait_ns": [250.0, 750.0],
    }
    run = small_run(tmp_path)
    monkeypatch.setattr(Run, "blame", property(lambda _: pl.LazyFrame(rows)), raising=False)
    text = render_report(run)
    assert "Which job the packets waited for" in text
    assert "750 ns" in text
    assert "waiting is charged to halo3d, all of it on global links." in text


def test_links_that_never_stall_are_told_in_a_line(tmp_path: Path) -> None:
    run = small_run(tmp_path)
    still = run.links.collect().with_columns(stall_ns=pl.lit(0.0))
    still.write_parquet(tmp_path / "links.parquet")
    text = render_report(Run(tmp_path))
    assert "No link between routers stalled" in text


@pytest.mark.native
def test_files_in_place_of_directories_and_missing_folders_are_told(
    cli: Callable[..., Ended], tmp_path: Path
) -> None:
    file = tmp_path / "run.tgz"
    file.write_bytes(b"")
    assert one_line(cli("report", file)) == (
        f"{file}: is a file, and results are directories; unpack an archive, or name the directory"
        " that holds the file"
    )
    small_run(tmp_path / "run")
    target = tmp_path / "none" / "x.html"
    assert one_line(cli("report", tmp_path / "run", "--out", target)) == (
        f"{target}: cannot be written: No such file or directory; make its directory, or name"
        " another file"
    )
