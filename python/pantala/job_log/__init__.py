"""Logs of batch systems: which jobs ran when, on which nodes."""

from pantala.job_log.entry import JobLogError, LoggedJob
from pantala.job_log.read import running_at

__all__ = ["JobLogError", "LoggedJob", "running_at"]
