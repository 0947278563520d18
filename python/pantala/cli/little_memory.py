"""The end of memory under a limit of address space (``ulimit -v``): one line, exit status 1.

A library that cannot have its memory aborts the process with a text of its own. Under such a limit
the command runs in a child process, and this one tells its end.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
from collections.abc import Callable
from typing import NoReturn

from pantala.system.system_errors import system_fault, too_little_address_space

__all__ = ["run_in_little_memory"]

#: What libraries print if they have no memory: Rust, jemalloc, OpenBLAS, the C++ library.
_ENDS = (b"memory allocation of ", b"<jemalloc>", b"OpenBLAS error", b"std::bad_alloc")


def run_in_little_memory(command: Callable[[], NoReturn]) -> NoReturn:
    """Runs a command that exits; under a limit of address space, in a child process."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        command()
    if fault := too_little_address_space():
        print(fault, file=sys.stderr)
        sys.exit(1)
    sys.stdout.flush()
    sys.stderr.flush()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _in_child(command, reading, writing)
    os.close(writing)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal sends it to the child too
    signal.signal(signal.SIGTERM, lambda number, _: os.kill(child, number))
    aborted = _passed_on(reading)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    if aborted or code == -signal.SIGABRT:
        fault_of_memory = system_fault(MemoryError())
        assert fault_of_memory is not None
        print(fault_of_memory.line, file=sys.stderr)
        sys.exit(1)
    sys.exit(code if code >= 0 else 128 - code)


def _in_child(command: Callable[[], NoReturn], reading: int, writing: int) -> NoReturn:
    """Runs the command with standard error in the pipe, and ends the process."""
    os.close(reading)
    os.dup2(writing, 2)
    os.close(writing)
    code: object = 1
    try:
        command()
    except SystemExit as error:
        code = error.code
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else int(code is not None))


def _passed_on(reading: int) -> bool:
    """Passes standard error of the child on, up to the text of a library that has no memory.

    Returns:
        Whether there was such a text.
    """
    rest, aborted = b"", False
    while block := os.read(reading, 65536):
        lines = (rest + block).split(b"\n")
        rest = lines.pop()
        for line in lines:
            aborted = aborted or any(text in line for text in _ENDS)
            if not aborted:
                os.write(2, line + b"\n")
    aborted = aborted or any(text in rest for text in _ENDS)
    if rest and not aborted:
        os.write(2, rest)
    return aborted
