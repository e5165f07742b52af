"""FreeEnergyClassifier as an entry of TabArena."""
