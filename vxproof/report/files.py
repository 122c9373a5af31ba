"""Writing files beside each other without ever leaving half of one."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from vxproof.diagnostics import Diagnostic, DiagnosticError
from vxproof.records import dataclass


@dataclass(frozen=True, slots=True)
class OutputFolder:
    """A folder that exists and can be written to."""

    path: Path

    @classmethod
    def open(cls, path: Path) -> OutputFolder:
        """Make the folder where it is missing, and try it before any work is done.

        Raises:
            DiagnosticError: E0001, the folder cannot be made or written to.
        """
        try:
            path.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=path):
                pass
        except OSError as fault:
            raise _cannot_write(path, fault) from None
        return cls(path)

    def write(self, files: Sequence[tuple[str, str]]) -> None:
        """Write (name, text) files: all beside their places first, then each into its place.

        Raises:
            DiagnosticError: E0001, something could not be written; no file is left half-written.
        """
        ready: list[tuple[Path, Path]] = []
        try:
            for name, text in files:
                with tempfile.NamedTemporaryFile(
                    "w", dir=self.path, prefix=".", suffix=".part", encoding="utf-8", delete=False
                ) as file:
                    ready.append((Path(file.name), self.path / name))
                    file.write(text)
            for temporary, final in ready:
                temporary.chmod(0o644)
                temporary.replace(final)
        except OSError as fault:
            for temporary, _ in ready:
                temporary.unlink(missing_ok=True)
            raise _cannot_write(self.path, fault) from None


def _cannot_write(path: Path, fault: OSError) -> DiagnosticError:
    reason = fault.strerror or type(fault).__name__
    return DiagnosticError((Diagnostic("E0001", f"cannot write to `{path}`: {reason}", None),))
