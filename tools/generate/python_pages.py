"""docs/reference/python.md and figures.md: signatures and docstrings of the Python package."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterator
from functools import cached_property
from types import FunctionType
from typing import Any

from generate.reference import page
from markdown_table import table

#: The sections of a docstring in Google's style.
_PART = re.compile(r"^(Args|Returns|Yields|Raises|Warns|Attributes):$")
#: The first line of an argument's or an error's description.
_ITEM = re.compile(r"^[*\w.]+(?: \([^)]*\))?:")

_STARS = {inspect.Parameter.VAR_POSITIONAL: 1, inspect.Parameter.VAR_KEYWORD: 2}
#: After a parameter of these kinds, keyword-only parameters need no star.
_STARRED = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.KEYWORD_ONLY)

_VALUES = (property, cached_property)
_ROUTINES = (FunctionType, classmethod, staticmethod)


def python_page() -> str:
    """Returns the page of the functions and classes that `pantala` exports."""
    import pantala as pt
    from pantala.studies import link_load

    parts = [
        "# Python",
        "After `import pantala as pt`, every name on this page is `pt.NAME`, unless its"
        " section says otherwise.",
    ]
    functions = ("run", "sweep", "load", "compare", "curve", "saturation", "bench")
    parts += ["## Functions", *_entries(pt, *functions)]
    parts += ["## Results", *_class(pt.Run), *_class(pt.Experiment)]
    parts += [*_class(pt.Comparison, only=()), *_class(pt.Metric, only=())]
    parts += [
        "## Scenarios",
        "[Scenario keys](scenario/index.md) lists the keys, their units and defaults.",
        *_class(
            pt.Scenario,
            only=("from_toml", "from_dict", "replace", "as_given", "plan", "resolve"),
        ),
        *_entries(pt, "scenario_json_schema"),
        "## Quantities",
        'A scenario takes quantities as text, such as `"30 ns"`; its parts hold them as numbers.',
    ]
    for name in ("Duration", "Size", "Bandwidth", "Capacity"):
        parts += _class(getattr(pt, name), only=("parse",))
    programs = pt.programs
    parts += [
        "## Programs",
        "[Bring your own program](../own-program.md) explains programs in Python."
        " [Calls of a program](program-calls.md) lists the calls.",
        *_entries(pt, "Program"),
        *(
            part.replace("# outputs", "# programs.outputs")
            for part in _entries(programs, "outputs")
        ),
        *_class(programs.Output, only=()),
        "## Exact loads of links",
        "After `from pantala.studies import link_load`. [The exact"
        " model](../explanation/studies.md#the-exact-model) has an example.",
        *(
            re.sub("^(#+) ", r"\1 link_load.", part)
            for part in _entries(
                link_load, "gateways", "Gateways", "Flows", "link_loads", "LinkLoads"
            )
        ),
        "## Errors and warnings",
    ]
    parts += _class(pt.PantalaError)
    parts += _class(pt.ScenarioError, only=("lines", "others"))
    for name in (
        "Fault",
        "UsageError",
        "ProgramError",
        "RunDirectoryError",
        "SimulationError",
        "Interrupted",
        "ScenarioWarning",
    ):
        parts += _class(getattr(pt, name), only=())
    return page(parts)


def figures_page() -> str:
    """Returns the page of `pantala.figures` and `pantala.report`."""
    from pantala import figures, report
    from pantala.report import finding, run_report

    hidden = {"DASHES", "FORMATS", "KINDS", "MARKERS", "PALETTE", "SATURATED", "style"}
    names = [name for name in figures.__all__ if name not in hidden]
    return page(
        [
            "# Figures and report",
            "## Kinds of figures",
            "`pantala figure KIND RUN...` draws each of them ([how-to](../how-to/figures.md)). In"
            " Python, `figures.draw(kind, {title: run}, {})` draws the same, and the function with"
            " the kind's name, below, draws it from tables. Runs are runs of `pantala run`, also"
            " those of an interference experiment.",
            _kinds(),
            "## pantala.figures",
            *_text(figures),
            *_entries(figures, *names),
            "## pantala.report",
            *_text(report),
            *_entries(run_report, "write_report", "render_report"),
            *_entries(finding, "finding_of"),
        ]
    )


def _kinds() -> str:
    """Returns the table of all kinds of figures."""
    from pantala.figures import KINDS

    return table(
        ["kind", "of", "shows", "after", "options", "needs"],
        [
            [
                f"`{kind.name}`",
                kind.takes,
                kind.text,
                kind.source,
                " ".join(f"`--{option}`" for option in kind.options),
                f"`{kind.records}`" if kind.records else "",
            ]
            for kind in KINDS.values()
        ],
        left=6,
    )


def _entries(module: Any, *names: str) -> Iterator[str]:
    for name in names:
        found = getattr(module, name)
        if inspect.isclass(found):
            yield from _class(found)
        else:
            yield from (f"### {name}", _signature(name, found), *_text(found))


def _class(found: type, only: tuple[str, ...] | None = None) -> Iterator[str]:
    """Yields the paragraphs about a class and its public members, or only the named members."""
    yield f"### {found.__name__}"
    if not issubclass(found, BaseException) and only is None:
        yield _signature(found.__name__, found)
    yield from members(found, only, found.__name__, level=4)


def members(found: type, only: tuple[str, ...] | None, owner: str, level: int = 3) -> Iterator[str]:
    """Yields the docstring of a class and the paragraphs about its members.

    Args:
        found: the class.
        only: the members; all public ones if not given.
        owner: what stands before the dot in a heading.
        level: the level of the headings.
    """
    mark = "#" * level
    yield from _text(found)
    for name, member in _members(found).items():
        shown = name in only if only is not None else not name.startswith("_")
        if not shown or not isinstance(member, (*_VALUES, *_ROUTINES)):
            continue
        if isinstance(member, _VALUES):
            yield f"{mark} {owner}.{name}"
            yield from _text(member)
        else:
            yield f"{mark} {owner}.{name}()"
            yield _signature(name, getattr(found, name))
            yield from _text(getattr(found, name))


def _members(found: type) -> dict[str, Any]:
    """Returns the members of a class, after those of its bases in the same package."""
    package = found.__module__.rpartition(".")[0]
    bases = [each for each in found.__mro__ if each.__module__.rpartition(".")[0] == package]
    if issubclass(found, BaseException):
        bases = [found]
    return {name: member for each in reversed(bases) for name, member in vars(each).items()}


def _signature(name: str, found: Any) -> str:
    """Returns the signature as a block of Python, over several lines if it is long."""
    signature = inspect.signature(found)
    sentences: list[str] = []
    kind: Any = None
    for parameter in signature.parameters.values():
        if parameter.name == "self":
            continue
        if kind is parameter.POSITIONAL_ONLY and parameter.kind is not kind:
            sentences.append("/")
        if parameter.kind is parameter.KEYWORD_ONLY and kind not in _STARRED:
            sentences.append("*")
        kind = parameter.kind
        stars = "*" * _STARS.get(kind, 0)
        default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
        sentences.append(f"{stars}{parameter.name}: {parameter.annotation}{default}")
    if kind is inspect.Parameter.POSITIONAL_ONLY:
        sentences.append("/")
    returned = signature.return_annotation
    shown = not inspect.isclass(found) and returned is not signature.empty
    arrow = f" -> {returned}" if shown else ""
    line = f"{name}({', '.join(sentences)}){arrow}"
    if len(line) > 96:
        inside = "".join(f"    {item},\n" for item in sentences)
        line = f"{name}(\n{inside}){arrow}"
    return f"```py\n{line}\n```"


def _text(found: Any) -> Iterator[str]:
    """Returns a docstring as Markdown; its sections become lists."""
    lines = (inspect.getdoc(found) or "").replace("``", "`").splitlines()
    body: list[str] = []
    while lines:
        part = _PART.match(lines[0])
        if part is None:
            body.append(lines.pop(0))
            continue
        lines.pop(0)
        inside = []
        while lines and (not lines[0].strip() or lines[0].startswith(" ")):
            inside.append(lines.pop(0))
        body += ["", *_part(part[1], textwrap.dedent("\n".join(inside)))]
    yield re.sub(r"\n{3,}", "\n\n", _examples("\n".join(body)).strip())


def _part(name: str, text: str) -> list[str]:
    if name in {"Returns", "Yields"}:
        return [f"**{name}**: {' '.join(text.split())}", ""]
    items: list[str] = []
    for line in text.strip().splitlines():
        if _ITEM.match(line) or not items:
            items.append(line)
        else:
            items[-1] += f" {line.strip()}"
    sentences = []
    for item in items:
        head, _, rest = item.partition(":")
        sentences.append(f"- `{head.split(' (')[0]}`: {' '.join(rest.split())}")
    return [f"**{'Arguments' if name == 'Args' else name}**", "", *sentences, ""]


def _examples(text: str) -> str:
    """Returns an indented example after `::` as a block of code."""

    def block(found: re.Match[str]) -> str:
        return f"{found[1]}:\n\n```py\n{textwrap.dedent(found[2]).strip()}\n```\n\n"

    return re.sub(r"(.*)::\n\n((?:(?:[ ]{4}.*)?\n?)+)", block, text)
