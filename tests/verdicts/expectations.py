"""Reads what a `.vx` file expects of itself.

A header line `//# target: sm_86, sm_89 set BN=64 => refuted E6010 need=131072 limit=101376` gives
the verdict, the code, and, where it can be computed by hand, the numbers; `none` is a run without a
target, `all` every target. A marker `//~ E6010: text` (or `//~[sm_86] E6010`) stands on the line
that the code has to be reported at. `//# also: f.vx` names a second input.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from vxproof.target import ALL_TARGETS

_HEADER = re.compile(r"^//# target: (?P<where>.*?) => (?P<what>.*)$", re.M)
_MARKER = re.compile(r"//~(?:\[(?P<where>[^\]]*)\])? *(?P<code>[EW]\d{4})(?:: *(?P<text>.*))?$")
_ALSO = re.compile(r"^//# also: (?P<file>\S+)$", re.M)
_SETTING = re.compile(r"(\w+)=(-?\d+)")


@dataclass(frozen=True, slots=True)
class Marker:
    """A code that has to be reported on a line (from 1), on all targets where `where` is empty."""

    line: int
    code: str
    text: str
    where: frozenset[str]


@dataclass(frozen=True, slots=True)
class Expectation:
    """What one run of a file has to say."""

    path: Path
    target: str | None
    settings: tuple[tuple[str, int], ...]
    verdict: str
    code: str | None
    need: int | None
    limit: int | None
    largest: tuple[tuple[str, int | None], ...]
    markers: tuple[Marker, ...]
    also: tuple[Path, ...]

    @property
    def name(self) -> str:
        """A name for the test."""
        settings = ",".join(f"{k}={v}" for k, v in self.settings)
        parts = (self.path.stem, self.target or "none", settings)
        return f"{self.path.parent.name}/{'-'.join(part for part in parts if part)}"


def expectations(path: Path) -> tuple[Expectation, ...]:
    """Return every expectation of a file; a file without one is a fault of the test."""
    text = path.read_text(encoding="utf-8")
    markers = tuple(
        Marker(number, m["code"], (m["text"] or "").strip(), _names(m["where"]))
        for number, line in enumerate(text.splitlines(), start=1)
        if (m := _MARKER.search(line))
    )
    also = tuple(path.parent / m["file"] for m in _ALSO.finditer(text))
    found: list[Expectation] = []
    for header in _HEADER.finditer(text):
        where, _, settings = header["where"].partition(" set ")
        for target in _targets(where):
            pairs = tuple((k, int(v)) for k, v in _SETTING.findall(settings))
            found.append(_parse(path, target, pairs, header["what"].strip(), markers, also))
    if not found:
        raise ValueError(f"{path} expects nothing")
    return tuple(found)


def _names(where: str | None) -> frozenset[str]:
    return frozenset(name.strip() for name in (where or "").split(",") if name.strip())


def _targets(where: str) -> list[str | None]:
    out: list[str | None] = []
    for name in (part.strip() for part in where.split(",")):
        if name == "all":
            out.extend(ALL_TARGETS)
        else:
            out.append(None if name == "none" else name)
    return out


def _parse(
    path: Path,
    target: str | None,
    settings: tuple[tuple[str, int], ...],
    what: str,
    markers: tuple[Marker, ...],
    also: tuple[Path, ...],
) -> Expectation:
    verdict, _, rest = what.partition(" ")
    code = next(iter(re.findall(r"\b[EW]\d{4}\b", rest)), None)
    numbers = dict(re.findall(r"\b(need|limit)=(\d+)", rest))
    _, _, largest = rest.partition("largest ")
    pairs = tuple(
        (k, None if v == "none" else int(v)) for k, v in re.findall(r"(\w+)=(\d+|none)", largest)
    )
    here = tuple(m for m in markers if not m.where or (target or "none") in m.where)
    return Expectation(
        path,
        target,
        settings,
        verdict,
        code,
        int(numbers["need"]) if "need" in numbers else None,
        int(numbers["limit"]) if "limit" in numbers else None,
        pairs,
        here if verdict in {"refuted", "error", "waived"} else (),
        also,
    )
