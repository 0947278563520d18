"""Executors: what simulates the runs of an experiment besides local processes.

`slurm` gives runs to job arrays of a Slurm cluster, and `dask` to the workers of Dask. Both are
executors of `concurrent.futures` that take `pantala.store.worker.perform` with a task.
"""
