"""Input files of users: regular files of a bounded size, opened without waiting.

A named pipe without a writer blocks the process that opens it, and a device such as /dev/zero never
ends. These functions refuse both before they read. Every error is an `OSError` whose `strerror` is
the reason.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

__all__ = [
    "LARGE_TEXT",
    "TEXT",
    "Unreadable",
    "check_regular",
    "open_input",
    "read_text",
    "unreadable",
]

#: The most bytes of a text that people write, such as a scenario or a program.
TEXT = 64 * 2**20
#: The most bytes of a text that programs write, such as a log of a batch system or a list of nodes.
LARGE_TEXT = 2 * 2**30

#: The kinds of files that hold no text, and the words for them.
_KINDS = (
    (stat.S_ISDIR, "is a directory"),
    (stat.S_ISFIFO, "is a pipe"),
    (stat.S_ISSOCK, "is a socket"),
    (stat.S_ISCHR, "is a device"),
    (stat.S_ISBLK, "is a device"),
)
_BLOCK = 2**20
_CHECK_PATH = "check the path and its permissions"


class Unreadable(OSError):
    """A file that cannot serve as input, although the system could open it.

    Attributes:
        remedy: what to do.
    """

    remedy: str = ""


def unreadable(error: OSError, remedy: str = _CHECK_PATH) -> tuple[str, str]:
    """Returns message and remedy for an input file that cannot be read.

    Args:
        error: the error of one of the functions below.
        remedy: the remedy for a missing file and for one without permission.
    """
    given = error.remedy if isinstance(error, Unreadable) else ""
    if error.errno in (errno.EMFILE, errno.ENFILE):
        given = "raise the limit of open files (ulimit -n), or close other programs"
    return f"cannot be read: {error.strerror or error}", given or remedy


def check_regular(path: str | Path) -> os.stat_result:
    """Returns the facts of a file if it is a regular file.

    Raises:
        OSError: the file is missing, or is a directory, a pipe, a device or a socket.
    """
    if "\0" in str(path):
        raise _refused(
            errno.EINVAL, "the name has a NUL character", path, "write a path without it"
        )
    facts = os.stat(path)  # noqa: PTH116 - a path of the system, perhaps a text
    _check_kind(facts, path)
    return facts


def open_input(path: str | Path) -> BinaryIO:
    """Opens a regular file for reading, without waiting for a writer.

    Raises:
        OSError: the file is missing, cannot be read, or is no regular file.
    """
    check_regular(path)  # before opening it: to open a device can have effects
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        _check_kind(os.fstat(descriptor), path)  # it can be another file by now
    except BaseException:
        os.close(descriptor)
        raise
    return os.fdopen(descriptor, "rb")


def read_text(path: str | Path, *, most: int = TEXT, errors: str = "strict") -> str:
    """Returns the text of a regular file in UTF-8, with line ends as LF.

    Args:
        path: the file.
        most: the most bytes that it may have.
        errors: how to decode bytes that are not UTF-8, as in `bytes.decode`.

    Raises:
        OSError: the file cannot be read, is no regular file, or is larger than `most`.
        UnicodeDecodeError: the file is not UTF-8.
    """
    content = bytearray()
    with open_input(path) as file:
        while (block := file.read(_BLOCK)) and len(content) <= most:
            content += block
    if len(content) > most:
        size = f"{most // 2**30} GiB" if most >= 2**30 else f"{most // 2**20} MiB"
        raise _refused(
            errno.EFBIG, f"is larger than {size}, the most of such a file", path, "check the path"
        )
    return content.decode("utf-8", errors).replace("\r\n", "\n").replace("\r", "\n")


def _check_kind(facts: os.stat_result, path: str | Path) -> None:
    for is_kind, words in _KINDS:
        if is_kind(facts.st_mode):
            remedy = "name a file in it" if words == "is a directory" else "write it into a file"
            raise _refused(errno.EINVAL, f"{words}, not a regular file", path, remedy)


def _refused(number: int, reason: str, path: str | Path, remedy: str) -> Unreadable:
    error = Unreadable(number, reason, str(path))
    error.remedy = remedy
    return error
