"""Writes the counterexamples of this directory anew.

    python counterexamples/regenerate.py [CODE…]

Each program of `<CODE>/` is verified in its own directory, with the target and the settings that
its `//# target:` line names; a plan names its target itself. What `--counterexamples .` writes
replaces what was there. The status is 1 where a program is not refuted with the code of its
directory and no other.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent
_HEADER = re.compile(r"^//# target: (\S+)(?: set (.*?))? =>", re.MULTILINE)
_REFUTED = 1


@dataclass(frozen=True, slots=True)
class Entry:
    """A refuted program or plan, and the options that it is verified with."""

    program: Path
    target: str | None
    settings: tuple[tuple[str, int], ...] = ()

    @property
    def code(self) -> str:
        """The code that refutes it."""
        return self.program.parent.name

    @property
    def stored(self) -> tuple[Path, ...]:
        """The counterexamples beside it, by name."""
        return tuple(sorted(self.program.parent.glob(f"{self.program.stem}-*.json")))

    @property
    def options(self) -> tuple[str, ...]:
        """Its options, as the command takes them."""
        chosen = () if self.target is None else ("--target", self.target)
        fixed = [part for name, value in self.settings for part in ("--set", f"{name}={value}")]
        return (*chosen, *fixed)


def entries(codes: Sequence[str] = ()) -> Iterator[Entry]:
    """Yield every program, by code and name; of the given codes only, where some are given.

    Raises:
        ValueError: a program does not say what it is verified with.
    """
    for program in sorted(ROOT.glob("E*/*")):
        if codes and program.parent.name not in codes:
            continue
        if program.suffix == ".plan":
            yield Entry(program, None)
        elif program.suffix == ".vx":
            yield _program(program)


def _program(program: Path) -> Entry:
    header = _HEADER.search(program.read_text(encoding="utf-8"))
    if header is None:
        raise ValueError(f"{program} names no target")
    pairs = re.findall(r"(\w+)=(-?\d+)", header[2] or "")
    settings = tuple((name, int(value)) for name, value in pairs)
    return Entry(program, None if header[1] == "none" else header[1], settings)


def regenerate(entry: Entry) -> bool:
    """Write the counterexample of a program; tell whether it is refuted with its code alone."""
    for path in entry.stored:
        path.unlink()
    command = ("verify", entry.program.name, *entry.options, "--counterexamples", ".")
    done = subprocess.run(
        (sys.executable, "-m", "vxproof", *command),
        cwd=entry.program.parent,
        stdout=subprocess.DEVNULL,
        check=False,
    )
    names = [path.stem.rpartition("-")[2] for path in entry.stored]
    good = done.returncode == _REFUTED and names == [entry.code]
    print(
        f"{entry.code}/{entry.program.name}: {'refuted' if good else f'NOT as it should: {names}'}"
    )
    return good


def main() -> None:
    """Regenerate the codes that the command line names, every code without one."""
    results = [regenerate(entry) for entry in entries(sys.argv[1:])]
    sys.exit(0 if results and all(results) else 1)


if __name__ == "__main__":
    main()
