"""The page of a code: what it means, why it matters, and what to do about it."""

from __future__ import annotations

import difflib
from pathlib import Path

from vxproof.diagnostics.codes import REGISTRY, lookup

_PAGES = Path(__file__).parent / "pages"


def explain(code: str) -> str:
    """Return a heading line, an empty line and the text of a code's page.

    Raises:
        KeyError: the code is not registered; `close_codes` finds what may have been meant.
    """
    info = lookup(code)
    page = (_PAGES / f"{code}.md").read_text(encoding="utf-8").strip()
    return f"{code} ({info.severity.value}): {info.summary}\n\n{page}"


def close_codes(text: str) -> tuple[str, ...]:
    """Return up to three codes that a text may mean: its extensions, then look-alikes."""
    wanted = text.upper()
    extended = [code for code in REGISTRY if len(wanted) > 2 and code.startswith(wanted)]
    similar = difflib.get_close_matches(wanted, REGISTRY, n=3, cutoff=0.6)
    return tuple(dict.fromkeys(extended + similar))[:3]
