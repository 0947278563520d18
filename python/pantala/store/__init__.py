"""The store of runs: identity, leases, index, and the tables of all runs."""
