"""The descriptions of keys: the strings that follow the fields of a model in its source."""

from __future__ import annotations

import ast
import inspect
from functools import cache
from textwrap import dedent
from typing import Any

from pydantic import BaseModel

__all__ = ["add_descriptions"]


def add_descriptions(schema: dict[str, Any], model: type[BaseModel]) -> None:
    """Adds the description of each key to the JSON Schema of a model.

    Pydantic's own way, ``use_attribute_docstrings``, parses the source of every model when it is
    imported, which takes longer than all else about a model.
    """
    found: dict[str, str] = {}
    for base in reversed(model.__mro__):
        if base is not BaseModel and issubclass(base, BaseModel):
            found |= _own(base)
    for name, field in model.model_fields.items():
        key = schema.get("properties", {}).get(field.alias or name)
        if key is not None and name in found:
            at = {"description": found[name]}
            rest = dict(key)
            key.clear()
            key.update(at | rest)


@cache
def _own(model: type[BaseModel]) -> dict[str, str]:
    """Returns the strings after the fields of a class, without those of its bases.

    A class that was typed into an interpreter has no source, and so no strings.
    """
    try:
        source = inspect.getsource(model)
    except (OSError, TypeError):  # TypeError: its module has no file
        return {}
    (tree,) = ast.parse(dedent(source)).body
    assert isinstance(tree, ast.ClassDef)
    return {
        field.target.id: inspect.cleandoc(text.value.value)
        for field, text in zip(tree.body, tree.body[1:], strict=False)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }
