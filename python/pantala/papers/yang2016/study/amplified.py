"""sAMG from AMG's trace: the operations of a job with more bytes in every call."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from pantala.core import native
from pantala.core.operation_codes import RECORD_FIELDS
from pantala.errors import UsageError
from pantala.export.operation_files import export_job
from pantala.files.atomic_file import scratch_folder, write_bytes
from pantala.files.private_folder import cache_folder
from pantala.scenario import Job, Scenario
from pantala.workloads import Trace

__all__ = ["amplified", "with_more_bytes"]

#: Changes when the same trace gives another file.
_VERSION = 1

# The form of an operation file: docs/reference/operation-file.md.
_HEADER, _FOOTER, _HASH, _END = 32, 96, 32, 8
_RECORD = np.dtype(RECORD_FIELDS)
#: Codes whose field `first` is a number of bytes; and codes with a list of bytes in a field.
_MESSAGES = (3, 4, 5, 6, 7, 8, 9, 10, 13, 14, 26, 27, 28, 29)
_COLLECTIVES = (33, 34, 35, 36, 38, 40, 42, 44, 46, 47)
_LISTS = {"first": (45,), "second": (37, 39, 41, 43, 45)}


def amplified(trace: Path, factor: int) -> Path:
    """Returns an operation file of a trace, without computing and with more bytes in every call.

    The file is in the user's cache. A trace whose files change is converted again.

    Args:
        trace: the trace.
        factor: the factor of all numbers of bytes: of messages, receives and collectives.

    Raises:
        UsageError: there is no such trace, its operations depend on the run, or the cache cannot be
            written.
    """
    _, digest, ranks, _ = native.identify_trace(str(trace))
    key = hashlib.sha256(f"{_VERSION} {digest} {factor}".encode()).hexdigest()[:32]
    folder = cache_folder("yang2016", "traces with more bytes")
    file = folder / f"{key}.operations"
    if file.is_file():
        return file
    job = Job(name="job", ranks=ranks, workload=Trace(path=str(trace), compute="none"))
    scenario = Scenario(name="trace", machine="yang2016", routing="minimal", jobs=(job,))
    try:
        with scratch_folder(folder) as scratch:
            plain = scratch / "plain.operations"
            export_job(scenario, None, plain)
            made = with_more_bytes(plain.read_bytes(), factor)
        write_bytes(file, made)
    except OSError as error:
        message = f"{folder}: the trace with more bytes cannot be written there: {error.strerror}"
        raise UsageError(f"{message}; set XDG_CACHE_HOME to a folder that can be written") from None
    return file


def with_more_bytes(content: bytes, factor: int) -> bytes:
    """Returns the content of an operation file with all numbers of bytes times a factor."""
    footer = np.frombuffer(content, "<u8", 7, len(content) - _FOOTER).copy()
    count, number_of_words, number_of_lists = (int(each) for each in footer[:3])
    records = np.frombuffer(content, _RECORD, count, _HEADER).copy()
    at = _HEADER + records.nbytes
    words = np.frombuffer(content, "<u8", number_of_words, at)
    lists = np.frombuffer(content, "<u8", 2 * number_of_lists, at + words.nbytes).reshape(-1, 2)
    rest = content[at + words.nbytes + lists.nbytes : len(content) - _FOOTER]

    sized = np.isin(records["code"], _MESSAGES + _COLLECTIVES)
    records["first"][sized] *= np.uint64(factor)
    # Other operations can share a list, so lists of bytes are added, not changed.
    new: dict[int, int] = {}
    added, bounds = [words], [lists]
    for field, codes in _LISTS.items():
        for record in np.flatnonzero(np.isin(records["code"], codes)):
            old = int(records[field][record])
            if old not in new:
                first, length = (int(each) for each in lists[old])
                new[old] = number_of_lists + len(new)
                start = sum(len(each) for each in added)
                added.append(words[first : first + length] * np.uint64(factor))
                bounds.append(np.array([[start, length]], dtype="<u8"))
            records[field][record] = new[old]
    footer[1], footer[2] = sum(len(each) for each in added), number_of_lists + len(new)
    arrays = [each.tobytes() for each in (records, *added, *bounds)]
    body = b"".join([content[:_HEADER], *arrays, rest, footer.tobytes()])
    return body + hashlib.sha256(body).digest() + content[-_END:]
