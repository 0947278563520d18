"""The function of a Python program: found in a file, or given by its object."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from pantala.errors import ProgramError, shortened
from pantala.files.input_file import read_text, unreadable
from pantala.text.plain_text import plain

__all__ = [
    "ProgramFunction",
    "check_arguments",
    "given",
    "in_words",
    "load",
    "place_of",
    "remember",
    "text_of",
]

ProgramFunction = Callable[..., object]

#: Functions given as objects, by the file and the name that a scenario holds.
_given: dict[tuple[str, str], ProgramFunction] = {}
#: The most characters of the text of an error of the program.
_LONGEST = 300


def remember(function: ProgramFunction) -> tuple[str, str]:
    """Keeps a function that a scenario names. Returns its file and its name there."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    file = code.co_filename if code is not None else "<python>"
    plain = getattr(function, "__qualname__", type(function).__name__)
    name, number = plain, 1
    while _given.setdefault((file, name), function) is not function:
        number += 1
        name = f"{plain}#{number}"
    return file, name


def given(file: str, name: str) -> ProgramFunction | None:
    """Returns the function that `remember` kept under these names; None if there is none."""
    return _given.get((file, name))


def load(file: str, name: str) -> ProgramFunction:
    """Returns the function `name` of a file.

    Raises:
        ProgramError: the file cannot be read or run, or has no such function.
    """
    module = _module(Path(file))
    function = getattr(module, name, None)
    if function is None or not callable(function):
        names = [
            each
            for each, value in vars(module).items()
            if inspect.isfunction(value) and value.__module__ == module.__name__
        ]
        has = f"it has {', '.join(names)}" if names else "it has none"
        raise ProgramError(f"{file}: has no function '{name}'; {has}; set the key function")
    found: ProgramFunction = function
    return found


def text_of(file: str) -> str:
    """Returns the text of a program.

    Raises:
        ProgramError: the file cannot be read, or is no file with text.
    """
    try:
        return read_text(Path(file))
    except OSError as error:
        message, remedy = unreadable(error, "name a file with a Python program")
        raise ProgramError(f"{file}: {message}; {remedy}") from None
    except UnicodeDecodeError:
        raise ProgramError(
            f"{file}: cannot be read: is not text; name a file with a Python program"
        ) from None


def _module(path: Path) -> ModuleType:
    text = text_of(str(path))
    module = ModuleType(f"pantala_program_{path.stem}")
    module.__file__ = str(path)
    # Files beside the program can be imported, as in `python FILE`.
    folder = str(path.resolve().parent)
    sys.path.insert(0, folder)
    try:
        exec(compile(text, str(path), "exec"), vars(module))
    except SyntaxError as error:
        if error.filename != str(path):  # of a file that it imports
            raise ProgramError(f"{_at(error, path)}: {in_words(error)}; correct it") from None
        raise ProgramError(f"{path}:{error.lineno}: {error.msg}; correct the program") from None
    except BaseException as error:
        remedy = "correct the program"
        text = in_words(error)
        if isinstance(error, ImportError) and (error.name or "").split(".")[0] == "mpi4py":
            remedy = "remove the import: the first argument of the function has the calls"
        elif isinstance(error, SystemExit):
            text, remedy = "the program exits", "define a function and nothing that ends"
        elif isinstance(error, MemoryError):
            text = "the program takes more memory than it may"
            remedy = "keep less data, or set a larger memory_limit"
        raise ProgramError(f"{_at(error, path)}: {text}; {remedy}") from None
    finally:
        if folder in sys.path:
            sys.path.remove(folder)
    return module


def _at(error: BaseException, path: Path) -> str:
    """Returns the innermost line of a file at which an error was raised, or only the file."""
    line, at = 0, error.__traceback__
    while at is not None:
        if at.tb_frame.f_code.co_filename == str(path):
            line = at.tb_lineno
        at = at.tb_next
    return f"{path}:{line}" if line else str(path)


def place_of(function: ProgramFunction) -> str:
    """Returns file and line of a function."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code is not None else repr(function)


def in_words(error: BaseException) -> str:
    """Returns an error in one line. The text of an error of a program can itself fail."""
    name = type.__dict__["__name__"].__get__(type(error))
    try:
        lines = str(error).split("\n")
        text = shortened(lines[0], _LONGEST) + (" ..." if len(lines) > 1 else "")
    except BaseException:
        return f"{name}, whose text cannot be read"
    return plain(f"{name}: {text}" if text else name)


def check_arguments(
    function: ProgramFunction, file: str, name: str, arguments: dict[str, Any]
) -> None:
    """Checks that a function takes `mpi` and these arguments.

    Raises:
        ProgramError: it does not.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return
    try:
        signature.bind(None, **arguments)
    except TypeError as error:
        code = getattr(inspect.unwrap(function), "__code__", None)
        line = f":{code.co_firstlineno}" if code is not None else ""
        raise ProgramError(
            f"{file}{line}: {name}{signature}: {error}; set the arguments of the workload"
        ) from None
