"""Progress: on one line, after a while, wiped at the end; nothing where the run is short."""

from __future__ import annotations

import io
import time

from vxproof.report.progress import WIPE, Progress


def test_a_short_run_says_nothing() -> None:
    stream = io.StringIO()
    progress = Progress(stream, 2)
    progress("k.vx", "sm_80")
    progress.close()
    assert stream.getvalue() == ""


def test_a_long_run_says_where_it_is_and_wipes_the_line() -> None:
    stream = io.StringIO()
    progress = Progress(stream, 3, after=0.0)
    progress("k.vx", "sm_80")
    deadline = time.monotonic() + 10
    while not stream.getvalue() and time.monotonic() < deadline:
        time.sleep(0.001)
    progress("k.vx", "sm_86")
    progress.close()
    lines = stream.getvalue().split(WIPE)
    assert lines == [
        "",
        "verifying k.vx on sm_80 (1 of 3)",
        "verifying k.vx on sm_86 (2 of 3)",
        "",
    ]
    assert "\n" not in stream.getvalue()
