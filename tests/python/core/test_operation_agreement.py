"""The calls of an operation file are compared before a run."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from pantala.core import native
from support import Ended

Cli = Callable[..., Ended]

_SCENARIO = """
name = "from-a-file"
machine = {{ preset = "kang2022", topology = {{ p = 2, a = 4, h = 2, g = 9 }} }}
routing = "minimal"
[[jobs]]
name = "a"
workload = {{ kind = "operations", path = "{file}" }}
"""


def _exported(cli: Cli, file: str) -> bytearray:
    assert cli("workload", "export", "halo3d", file, "--ranks", "8").status == 0
    return bytearray(Path(file).read_bytes())


def _changed(data: bytearray, file: str, code: int, offset: int, value: int) -> None:
    """Writes a file in which the first record of a code has another value, without a hash."""
    (records,) = struct.unpack_from("<Q", data, len(data) - 96)
    at = next(at for at in range(32, 32 + 32 * records, 32) if data[at] == code)
    struct.pack_into("<I", data, at + offset, value)
    data[-40:-8] = bytes(32)
    Path(file).write_bytes(data)


@pytest.mark.parametrize(
    ("offset", "value", "text"),
    [(12, 77, "with tag"), (16, 1 << 20, "its receive has room for")],
)
def test_messages_without_a_fitting_receive_are_refused(
    cli: Cli, workdir: Path, offset: int, value: int, text: str
) -> None:
    data = _exported(cli, "halo.operations")
    (workdir / "halo.toml").write_text(_SCENARIO.format(file="halo.operations"))
    assert cli("check", "halo.toml").status == 0
    _changed(data, "halo.operations", 3, offset, value)
    for command in ("check", "run"):
        ended = cli(command, "halo.toml")
        assert ended.status == 2
        assert text in ended.err
        assert 'jobs[0].workload.path = "halo.operations": rank' in ended.err
        assert "complete the calls in what wrote the file" in ended.err


def test_a_file_that_is_too_large_for_the_check_is_said(
    cli: Cli, workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _exported(cli, "large.operations")
    facts = native.operation_file("large.operations")
    assert facts["calls_checked"] is True
    monkeypatch.setattr(native, "operation_file", lambda _: {**facts, "calls_checked": False})
    (workdir / "large.toml").write_text(_SCENARIO.format(file="large.operations"))
    ended = cli("check", "large.toml")
    assert ended.status == 0, ended.err
    assert "for a check before the run; the run finds whether" in " ".join(ended.err.split())
