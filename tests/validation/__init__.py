"""The validation suite: the runs of other simulators beside Pantala's. `make validate` runs it.

`peers` says what they measured and how to measure the same, `measure` does so, `bars` says how
close it must be; `page` and `figures` show it; `suite` is all of it together.
"""
