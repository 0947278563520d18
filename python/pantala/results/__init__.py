"""The results of runs as objects: tables and named metrics."""
