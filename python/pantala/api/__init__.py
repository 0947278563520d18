"""The functions that combine rooms: run a scenario, open what is there."""
