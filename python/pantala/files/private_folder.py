"""Folders for files of this user that no other user can change: caches.

Whoever can rename a component of a folder's path can put another folder, or a link, in its place. A
folder for private files is therefore used only if this user or root owns each component of its path
and no other user can write to one. A folder such as ``/tmp``, where all users can write and only
the owner of an entry can rename it, may hold the folder, but no link to it.
"""

from __future__ import annotations

import grp
import os
import pwd
import stat
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

from pantala.errors import UsageError

__all__ = ["cache_folder", "private_folder"]

_LINKS = 40
#: The map of user ids outside any user namespace.
_ALL_USERS = ["0", "0", "4294967295"]


class _Unsafe(OSError):
    """A folder that another user controls."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(0, reason, str(path))


def cache_folder(name: str, what: str, *, temporary: bool = False) -> Path:
    """Returns a folder of the user's cache, which exists and can be written.

    The cache is ``$XDG_CACHE_HOME/pantala`` if the variable names an absolute path, or else
    ``~/.cache/pantala``.

    Args:
        name: the name of the folder in the cache.
        what: what the folder is for, in an error.
        temporary: whether a folder in the directory for temporary files serves, too, if the cache
            cannot be used.

    Raises:
        UsageError: the cache cannot be written, or another user can change it.
    """
    reasons = []
    for place in _places(temporary=temporary):
        folder = place / name
        try:
            private_folder(folder)
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except OSError as error:
            reasons.append(f"{error.filename or folder}: {error.strerror or error}")
    raise UsageError(
        f"no folder for {what} can be used: {'; '.join(reasons) or 'there is no home directory'};"
        " set XDG_CACHE_HOME to a folder that only you can write"
    )


def _places(*, temporary: bool) -> list[Path]:
    """Returns the caches of this user, the best one first."""
    places = []
    # The specification of XDG: a relative path is ignored.
    home = os.environ.get("XDG_CACHE_HOME", "")
    if Path(home).is_absolute():
        places.append(Path(home) / "pantala")
    else:
        with suppress(RuntimeError):  # no home directory
            places.append(Path.home() / ".cache" / "pantala")
    if temporary:
        places.append(Path(tempfile.gettempdir()).absolute() / f"pantala-{_user()}")
    return places


def private_folder(path: Path) -> None:
    """Makes a folder that no other user can change; its missing parents, too, with mode 700.

    Args:
        path: the folder, an absolute path.

    Raises:
        OSError: the folder cannot be made, is not a folder, or another user can change a component
            of its path.
    """
    here, state = Path("/"), Path("/").lstat()
    left = list(path.parts[1:])
    links = 0
    while left:
        name = left.pop(0)
        if name == "..":
            here, state = here.parent, here.parent.lstat()
            continue
        shared = _others_write(state)
        if shared and not state.st_mode & stat.S_ISVTX:
            raise _Unsafe(here, "other users can write there")
        entry = here / name
        state = _made(entry)
        if not _is_trusted(state.st_uid, shared=shared):
            raise _Unsafe(entry, f"belongs to another user, {_name(state.st_uid)}")
        if not stat.S_ISLNK(state.st_mode):
            here = entry
            continue
        links += 1
        if shared or links > _LINKS:
            raise _Unsafe(entry, "is a link")
        target = entry.readlink()
        left = [part for part in target.parts if part != target.anchor] + left
        here = Path("/") if target.is_absolute() else here
        state = here.lstat()
    if not stat.S_ISDIR(state.st_mode):
        raise NotADirectoryError(20, "is not a folder", str(path))
    if state.st_uid != _user():
        raise _Unsafe(path, f"belongs to another user, {_name(state.st_uid)}")
    if _others_write(state):
        raise _Unsafe(path, "other users can write there")


def _made(entry: Path) -> os.stat_result:
    """Returns the state of an entry of a folder; makes a folder if there is none."""
    with suppress(FileExistsError):
        if not os.path.lexists(entry):
            entry.mkdir(mode=0o700)
    return entry.lstat()


def _is_trusted(owner: int, *, shared: bool) -> bool:
    """Returns whether the owner of an entry is this user or root.

    In a container without root, the files of root have the owner of all unmapped users. Such an
    entry is taken for root's, unless it lies where all users can write.
    """
    return owner in (0, _user()) or (not shared and owner == _unmapped())


def _user() -> int:
    return os.geteuid()


@cache
def _unmapped() -> int | None:
    """Returns the owner of files of unmapped users in a user namespace; None outside one."""
    try:
        if Path("/proc/self/uid_map").read_text().split() == _ALL_USERS:
            return None
        return int(Path("/proc/sys/kernel/overflowuid").read_text())
    except (OSError, ValueError):
        return None


def _others_write(state: os.stat_result) -> bool:
    """Returns whether other users can write to a folder, as far as its mode tells."""
    if state.st_mode & stat.S_IWOTH:
        return True
    return bool(state.st_mode & stat.S_IWGRP) and not _is_private_group(state.st_gid)


@cache
def _is_private_group(group: int) -> bool:
    """Returns whether a group is root's, or has only this user: many systems give each user one."""
    if group == 0:
        return True
    try:
        user, found = pwd.getpwuid(_user()).pw_name, grp.getgrgid(group)
    except KeyError:
        return False
    return found.gr_name == user and set(found.gr_mem) <= {user}


def _name(user: int) -> str:
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return f"number {user}"
