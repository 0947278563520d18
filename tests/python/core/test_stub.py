"""The stub of the compiled core names what the core has, with its parameters, and no `Any`."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

import pantala
from pantala import _core

pytestmark = pytest.mark.native

STUB = ast.parse((Path(pantala.__file__).parent / "_core.pyi").read_text())
CLASSES = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef)}


def functions(body: list[ast.stmt]) -> dict[str, list[str]]:
    """Returns the functions of a part of the stub with the names of their parameters."""
    return {
        node.name: [each.arg for each in node.args.args]
        for node in body
        if isinstance(node, ast.FunctionDef)
    }


def test_every_function_has_its_parameters() -> None:
    written = functions(STUB.body)
    there = {
        name: list(inspect.signature(value).parameters)
        for name, value in vars(_core).items()
        if inspect.isbuiltin(value)
    }
    assert written == there


@pytest.mark.parametrize("name", CLASSES)
def test_every_method_has_its_parameters(name: str) -> None:
    written = functions(CLASSES[name].body)
    made = ["self", *inspect.signature(getattr(_core, name)).parameters]
    there = {
        each: list(inspect.signature(value).parameters)
        for each, value in vars(getattr(_core, name)).items()
        if inspect.ismethoddescriptor(value) and not each.startswith("__")
    }
    assert written == {"__init__": made, **there}


def test_nothing_else_is_in_the_core() -> None:
    values = {node.target.id for node in STUB.body if isinstance(node, ast.AnnAssign)}  # type: ignore[union-attr]
    public = {name for name in vars(_core) if not name.startswith("__")}
    assert public == {*functions(STUB.body), *CLASSES, *values} - {"Made", "Message"}


def test_no_type_is_left_open() -> None:
    assert not {node.id for node in ast.walk(STUB) if isinstance(node, ast.Name)} & {"Any"}
