"""The function of a Python program: found in a file, or given by its object."""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from pantala.errors import ProgramError
from pantala.input_file import read_text, unreadable

__all__ = ["ProgramFunction", "check_arguments", "load", "remember"]

ProgramFunction = Callable[..., object]

#: Functions given as objects, by the file and the name that a scenario holds.
_given: dict[tuple[str, str], ProgramFunction] = {}
#: Modules of files, by path and the hash of the text.
_loaded: dict[tuple[Path, str], ModuleType] = {}


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


def load(file: str, name: str) -> ProgramFunction:
    """Returns the function `name` of a file.

    Raises:
        ProgramError: the file cannot be read or run, or has no such function.
    """
    if (file, name) in _given:
        return _given[file, name]
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


def _module(path: Path) -> ModuleType:
    try:
        text = read_text(path)
    except OSError as error:
        message, remedy = unreadable(error, "name a file with a Python program")
        raise ProgramError(f"{path}: {message}; {remedy}") from None
    except UnicodeDecodeError:
        raise ProgramError(
            f"{path}: cannot be read: is not text; name a file with a Python program"
        ) from None
    key = path.resolve(), hashlib.sha256(text.encode()).hexdigest()
    if key in _loaded:
        return _loaded[key]
    module = ModuleType(f"pantala_program_{path.stem}")
    module.__file__ = str(path)
    # Files beside the program can be imported, as in `python FILE`.
    folder = str(path.resolve().parent)
    sys.path.insert(0, folder)
    try:
        exec(compile(text, str(path), "exec"), vars(module))
    except SyntaxError as error:
        raise ProgramError(f"{path}:{error.lineno}: {error.msg}; correct the program") from None
    except (Exception, SystemExit) as error:
        remedy = "correct the program"
        if isinstance(error, ImportError) and (error.name or "").split(".")[0] == "mpi4py":
            remedy = "remove the import: the first argument of the function has the calls"
        raise ProgramError(
            f"{path}:{line_of(error, str(path))}: {in_words(error)}; {remedy}"
        ) from None
    finally:
        if folder in sys.path:
            sys.path.remove(folder)
    _loaded[key] = module
    return module


def line_of(error: BaseException, file: str) -> int:
    """Returns the innermost line of a file at which an error was raised; 0 if there is none."""
    line, at = 0, error.__traceback__
    while at is not None:
        if at.tb_frame.f_code.co_filename == file:
            line = at.tb_lineno
        at = at.tb_next
    return line


def in_words(error: BaseException) -> str:
    """Returns an error in one line."""
    lines = str(error).split("\n")
    text = lines[0] + (" ..." if len(lines) > 1 else "")
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


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
