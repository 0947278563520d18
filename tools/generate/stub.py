"""python/pantala/__init__.pyi: the public names as type checkers see them."""

from __future__ import annotations

from generate.python import formatted

_HEAD = """# `make generate` writes this file from the list in __init__.py; do not edit it.
"""


def text() -> str:
    """Returns the stub's source."""
    import pantala

    public: dict[str, tuple[str, ...]] = vars(pantala)["_PUBLIC"]
    lines = [
        f"from {module} import {', '.join(f'{name} as {name}' for name in names)}"
        for module, names in public.items()
    ]
    models = [
        "from pantala.scenario import *",
        "from pantala.workloads import Compute as Compute, Workload as Workload",
        "from pantala.workloads import Workloads as Workloads",
        "from pantala.workloads.kinds import *",
    ]
    source = "\n".join([*lines, *models, "", "__version__: str", ""])
    return _HEAD + formatted(source)
