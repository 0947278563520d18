"""The validation suite: runs of other simulators, compared with Pantala's; see `make validate`.

`peers` holds their measurements and the calls that repeat them. `measure` makes these calls. `bars`
holds the allowed errors. `page` and `figures` write the results. `suite` runs all of it.
"""
