"""Input files of other programs, read as scenarios. One folder per program."""
