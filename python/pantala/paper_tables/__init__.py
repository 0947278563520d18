"""Tables of applications that papers have, measured anew: what every application is, beside what
the paper says.
"""

from __future__ import annotations

from pantala.paper_tables.registry import paper_table, paper_tables
from pantala.paper_tables.table import Column, PaperTable, Record, Row, measure

__all__ = ["Column", "PaperTable", "Record", "Row", "measure", "paper_table", "paper_tables"]
