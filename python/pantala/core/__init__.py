"""The compiled core as Python sees it, and facts of plans."""
