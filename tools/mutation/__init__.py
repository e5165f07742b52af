"""Mutants of the source, each tried by the tests of its package; ``tools/mutants.py`` runs them."""
