"""Errors of the operating system and of memory, in one line with the remedy that fits."""

from __future__ import annotations

import errno
import os
import re
from dataclasses import dataclass

from pantala.errors import shortened

__all__ = ["SystemFault", "number_in", "remedy_of", "system_fault", "too_little_address_space"]

_OF_RUST = re.compile(r"os error (\d+)")
_FILES = "raise the limit (ulimit -n), or use fewer --workers or --threads"
_THREADS = "raise the limit of processes (ulimit -u), or use fewer --workers or --threads"
_MEMORY = (
    "simulate a smaller machine, shorten the run or record less, use fewer --workers or --threads,"
    " or raise the limit (ulimit -v, the memory of a batch job)"
)
_SPACE = "make room"
#: Remedies by the number of the error: what the machine lacks.
_MACHINE = {
    errno.EMFILE: _FILES,
    errno.ENFILE: _FILES,
    errno.EAGAIN: _THREADS,
    errno.ENOMEM: _MEMORY,
    errno.ENOSPC: _SPACE,
    errno.EDQUOT: _SPACE,
    errno.EFBIG: "raise the limit of a file's size (ulimit -f)",
    errno.EROFS: "choose a place that can be written",
    errno.EIO: "check the disk and the file system",
    errno.ESTALE: "check the disk and the file system",
}
#: Errors of a place that another place may not have.
_OF_PLACE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
#: Remedies for what the user has named.
_NAMED = {
    errno.ENAMETOOLONG: "choose a shorter name",
    errno.ENOENT: "check the path",
    errno.ENOTDIR: "check the path",
    errno.EISDIR: "name a file",
    errno.ELOOP: "check the links of the path",
    errno.EACCES: "check the permissions",
    errno.EPERM: "check the permissions",
    errno.EEXIST: "choose another name",
    errno.ENOTEMPTY: "choose another name",
    errno.ENXIO: "name a regular file",
}


@dataclass(frozen=True)
class SystemFault:
    """An error that the system, not Pantala, has raised.

    Attributes:
        line: one line with what is wrong and the remedy.
        status: 2 if it is the user's mistake, such as a path that is too long, else 1.
    """

    line: str
    status: int


def remedy_of(number: int | None, *, elsewhere: bool = True) -> str | None:
    """Returns the remedy for what the machine lacks; None for errors of another kind.

    Args:
        number: the number of the error.
        elsewhere: whether another place helps. It does not if finished runs are kept in this one.
    """
    if number is None or number not in _MACHINE:
        return None
    return _MACHINE[number] + (", or choose another --out" * (elsewhere and number in _OF_PLACE))


def number_in(text: str) -> int | None:
    """Returns the number of the system's error that a text names; None without one.

    Texts of Rust end with the number. Others hold the words of the system for it.
    """
    found = _OF_RUST.search(text)
    if found:
        return int(found[1])
    return next((number for number in _MACHINE if os.strerror(number) in text), None)


def system_fault(error: BaseException) -> SystemFault | None:
    """Returns an error of the system in one line; None if it is any other error."""
    if isinstance(error, MemoryError):
        return SystemFault(f"pantala: there is too little memory; {_MEMORY}", 1)
    if isinstance(error, RuntimeError) and "can't start new thread" in str(error):
        return SystemFault(f"pantala: no thread can be started; {_THREADS}", 1)
    if isinstance(error, ValueError) and "null byte" in str(error):
        return SystemFault(
            "pantala: a path has a NUL character, which no name of a file can have; correct it", 2
        )
    if not isinstance(error, OSError) or error.errno is None:
        return None
    remedy = remedy_of(error.errno) or _NAMED.get(error.errno)
    if remedy is None:
        return None
    where = shortened(str(error.filename), 120) if error.filename else "pantala"
    status = 2 if error.errno in _NAMED else 1
    return SystemFault(f"{where}: {error.strerror or error}; {remedy}", status)


#: The address space that the libraries need, and more for each core: they start threads per core.
_ADDRESS_SPACE, _PER_CORE = 1_200_000_000, 96_000_000


def too_little_address_space() -> str | None:
    """Returns one line if the limit of address space (``ulimit -v``) is too small to start.

    The libraries below Pantala abort or wait for ever if they cannot have their buffers. None if
    the limit is large enough.
    """
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    needed = _ADDRESS_SPACE + _PER_CORE * len(os.sched_getaffinity(0))
    if limit == resource.RLIM_INFINITY or limit >= needed:
        return None
    return (
        f"pantala: the limit of address space is {limit / 1e9:.1f} GB (ulimit -v), and Pantala"
        f" needs {needed / 1e9:.1f} GB on {len(os.sched_getaffinity(0))} cores; raise it, e.g."
        f" ulimit -v {2 * needed // 1024}"
    )
