"""The tables of a run, as analyses and figures read them."""
