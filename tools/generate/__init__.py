"""Development tool: writes every file made from the catalogue of the compiled core, and finds stale
ones.
"""
