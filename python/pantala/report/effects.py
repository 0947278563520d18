"""The matrices of victims and aggressors in the report."""

from __future__ import annotations

from pantala.analysis.attribution import MEASURES, METHODS, matrix_of, shown_measures
from pantala.report.reported_run import ReportedRun
from pantala.report.tables import Cell, ReportTable
from pantala.text.amounts import TIMES

__all__ = ["effects_tables"]


def effects_tables(reported: ReportedRun) -> list[ReportTable]:
    """Returns a table per measure: a row per victim, a column per aggressor.

    There is none unless the scenario asks for pairs or leaves jobs out.
    """
    effects = reported.effects
    if effects is None or effects.is_empty():
        return []
    method = effects["method"][0]
    tables = []
    for measure in shown_measures(effects):
        matrix = matrix_of(effects, measure, method)
        what = MEASURES[measure]
        caption = (
            f"Slowdown of {what} by another job: {METHODS[method]}. One seed has no interval;"
            " pantala sweep with several seeds tells effects from chance."
        )
        table = ReportTable(caption, ["slowed job", *(f"by {job}" for job in matrix.columns[1:])])
        for victim, *values in matrix.iter_rows():
            cells = [
                Cell("\N{EN DASH}") if value is None else Cell(f"{value:.2f} {TIMES}", value)
                for value in values
            ]
            table.rows.append([Cell(victim, job=victim), *cells])
        tables.append(table)
    return tables
