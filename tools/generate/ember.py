"""docs/reference/ember.md: the motifs of Ember with their parameters, and what Pantala refuses."""

from __future__ import annotations

import inspect

from generate.reference import clean, page, table
from generate.scenario_pages import keys, object_


def ember_page() -> str:
    """Returns the page: every motif with its parameters, motifs refused, parameters of SST."""
    from pantala import scenario_json_schema
    from pantala.importers.ember.parameters import KEYS
    from pantala.workloads.ember import MOTIFS
    from pantala.workloads.ember.refused import REFUSED

    schema = scenario_json_schema()
    parts = [
        "# Motifs of Ember",
        (
            "The motifs of SST's Ember, as workloads of a scenario and in load files. [I have an"
            " SST Ember configuration](../how-to/ember.md) explains both. The names and defaults of"
            " the parameters are Ember's. Sources: SST elements; for Allreduce, Alltoallv, FFT3D,"
            " Halo3D, Halo3D26, LQCD, Lulesh, NASLU, Random, StencilNd and Sweep3D the fork of Kang"
            " et al. (SC 2022), branch `df_interference_rl`, commit f7fb8ae."
        ),
    ]
    for name, motif in MOTIFS.items():
        parts += [
            f"## {name}",
            clean(inspect.getdoc(motif) or "").replace("``", "`"),
            keys(object_(schema["$defs"][motif.__name__]), "ember.md"),
        ]
    parts += [
        "## Motifs that Pantala refuses",
        table(
            ("motif", "reason", "instead"),
            [(f"{name}", reason, remedy) for name, (reason, remedy) in sorted(REFUSED.items())],
        ),
        "## Parameters of SST",
        (
            "These parameters of `[PARAM]` set keys of the scenario. Parameters that only print"
            " have no effect. Pantala refuses all others by name. It has one MPI layer for all"
            " jobs, so each job must set the same values."
        ),
        table(
            ("parameter", "keys", "unit of a bare number"),
            [
                (f"`{name}`", ", ".join(f"`{key}`" for key in of), unit)
                for name, (of, unit) in sorted(KEYS.items())
            ],
        ),
    ]
    return page(parts)
