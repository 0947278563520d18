"""python/pantala/workloads/kinds.py: the workloads by kind, with the modules that define them."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

from generate.python import formatted

#: The folder of this package, from which another process imports it.
TOOLS = Path(__file__).resolve().parents[1]

_HEAD = '''"""The workloads by kind and where they are defined. `make generate` writes this file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pantala.models.kinds import Kinds
'''


def text_of_now() -> str:
    """Returns the module's source, made by a process of its own.

    This process can then import the package with the new table.
    """
    here = {**os.environ, "PYTHONPATH": str(TOOLS)}
    code = "from generate.workload_kinds import text; print(text(), end='')"
    made = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=here
    )
    return made.stdout


def text() -> str:
    """Returns the module's source.

    The class of a kind is the class with a field `kind` in a module of pantala/workloads.
    """
    from pantala import workloads
    from pantala.models.base import Model
    from pantala.workloads.application import Application
    from pantala.workloads.ember.motif import EmberMotif
    from pantala.workloads.front_end import FrontEnd
    from pantala.workloads.pattern import Pattern

    modules = [
        import_module(each.name) for each in walk_packages(workloads.__path__, "pantala.workloads.")
    ]
    found = {
        model.__name__: model
        for module in modules
        for model in vars(module).values()
        if inspect.isclass(model) and issubclass(model, Model) and "kind" in model.model_fields
    }
    classes = [found[name] for name in sorted(found)]
    tables: dict[str, tuple[type[Model], str]] = {
        "APPLICATIONS": (Application, "The applications"),
        "EMBER": (EmberMotif, "The motifs of Ember"),
        "FRONT_ENDS": (FrontEnd, "Programs, traces and operation files"),
        "PATTERNS": (Pattern, "Synthetic traffic"),
    }
    lines = [_HEAD, "if TYPE_CHECKING:"]
    bases = [base for base, _ in tables.values() if base not in classes]
    lines += [
        f"    from {each.__module__} import {each.__name__} as {each.__name__}"
        for each in sorted([*classes, *bases], key=lambda each: (each.__module__, each.__name__))
    ]
    lines.append(f"\n__all__ = {sorted([*found, *(each.__name__ for each in bases)])!r}\n")
    for name, (base, what) in tables.items():
        places = {
            each.model_fields["kind"].default: f"{each.__module__}:{each.__name__}"
            for each in classes
            if issubclass(each, base)
        }
        lines.append(f"#: {what} by kind, in the order of their classes.")
        lines.append(f"{name}: Kinds[{base.__name__}] = Kinds({places!r})")
    return formatted("\n".join(lines) + "\n")
