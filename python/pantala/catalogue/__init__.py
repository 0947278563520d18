"""Python copies of the core's declarations.

``make generate`` writes the modules of this folder, except where a module says otherwise.
"""
