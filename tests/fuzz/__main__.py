"""Edit model files for so many seconds: ``python -m tests.fuzz --seconds 60``."""

import argparse
import time
import warnings

from .test_model_files import attack

FILES = 20  # of a seed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0, help="the first one")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    end = time.monotonic() + options.seconds
    seed = options.seed
    n_loaded = 0
    while time.monotonic() < end:
        print(f"\rseed {seed}", end="", flush=True)
        n_loaded += attack(seed, FILES)
        seed += 1
    n_files = FILES * (seed - options.seed)
    print(f"\r{n_files} edited files: {n_loaded} loaded, the others refused in a line")


if __name__ == "__main__":
    main()
