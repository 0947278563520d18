"""`pantala explore`: opens a run or an experiment in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pantala.cli import complete
from pantala.cli.arguments import out_file
from pantala.text.plain_text import say

__all__ = ["HELP", "explore"]

HELP = """Explore a run or an experiment in the browser: when, where, and who waited for whom.

A server on this machine answers until Ctrl-C. It listens on 127.0.0.1 only, and only the printed
address opens the page. On a remote machine, forward the port with [b]ssh -L[/b]. [b]--out[/b]
writes one file with the most important data instead.

The first start sums the windows of links into a folder [b]explorer[/b] beside the tables."""


def explore(
    directory: Annotated[
        Path,
        typer.Argument(
            metavar="DIR",
            help="A run directory, or the directory of pantala sweep.",
            show_default=False,
            autocompletion=complete.files,
        ),
    ],
    port: Annotated[
        int,
        typer.Option(
            "--port", metavar="N", min=0, max=65535, help="The port; 0 stands for a free one."
        ),
    ] = 0,
    browser: Annotated[
        bool,
        typer.Option("--browser/--no-browser", help="Open the page in the default browser."),
    ] = True,
    out: Annotated[
        Path | None,
        out_file("Write one self-contained page of at most 15 MB to this file, and end."),
    ] = None,
) -> None:
    """Serves the explorer until it is interrupted, or writes its page."""
    from pantala.api.load import load
    from pantala.explorer.subject import subject_of
    from pantala.runs.progress import shown_steps
    from pantala.text.plain_console import PlainConsole

    subject = subject_of(load(directory))
    console = PlainConsole(stderr=True)
    with shown_steps("explore", console if console.is_terminal else None):
        if out is not None:
            from pantala.explorer.page import write_page

            left_out = write_page(subject, out)
            say(f"explorer: {out}, {out.stat().st_size / 1e6:.1f} MB")
            if left_out:
                say(f"left out: {'; '.join(left_out)}; pantala explore {directory} has everything")
            return
        for fault in subject.facts(0)["faults"]:
            say(fault)
    _serve(subject, port, browser=browser)


def _serve(subject: object, port: int, *, browser: bool) -> None:
    import contextlib
    import sys
    import threading
    import webbrowser
    from typing import cast

    from pantala.explorer.server import server_of
    from pantala.explorer.subject import Subject

    with server_of(cast("Subject", subject), port) as server:
        # While the browser starts, the server makes the tables of the first view.
        threading.Thread(target=server.tables.prepare, daemon=True).start()
        say(f"explorer: {server.address}")
        say(
            "Ctrl-C ends it. From another machine:"
            f" ssh -L {server.port}:127.0.0.1:{server.port} HOST, then the same address."
        )
        sys.stdout.flush()  # into a file or a pipe, which get it only at the end otherwise
        if browser:
            with contextlib.suppress(webbrowser.Error):
                webbrowser.open(server.address)
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()
