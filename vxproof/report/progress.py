"""Progress of a long run, on one line of a terminal that is wiped at the end.

Nothing is written before the run has taken a while, and nothing but to the stream given.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TextIO

WIPE = "\r\x1b[K"
"""Back to the start of the line, and clear it."""


@dataclass(slots=True)
class Progress:
    """Says what is being verified; `total` counts files times targets, `after` is in seconds."""

    stream: TextIO
    total: int
    after: float = 0.5
    _done: int = field(default=0, init=False)
    _text: str = field(default="", init=False)
    _shown: bool = field(default=False, init=False)
    _timer: threading.Timer | None = field(default=None, init=False)

    def __call__(self, file: str, target: str | None) -> None:
        """Say that a file is begun on a target."""
        self._done += 1
        where = "" if target is None else f" on {target}"
        self._text = f"verifying {file}{where} ({self._done} of {self.total})"
        if self._shown:
            self._show()
        elif self._timer is None:
            self._timer = threading.Timer(self.after, self._show)
            self._timer.daemon = True
            self._timer.start()

    def _show(self) -> None:
        self._shown = True
        self.stream.write(f"{WIPE}{self._text}")
        self.stream.flush()

    def close(self) -> None:
        """Wipe the line; nothing is written from here on."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()
        if self._shown:
            self.stream.write(WIPE)
            self.stream.flush()
