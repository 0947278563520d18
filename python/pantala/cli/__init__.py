"""The command line: `pantala`. Every command is a thin face of a function that Python can call."""

from pantala.cli.app import app, main

__all__ = ["app", "main"]
