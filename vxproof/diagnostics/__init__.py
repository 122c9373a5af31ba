"""Spans, the registry of codes, and diagnostics as data. Imports nothing else of this project."""

from vxproof.diagnostics.codes import REGISTRY, CodeInfo, Severity, lookup
from vxproof.diagnostics.diagnostic import Diagnostic, DiagnosticError, Label, Table
from vxproof.diagnostics.span import Source, Span

__all__ = [
    "REGISTRY",
    "CodeInfo",
    "Diagnostic",
    "DiagnosticError",
    "Label",
    "Severity",
    "Source",
    "Span",
    "Table",
    "lookup",
]
