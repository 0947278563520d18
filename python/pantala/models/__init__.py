"""What all tables of a scenario share: base class, keys, faults in words, checks."""
