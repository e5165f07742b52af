"""A fit in a process of its own: seconds of the processor, and memory (Linux).

It imports nothing of this library, so that the Python of another one can use it.
"""

import json
import os
import resource
import subprocess
import time
from pathlib import Path

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")


def in_a_process(script, *words, python, n_jobs=1):
    """Return the JSON that ``script --one words`` prints, None where it has failed."""
    environment = {**os.environ, **dict.fromkeys(THREADS, str(n_jobs))}
    command = [python, script, "--one", *map(str, words)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else None


def memory(field):
    """Return a field of the process's status in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(s.split()[1]) for s in lines if s.startswith(field))


def cost_of(fit, limit, most_bytes=None):
    """Return the seconds of a call, and the megabytes that it adds to the peak.

    The process ends after ``limit`` seconds. It may add ``most_bytes`` of address
    space; beyond these there is a MemoryError.
    """
    Path("/proc/self/clear_refs").write_text("5")  # the peak is counted from here
    before = memory("VmRSS")
    if most_bytes is not None:
        resource.setrlimit(resource.RLIMIT_AS, (memory("VmSize") + most_bytes,) * 2)
    start = time.process_time()
    most = int(start) + limit
    resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))
    fit()
    seconds = time.process_time() - start
    return {"seconds": seconds, "megabytes": max(memory("VmHWM") - before, 0) / 1e6}
