"""Room for nested programs: the stages recurse, a program nests as deeply as the parser admits.

The parser admits 256 levels, and a stage takes a score of Python frames for one. Python's default
of 1,000 frames is too few, and many more on the stack of the calling thread might overflow it,
which no `except` catches. So a run has a thread of its own, with a stack that its frames cannot
fill; the recursion limit is raised while it runs, and is then what it was before.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

FRAMES = 16_000
"""Python frames of a run: 256 levels at 50 frames, and a margin."""

STACK = 512 << 20
"""Bytes of its stack, of which only what is used is ever touched: 32 KB a frame."""

T = TypeVar("T")


def with_room(action: Callable[[], T]) -> T:
    """Return what an action returns, or raise what it raises, with room to recurse.

    Where the system refuses a thread with such a stack the action runs as it is: a program that
    nests too deeply for that is then E0009, and no other verdict changes.
    """
    if threading.current_thread().name == _NAME:
        return action()
    done: list[T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            done.append(action())
        except BaseException as fault:  # noqa: BLE001 - raised again in the calling thread
            failed.append(fault)

    limit, stack = sys.getrecursionlimit(), threading.stack_size()
    try:
        threading.stack_size(STACK)
        thread = threading.Thread(target=run, name=_NAME, daemon=True)
        sys.setrecursionlimit(max(limit, FRAMES))
        thread.start()
    except (RuntimeError, ValueError):
        sys.setrecursionlimit(limit)
        return action()
    finally:
        threading.stack_size(stack)
    try:
        thread.join()
    finally:
        sys.setrecursionlimit(limit)
    if failed:
        raise failed[0]
    return done[0]


_NAME = "vxproof"
