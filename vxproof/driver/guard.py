"""The one place where an internal fault stops: it becomes E0009, and never a verdict."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from vxproof.diagnostics import Diagnostic, DiagnosticError

T = TypeVar("T")

_PLAIN: dict[type[Exception], str] = {
    RecursionError: "the program nests too deeply for this stage",
    MemoryError: "out of memory",
}


def guarded(
    action: Callable[[], T], failed: Callable[[tuple[Diagnostic, ...]], T], *, debug: bool = False
) -> T:
    """Return what an action returns, or what `failed` makes of the diagnostics of its fault.

    With `debug` the traceback of an internal fault goes to the standard error stream.
    """
    try:
        return action()
    except DiagnosticError as fault:
        return failed(fault.diagnostics)
    except Exception as fault:  # noqa: BLE001 - the door: whatever went wrong claims nothing
        if debug:
            traceback.print_exception(fault)
        return failed((internal(fault),))


def internal(fault: Exception) -> Diagnostic:
    """Return E0009 for a fault, with where in vxproof it happened and nothing of the machine."""
    headline = _PLAIN.get(type(fault), f"{type(fault).__name__}: {fault}".splitlines()[0][:200])
    frames = traceback.extract_tb(fault.__traceback__)
    notes = tuple(f"in {Path(f.filename).stem}.{f.name}, line {f.lineno}" for f in frames[-1:])
    return Diagnostic(
        "E0009",
        f"internal error: {headline}",
        None,
        notes=notes,
        help="please report this with the source that provoked it; `--debug` prints a traceback",
    )
