"""Texts and amounts: units, formats, and what terminals and notebooks show."""
