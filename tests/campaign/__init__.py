"""The campaign of robustness: what readers, stores, runs and pages survive, counted.

Each part in `parts/` tries cases one after another, in stretches that resume where the last one
stopped; `results/` holds what all stretches counted, one file a part, and `page` writes
`docs/reliability.md` from it. `python -m campaign` (`make campaign`) runs parts.
"""
