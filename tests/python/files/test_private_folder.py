"""Caches are folders that no other user controls, and only their own files are ever removed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pantala.errors import UsageError
from pantala.files.private_folder import cache_folder, private_folder
from pantala.programs import cache


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o7777


@pytest.fixture
def tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory for temporary files, where all users can write, and no other cache."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    folder.chmod(0o1777)
    blocked = tmp_path / "blocked"
    blocked.write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


def victim(tmp_path: Path) -> Path:
    """Returns a folder with an old file, of a form that the cache has, too."""
    folder = tmp_path / "victim"
    folder.mkdir()
    for name in ("thesis.tex", f"{'0' * 64}.operations"):
        (folder / name).write_text("years of work")
        os.utime(folder / name, (1, 1))
    return folder


def write(path: Path) -> dict[str, str]:
    path.write_text("operations")
    return {"hash": "a" * 64}


def test_new_folders_are_of_this_user_only(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        private_folder(tmp_path / "one" / "two")
    finally:
        os.umask(before)
    assert mode(tmp_path / "one") == mode(tmp_path / "one" / "two") == 0o700


@pytest.mark.parametrize("place", ["pantala-{}", "pantala-{}/operations"])
def test_a_link_where_others_can_write_is_refused(tmp: Path, tmp_path: Path, place: str) -> None:
    old = victim(tmp_path)
    link = tmp / place.format(os.geteuid())
    if link.parent != tmp:
        link.parent.mkdir()
        link.parent.chmod(0o777)
    link.symlink_to(old)
    with pytest.raises(
        UsageError, match=r"no folder for operation files .* set XDG_CACHE_HOME to a folder that"
    ) as raised:
        cache.keep(write)
    reason = "is a link" if link.parent == tmp else "other users can write there"
    assert f"{tmp}/pantala-{os.geteuid()}: {reason};" in str(raised.value)
    assert len(list(old.iterdir())) == 2


def test_a_folder_of_another_user_is_refused(
    tmp: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = os.geteuid() + 4711
    (tmp / f"pantala-{user}").mkdir()
    monkeypatch.setattr("pantala.files.private_folder._user", lambda: user)
    with pytest.raises(UsageError, match="belongs to another user, "):
        cache.directory()


@pytest.mark.parametrize("bits", [0o777, 0o707])
def test_a_folder_that_others_can_change_is_refused(tmp_path: Path, bits: int) -> None:
    open_folder = tmp_path / "open"
    open_folder.mkdir()
    open_folder.chmod(bits)
    for path in (open_folder, open_folder / "below"):
        with pytest.raises(OSError, match="other users can write there"):
            private_folder(path)
    assert not list(open_folder.iterdir())


def test_a_group_of_others_can_change_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    folder.chmod(0o770)
    monkeypatch.setattr("pantala.files.private_folder._is_private_group", lambda group: True)
    private_folder(folder)
    monkeypatch.setattr("pantala.files.private_folder._is_private_group", lambda group: False)
    with pytest.raises(OSError, match="other users can write there"):
        private_folder(folder)


def test_a_link_of_the_user_in_a_safe_place_is_followed(tmp_path: Path) -> None:
    (tmp_path / "scratch").mkdir()
    (tmp_path / "cache").symlink_to("./../" + tmp_path.name + "/scratch")
    private_folder(tmp_path / "cache" / "pantala")
    assert mode(tmp_path / "scratch" / "pantala") == 0o700
    # Its target is looked at, too.
    (tmp_path / "scratch").chmod(0o777)
    with pytest.raises(OSError, match="other users can write there"):
        private_folder(tmp_path / "cache" / "other")
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    with pytest.raises(OSError, match="is a link"):
        private_folder(tmp_path / "circle" / "pantala")


def test_a_relative_cache_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "cache")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder("x", "tests") == tmp_path / ".cache" / "pantala" / "x"


def test_only_old_files_of_the_cache_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = cache.directory()
    target = tmp_path / "target"
    target.write_text("")
    kept = ["thesis.tex", "notes.operations", f"{'B' * 64}.operations", f"{'1' * 64}.operations"]
    for name in (*kept, f"{'2' * 64}.operations"):
        (folder / name).write_text("")
        os.utime(folder / name, (1, 1))
    now = time.time()
    os.utime(folder / kept[-1], (now, now))
    (folder / f"{'3' * 64}.operations").symlink_to(target)
    os.utime(folder / f"{'3' * 64}.operations", (1, 1), follow_symlinks=False)
    file, _ = cache.keep(write)
    assert {path.name for path in folder.iterdir()} == {
        *kept,
        f"{'3' * 64}.operations",
        file.name,
    }


@pytest.mark.parametrize("what", ["otf2", "capture"])
def test_other_caches_refuse_a_folder_that_others_can_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    (tmp_path / "pantala").mkdir()
    (tmp_path / "pantala").chmod(0o777)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("MPICC", "true")
    (tmp_path / "traces.otf2").touch()
    with pytest.raises(UsageError, match=r"pantala: other users can write there; set XDG_CACHE_H"):
        _uses(what, tmp_path)()
    assert not list((tmp_path / "pantala").iterdir())


def _uses(what: str, folder: Path) -> Callable[[], object]:
    if what == "capture":
        from pantala.capture.build import built_library

        return built_library
    from pantala.traces.otf2 import converted

    return lambda: converted(folder / "traces.otf2")
