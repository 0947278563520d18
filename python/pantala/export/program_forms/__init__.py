"""Other forms of a coNCePTuaL program: an operation file, a GOAL schedule, a Python program."""

from pantala.export.program_forms.write import FORMS, Written, export_program

__all__ = ["FORMS", "Written", "export_program"]
