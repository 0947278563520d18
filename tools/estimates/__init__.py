"""How good the estimates of time and memory are: 30 scenarios, their estimates and their runs."""
