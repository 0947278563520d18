"""Writes a coNCePTuaL program in another form, for a number of ranks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pantala.core import native
from pantala.errors import PlanError, UsageError
from pantala.export.program_forms.goal import write_goal
from pantala.export.program_forms.operations import (
    ABORT,
    CODES,
    RUN,
    Operations,
    read_operations,
    text_of_abort,
)
from pantala.export.program_forms.python import write_python
from pantala.export.program_forms.refusals import refusals
from pantala.files.atomic_file import atomic_file, scratch_folder
from pantala.scenario import Job, Ncptl, Scenario
from pantala.text.amounts import counted

__all__ = ["FORMS", "Written", "export_program"]

#: The forms: operation file, GOAL schedule, Python program.
FORMS = ("operations", "goal", "python")


class Written(NamedTuple):
    """A written file.

    Attributes:
        operations: MPI calls and computations of all ranks.
        entries: what the file has of them: records, GOAL operations, or calls in the text.
        bytes: its size.
    """

    operations: int
    entries: int
    bytes: int


def export_program(
    program: Path,
    ranks: int,
    form: str,
    out: Path,
    *,
    arguments: Mapping[str, str] | None = None,
    seed: int = 1,
) -> Written:
    """Writes the operations of a coNCePTuaL program as a file of another form.

    Args:
        program: the program.
        ranks: the number of ranks.
        form: one of `FORMS`.
        out: the file to write.
        arguments: values of the program's options.
        seed: the seed of its random tasks.

    Raises:
        ScenarioError: the program, an option or the number of ranks is wrong.
        PlanError: the program is wrong; the key is ``file``.
        UsageError: the program depends on the run, fails, or says what the form cannot.
    """
    workload = Ncptl(file=str(program), arguments=dict(arguments or {}), seed=seed)
    for each in refusals(workload.source()):
        raise UsageError(
            f"{program}:{each.line}:{each.column}: {each.message}, so no other form can say it;"
            f" {each.remedy}"
        )
    job = Job(name="program", ranks=ranks, workload=workload)
    plan = Scenario(name="program", machine=_machine(ranks), routing="minimal", jobs=[job]).plan()
    with atomic_file(out) as half, scratch_folder(out.parent) as folder:
        whole = folder / "program.ops"
        try:
            facts = native.export_operations(plan, "program", whole)
        except PlanError as error:
            if error.key.endswith("file"):
                raise PlanError("file", error.value, error.message, error.remedy) from None
            raise
        except ValueError as error:
            raise UsageError(f"{program}: {error}; write another program") from None
        operations = read_operations(whole)
        _check(operations, program)
        if form == "operations":
            entries = native.merge_operation_files([whole], half)["records"]
        else:
            write = write_goal if form == "goal" else write_python
            with half.open("w", encoding="utf-8") as text:
                title = f"{program.name} on {counted(ranks, 'rank')}"
                entries = write(operations, text, title)
        return Written(facts["operations"], entries, half.stat().st_size)


def _machine(ranks: int) -> dict[str, Any]:
    """Returns a machine with a node for each rank; the operations do not depend on it."""
    topology = {"p": max(1, -(-ranks // 36)), "a": 4, "h": 2, "g": 9}
    return {"preset": "kang2022", "topology": topology}


def _check(operations: Operations, program: Path) -> None:
    """Checks that all operations have a place in every form.

    Raises:
        UsageError: a rank stops with an error, or an operation is none of coNCePTuaL's.
    """
    if found := operations.first_of(ABORT):
        rank, record = found
        reason = text_of_abort(record, operations.lists)
        raise UsageError(f"{program}: rank {rank} stops: {reason}; correct the program")
    for code in set(np.unique(operations.records["code"]).tolist()) - {*CODES, RUN}:
        raise UsageError(
            f"{program}: makes operation {code}, which no other form has; write another program"
        )
