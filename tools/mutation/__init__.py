"""The parts of ``make mutants``: changes of a line, and the tests that notice them."""
