"""Traces of other tools, converted into operation files."""
