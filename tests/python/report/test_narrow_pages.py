"""Pages on a narrow screen: what stands in a wide table."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import pantala

PACKAGE = Path(pantala.__file__).parent
TEMPLATES = sorted(PACKAGE.rglob("*.html.j2"))


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_the_caption_of_a_table_is_not_as_wide_as_the_table(template: Path) -> None:
    """The style keeps the span of a caption within the screen while the table scrolls."""
    captions = re.findall(r"<caption>(.{6})", template.read_text(encoding="utf-8"), re.DOTALL)
    assert all(begin == "<span>" for begin in captions)
