"""Texts from outside that hold control characters, in every output."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

import pantala as pt
from pantala.cli import main
from pantala.figures import save
from pantala.figures.save import to_svg
from pantala.figures.style import new_figure
from pantala.text.plain_console import PlainConsole
from pantala.text.plain_text import plain, say_document
from support import SMALL

#: Colour, a title of the window, C1, bidirectional override and isolate, DEL.
EVIL = "a\x1b[31m\x1b]0;b\x07\x9bc\u202ed\u2066e\x7f"
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


@given(st.text(st.characters(exclude_categories=[])))
def test_plain_text_holds_no_control_character(text: str) -> None:
    shown = plain(text)
    assert CONTROL.search(shown) is None
    shown.encode("utf-8")  # no half of a surrogate pair either
    assert plain(shown) == shown


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cf", "Zl", "Zp"])))
def test_ordinary_text_stays(text: str) -> None:
    assert plain(text) == text


def test_a_document_stays_readable(capsys: pytest.CaptureFixture[str]) -> None:
    say_document('a = "\x9f\u202e"\n')
    out = capsys.readouterr().out
    assert CONTROL.search(out) is None
    assert tomllib.loads(out) == {"a": "\x9f\u202e"}


def test_a_console_shows_strings_and_texts_plain(capsys: pytest.CaptureFixture[str]) -> None:
    output = PlainConsole(width=300)
    output.print(EVIL)
    output.print(Text(EVIL), "[red]")
    out = capsys.readouterr().out
    assert CONTROL.search(out) is None
    assert out.count(r"a\x1b[31m") == 2
    assert "[red]" in out


def test_a_figure_is_plain_in_titles_labels_and_ticks(tmp_path: Path) -> None:
    figure = new_figure(2.0)
    axes = figure.add_subplot()
    axes.plot([0, 1], [0, 1], label=EVIL)
    axes.legend()
    axes.set_title(EVIL)
    axes.set_xlabel(EVIL)
    axes.set_yticks([0, 1], [EVIL, "b"])
    svg = to_svg(figure)
    assert CONTROL.search(svg) is None
    assert svg.count(r"\x1b]0;b") == 4
    assert CONTROL.search(save(figure, tmp_path / "a.svg").read_text(encoding="utf-8")) is None


def _evil(folder: Path) -> dict[str, Path]:
    """Writes one scenario for each kind of hostile text; those after the first cannot run."""
    quoted = '"a\\u001b[31m\\u009bc\\u202ed"'
    program = folder / f"p{EVIL.replace('/', '')}.py"
    program.write_text(f"def program(mpi):\n    raise RuntimeError({EVIL!r})\n")
    name = "".join(f"\\u{ord(each):04x}" for each in program.name)
    files = {
        "job": SMALL.replace('"fft"', quoted),
        "value": SMALL.replace('"minimal"', quoted),
        "program": SMALL.replace(
            'kind = "fft3d", grid = [2, 3], row_message = "1 kB", iterations = 1',
            f'kind = "python", file = "{name}"',
        ),
        "case": f'[[axes]]\nname = "by"\ncases.{quoted} = {{ routing = "minimal" }}\n[scenario]\n'
        + SMALL.replace("[[jobs]]", "[[scenario.jobs]]"),
        "small": SMALL,
    }
    made = {}
    for kind, text in files.items():
        made[kind] = folder / f"{kind}\x1b[1m\u202e.toml"
        made[kind].write_text(text, encoding="utf-8")
    return made


def test_no_text_from_outside_controls_a_terminal(
    workdir: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    files = _evil(workdir)
    lines = [
        (2, "check", files["job"]),
        (0, "check", files["small"]),
        (0, "run", files["small"], "--out", "run\x1b\u202e"),
        (0, "metrics", "--run", "run\x1b\u202e"),
        (0, "profile", "run\x1b\u202e"),
        (0, "figure", "placement-map", "run\x1b\u202e", "--out", "a\x1b.svg"),
        (2, "check", files["value"]),
        (2, "check", files["program"]),
        (2, "run", files["program"]),
        (2, "run", "absent\x1b[2J.toml"),
        (2, "metrics", "\x1b[2J"),
        (2, "\x1b[2J"),
        (0, "sweep", files["case"], "--dry-run"),
        (0, "sweep", files["case"], "--out", "sweep\u202e", "--workers", "1"),
        (0, "status", "sweep\u202e"),
        (0, "report", "sweep\u202e"),
    ]
    for status, *words in lines:
        with pytest.raises(SystemExit) as ended:
            main([str(word) for word in words])
        said = capfd.readouterr()
        assert CONTROL.search(said.out) is None, (words, said.out)
        assert CONTROL.search(said.err) is None, (words, said.err)
        assert ended.value.code == status, (words, said)
    pages = [*workdir.glob("*/report.html"), *workdir.glob("*.svg")]
    assert len(pages) >= 2
    assert "x1b" in (workdir / "sweep\u202e/report.html").read_text(encoding="utf-8")
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert CONTROL.search(text) is None


def test_an_error_of_python_is_plain() -> None:
    with pytest.raises(pt.ScenarioError) as raised:
        pt.Scenario.from_dict({**tomllib.loads(SMALL), "routing": EVIL})
    assert CONTROL.search(str(raised.value)) is None
