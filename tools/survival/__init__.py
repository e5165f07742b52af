"""The parts of ``make survive``: each file has ``rows(rng)``."""
