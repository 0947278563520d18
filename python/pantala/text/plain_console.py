"""The console that every table, progress line and note goes through."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from pantala.text.plain_text import plain

__all__ = ["PlainConsole"]


class PlainConsole(Console):
    """A console of rich on which no text from outside controls the terminal.

    Control sequences come from styles and progress lines only, never from texts. A text is not
    markup either: a job may be called ``[red]``.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"markup": False, "emoji": False, **options})

    def render_str(self, text: str, **options: Any) -> Text:
        """Returns a string as rich's text, made plain before its width is measured."""
        return super().render_str(plain(text), **options)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Renders, and makes plain the texts that did not come as strings."""
        for segment in super().render(renderable, options):
            text, style, control = segment
            yield segment if control else Segment(plain(text), style)

    def on_broken_pipe(self) -> None:
        """Leaves a closed pipe to the command line, which knows the exit status."""
        raise
