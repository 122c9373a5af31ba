"""Medians of wall time: of a whole process and of a call in this one."""

from __future__ import annotations

import statistics
import subprocess
import time
from collections.abc import Callable, Sequence


def median_seconds(action: Callable[[], object], runs: int) -> float:
    """Median wall seconds of `action`, after one run that is not counted."""
    action()
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def process_seconds(command: Sequence[str], runs: int) -> float:
    """Median wall seconds of a whole process, start-up included.

    Raises:
        RuntimeError: the process failed.
    """

    def action() -> None:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            output = done.stdout + done.stderr
            raise RuntimeError(f"{' '.join(command)}: status {done.returncode}\n{output}")

    return median_seconds(action, runs)
