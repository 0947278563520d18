"""``python -m pantala`` is the command `pantala`."""

from pantala.cli import main

main()
