"""The Rust code has no conditions that its oldest supported compiler does not know.

No lint of newer compilers says so: `if let` with a further condition is of Rust 1.88. `make
oldest-rust` compiles everything where the oldest Rust is installed.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from support import ROOT

#: A pattern at the end of whose value another condition follows, on the same line or a later one.
_CHAIN = re.compile(
    r"^( *)(?:\} else )?(?:if|while) let [^\n]*(?:(?<!\{)\n(?:\1[ )][^\n]*\n)*?\1    && | && let )"
    r"|^ *&& let ",
    re.MULTILINE,
)


def chains(text: str) -> list[int]:
    """Returns the lines from 1 that begin a condition with a pattern and more."""
    return [text.count("\n", 0, found.start()) + 1 for found in _CHAIN.finditer(text)]


@pytest.mark.parametrize(
    "text",
    [
        "if let Some(a) = b\n    && c\n{\n}\n",
        "    } else if let Some(a) = b(\n        1,\n    )\n        && c\n    {\n",
        "if let Some(a) = b && let Some(c) = a {\n}\n",
        "if a\n    && let Some(b) = c\n{\n}\n",
        "while let Some(a) = b.next()\n    && a < 3\n{\n}\n",
    ],
)
def test_the_search_finds_chains(text: str) -> None:
    assert chains(f"fn f() {{}}\n{text}")


def test_the_search_leaves_other_conditions_alone() -> None:
    text = "if let Some(a) = b.filter(|c| c.d && c.e) {\n    let f = g\n        && h;\n}\n"
    assert not chains(text)


def test_no_condition_is_newer_than_the_oldest_rust() -> None:
    oldest = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]
    assert tuple(map(int, oldest["rust-version"].split("."))) < (1, 88), "this test can go"
    found = [
        f"{file.relative_to(ROOT)}:{line}"
        for folder in ("crates", "mpi")
        for file in sorted(Path(ROOT, folder).rglob("*.rs"))
        if "target" not in file.parts
        for line in chains(file.read_text(encoding="utf-8"))
    ]
    assert not found, "conditions of Rust 1.88; nest them, or filter the value"
