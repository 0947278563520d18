"""Generated files agree with their sources: the core and the Python package."""

from __future__ import annotations

import pytest

from generate.__main__ import main


@pytest.mark.native
def test_no_generated_file_is_stale(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check"]) == 0, capsys.readouterr().out


@pytest.mark.native
def test_a_file_edited_by_hand_is_reported_with_the_remedy(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("generate.__main__._read", lambda path: "edited")
    monkeypatch.setattr("generate.__main__.FROM_PACKAGE", {})  # the first file is enough
    assert main(["--check"]) == 1
    line = capsys.readouterr().out.splitlines()[0]
    assert (
        line
        == "schema/plan.schema.json: differs from its source; run 'make generate' and do not edit"
        " it by hand"
    )
