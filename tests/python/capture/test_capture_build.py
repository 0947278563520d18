"""The build of the capture library leaves nothing behind, even if its compiler is killed."""

from __future__ import annotations

from pathlib import Path

import pytest

from pantala.capture.build import _compile
from pantala.errors import UsageError


def test_temporary_files_of_the_compiler_lie_in_a_scratch_folder(tmp_path: Path) -> None:
    compiler = tmp_path / "compiler"
    compiler.write_text(f'#!/bin/sh\necho "$TMPDIR" > {tmp_path}/said\nkill -9 $$\n')
    compiler.chmod(0o700)
    with pytest.raises(UsageError, match="does not compile"):
        _compile([str(compiler)], [], tmp_path / "library.so")
    scratch = Path((tmp_path / "said").read_text().strip())
    assert scratch.parent == tmp_path
    assert scratch.name.endswith(".scratch")
    assert not scratch.exists()
