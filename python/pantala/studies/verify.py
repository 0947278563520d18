"""Repeats stored runs of a study, drawn at random, and compares their hashes."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass

from pantala.files.atomic_file import temporary_folder
from pantala.files.run_directory import RUN_FILE
from pantala.studies.campaign import Campaign

__all__ = ["Repeated", "repeat"]


@dataclass(frozen=True)
class Repeated:
    """A stored run and its repetition.

    Attributes:
        place: the experiment, the case and the part in words.
        run: the identity of the run.
        made_by: the version of Pantala that made the stored run.
        stored: its hash of results.
        repeated: the hash of the repetition.
    """

    place: str
    run: str
    made_by: str
    stored: str
    repeated: str

    @property
    def equal(self) -> bool:
        """Whether the repetition has the same results."""
        return self.stored == self.repeated


def repeat(campaign: Campaign, count: int, seed: int) -> Iterator[Repeated]:
    """Simulates stored runs again, with one thread; the stored runs stay as they are.

    Args:
        campaign: the study.
        count: the most runs to repeat.
        seed: the seed of the draw.

    Yields:
        Each run with its repetition, when it is done.

    Raises:
        SimulationError: a run that ended before cannot continue now.
    """
    there = {
        run: (name, case, part)
        for name, sweep in campaign.sweeps.items()
        for run, case, part in sweep.listing.first_places()
        if sweep.entries.get(run, {}).get("state") == "done"
    }
    for run in random.Random(seed).sample(sorted(there), min(count, len(there))):
        name, case, part = there[run]
        sweep = campaign.sweeps[name]
        entry = sweep.entries[run]
        plan = sweep.listing.plan(case, part, sweep.entries)
        if sweep.description.until_precise is not None:
            plan = plan.lasting(entry["simulated_ns"])
        with temporary_folder() as folder:
            plan.run(folder)
            document = json.loads((folder / RUN_FILE).read_text(encoding="utf-8"))
        yield Repeated(
            sweep.listing.expansion.named(case, part),
            run,
            entry["pantala"],
            entry["result_hash"],
            document["result_hash"],
        )
