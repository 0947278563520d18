"""Every application with its defaults, from scenario to plan, run and report."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import pantala as pt
from application_sizes import REQUIRED, fewest_ranks
from pantala.workloads import APPLICATIONS

pytestmark = pytest.mark.native

#: Several applications share a run, because a report takes longer than its simulation.
BATCH = 8
BATCHES = [
    list(APPLICATIONS)[start : start + BATCH] for start in range(0, len(APPLICATIONS), BATCH)
]


class Facts(HTMLParser):
    """The lines of a page's list of facts, by heading."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.lines: dict[str, list[str]] = {}
        self._heading = self._tag = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._tag = tag

    def handle_endtag(self, tag: str) -> None:
        self._tag = ""

    def handle_data(self, data: str) -> None:
        if self._tag == "dt":
            self._heading = data
        elif self._tag == "dd":
            self.lines.setdefault(self._heading, []).append(data)


def job(application: str) -> pt.Job:
    """Returns a job with one iteration of an application, its defaults, and the fewest ranks."""
    workload = {"kind": application, "iterations": 1, **REQUIRED.get(application, {})}
    # The name differs from the application, so that plan and report must name the application.
    return pt.Job(
        name=f"job-{application.replace('_', '-')}",
        ranks=fewest_ranks(application),
        workload=workload,
    )


@pytest.mark.slow
@pytest.mark.parametrize("applications", BATCHES, ids="-".join)
def test_every_application_goes_from_scenario_to_report(
    applications: list[str], tmp_path: Path
) -> None:
    scenario = pt.Scenario(
        name="every",
        machine={"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}},
        routing="minimal",
        record={"packets": "off", "link_windows": False},
        jobs=[job(application) for application in applications],
    )
    assert [job["application"] for job in scenario.resolve()["jobs"]] == applications
    run = pt.run(scenario, out=tmp_path / "run")
    assert isinstance(run, pt.Run)
    assert run.complete
    page = (run.path / "report.html").read_text(encoding="utf-8")
    facts = Facts(page).lines
    for application, planned in zip(applications, run.plan["jobs"], strict=True):
        lines = facts[f"Job {planned['name']}"]
        assert application in " ".join(lines)
        assert not re.search(r"[\[\]{}'_]", " ".join(lines).replace(application, "")), (
            "the page shows Python syntax or keys"
        )
    assert run.iterations.select("job").unique().collect().height == len(applications), (
        "every application marks its iterations"
    )


def test_a_pattern_is_named_by_its_traffic(tmp_path: Path) -> None:
    noise = pt.Job(name="noise", ranks=8, workload=pt.Pattern(pattern="shift", load=0.1))
    scenario = pt.Scenario(
        name="x", machine="kang2022", routing="minimal", jobs=[noise], stop={"duration": "1 us"}
    )
    assert scenario.resolve()["jobs"][0]["application"] == "shift"
