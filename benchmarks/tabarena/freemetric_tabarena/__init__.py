"""FreeEnergyClassifier and FreeEnergyRegressor as an entry of TabArena."""
