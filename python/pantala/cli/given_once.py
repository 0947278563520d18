"""Applications whose commands take each option once.

Typer takes the last of two values of an option, and the first is lost without a word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import typer
from typer.core import TyperCommand
from typer.exceptions import TyperException

__all__ = ["Application"]


class _Command(TyperCommand):
    """A command that refuses an option given twice, unless it takes several values."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parses the words of a command line.

        Raises:
            TyperException: an option is given twice.
        """
        words = list(args)
        rest = super().parse_args(ctx, args)
        if ctx.resilient_parsing:
            return rest
        for option, times in Counter(self.make_parser(ctx).parse_args(words)[2]).items():
            several = getattr(option, "multiple", False) or getattr(option, "count", False)
            if times > 1 and option.param_type_name == "option" and not several:
                names = (option.opts, option.secondary_opts)
                name = " or ".join(max(each, key=len) for each in names if each)
                raise TyperException(f"{name} is given {_times(times)}; give it once")
        return rest


def _times(number: int) -> str:
    return "twice" if number == 2 else f"{number} times"


class Application(typer.Typer):
    """An application whose commands refuse an option given twice."""

    def command(self, name: str | None = None, **keys: Any) -> Callable[..., Any]:
        """Returns the decorator of a command, as `typer.Typer.command` does."""
        return super().command(name, cls=_Command, **keys)
