"""Every unsafe block and function of the crates has its argument beside it."""

from __future__ import annotations

import re
from pathlib import Path

from support import ROOT

_UNSAFE = re.compile(r"\bunsafe\b(?!_)")
#: Declarations of C, and methods of an allocator, whose implementation as a whole has an argument.
_DECLARED = re.compile(r"unsafe (extern|fn (alloc|alloc_zeroed|dealloc|realloc)\b)")
#: Lines above an `unsafe` in which its argument begins or ends.
_NEAR = 4


def unsafe_of(folder: Path, root: Path = ROOT) -> list[tuple[str, int, str]]:
    """Returns each `unsafe` in code: its file, its line from 1, and the lines above it."""
    found = []
    for file in sorted(folder.rglob("*.rs")):
        lines = file.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines):
            code = line.partition("//")[0]
            if _UNSAFE.search(code) and not _DECLARED.search(code):
                above = [lines[at] for at in _above(lines, number)]
                found.append((str(file.relative_to(root)), number + 1, "\n".join(above)))
    return found


def _above(lines: list[str], number: int) -> range:
    """Returns the lines with the comment of a statement, and the statement's lines before."""
    first = number
    while first > 0 and (number - first < _NEAR or lines[first - 1].strip().startswith("//")):
        first -= 1
    return range(first, number)


def lacking(folder: Path, root: Path = ROOT) -> list[str]:
    """Returns the places of unsafe code without an argument."""
    return [
        f"{file}:{line}"
        for file, line, above in unsafe_of(folder, root)
        if "SAFETY:" not in above and "# Safety" not in above
    ]


def test_all_unsafe_code_says_why_it_is_sound() -> None:
    assert len(unsafe_of(ROOT / "crates")) > 40
    assert lacking(ROOT / "crates") == []


def test_unsafe_code_without_an_argument_is_found(tmp_path: Path) -> None:
    (tmp_path / "x.rs").write_text("fn f(p: *const u8) -> u8 {\n    unsafe { *p }\n}\n")
    assert lacking(tmp_path, tmp_path) == ["x.rs:2"]
