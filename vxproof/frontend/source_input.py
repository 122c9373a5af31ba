"""Reads a source file. Whatever a path names, the answer is a Source or a coded diagnostic."""

from __future__ import annotations

from pathlib import Path

from vxproof.diagnostics import Diagnostic, DiagnosticError, Source

# Far above any kernel file, and small enough that the worst file still parses in seconds.
MAX_BYTES = 512 * 1024


def read_source(path: str | Path) -> Source:
    """Return the text of a file, named as the caller named it.

    Raises:
        DiagnosticError: E0001 for what is missing, a directory, unreadable or above `MAX_BYTES`;
            E0002 for bytes that are not UTF-8 text, with the offset of the first.
    """
    name = str(path)
    try:
        if Path(path).is_dir():
            raise _unreadable(name, "it is a directory", "name a `.vx` file")
        with Path(path).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise _unreadable(name, (error.strerror or "it cannot be opened").lower()) from error
    except ValueError as error:
        raise _unreadable(ascii(name), "this is no path") from error
    if len(data) > MAX_BYTES:
        reason = f"it is larger than {MAX_BYTES // 1024} KiB"
        raise _unreadable(name, reason, "verify the kernels of a large program file by file")
    return Source(name, _decode(name, data))


def _decode(name: str, data: bytes) -> str:
    if (zero := data.find(0)) >= 0:
        raise _not_text(name, f"byte {zero} is zero, as in a binary file")
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        bad = data[error.start]
        raise _not_text(name, f"byte {error.start} is 0x{bad:02x}: {error.reason}") from error


def _unreadable(name: str, reason: str, advice: str | None = None) -> DiagnosticError:
    return DiagnosticError(
        (Diagnostic("E0001", f"cannot read {name}: {reason}", None, help=advice),)
    )


def _not_text(name: str, reason: str) -> DiagnosticError:
    advice = "save the file as UTF-8 text"
    return DiagnosticError(
        (Diagnostic("E0002", f"{name} is not UTF-8 text: {reason}", None, help=advice),)
    )
