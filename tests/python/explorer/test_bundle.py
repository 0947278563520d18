"""The bundle of the page in the package is that of its sources in `web`."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
from pathlib import Path

import pytest

from support import ROOT

WEB = ROOT / "web"
PAGE = ROOT / "python/pantala/explorer/page"
#: Bytes of the page's code, compressed, at most.
LARGEST = 200_000


def test_the_code_is_small_and_asks_no_other_host() -> None:
    code = b"".join((PAGE / name).read_bytes() for name in ("app.js", "page.css"))
    assert len(gzip.compress(code)) < LARGEST
    assert re.findall(rb"https?://|\beval\(|new Function|innerHTML|document\.write", code) == []


def test_sources_make_no_markup_from_texts() -> None:
    for file in sorted((WEB / "src").glob("*.ts")):
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write", text), file
        assert len(text.splitlines()) <= 400, file


def test_the_lock_file_names_no_registry() -> None:
    lock = (WEB / "package-lock.json").read_text(encoding="utf-8")
    assert "resolved" not in lock
    assert "://" not in re.sub(r'"url": "[^"]*"', "", lock)
    packages = json.loads(lock)["packages"]
    assert all("integrity" in each for name, each in packages.items() if name)


@pytest.mark.full
@pytest.mark.needs("node")
def test_the_bundle_is_that_of_its_sources(tmp_path: Path) -> None:
    if not (WEB / "node_modules").is_dir():
        pytest.skip("not installed: web/node_modules (make web)")
    subprocess.run(["node", "build.mjs", tmp_path], cwd=WEB, check=True)
    for name in ("app.js", "page.css"):
        assert (tmp_path / name).read_bytes() == (PAGE / name).read_bytes(), f"{name}: make web"
    checked = ["node", "node_modules/typescript/bin/tsc", "--noEmit"]
    subprocess.run(checked, cwd=WEB, check=True)
