"""Text to AST: the door of the syntactic front end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vxproof.diagnostics import Diagnostic, DiagnosticError, Label
from vxproof.frontend.build_items import Builder
from vxproof.frontend.lalr import Machine, load_table
from vxproof.frontend.lexing import tokenize
from vxproof.frontend.recovery import MAX_ERRORS, Recovery

if TYPE_CHECKING:
    from vxproof.diagnostics import Source
    from vxproof.frontend import ast


def parse(source: Source) -> ast.Program:
    """Parse one file.

    The depth of the tree in nodes is at most `lexing.NESTING_LIMIT`, whatever the text, and
    nothing here recurses.

    Raises:
        DiagnosticError: E1001 for what is no program, E6190 for what the subset leaves out, E0003
            for what nests too deeply; at most `MAX_ERRORS` of them, in the order of the text.
    """
    tokens, diagnostics = tokenize(source)
    bad_lines = frozenset(d.primary.span.line for d in diagnostics if d.primary is not None)
    builder = Builder(source)
    recovery = Recovery(source, tokens, bad_lines)
    program: ast.Program | None = None
    try:
        program = Machine(source, load_table(), builder, recovery).run(tokens)
    except DiagnosticError as error:
        diagnostics += error.diagnostics
    diagnostics += builder.diagnostics + recovery.diagnostics
    if diagnostics:
        raise DiagnosticError(tuple(sorted(diagnostics, key=_position)[:MAX_ERRORS]))
    assert program is not None, "the machine gives up only after a report"
    if not program.items:
        raise DiagnosticError(
            (
                Diagnostic(
                    "E1001",
                    "no function to verify: the file is empty",
                    Label(source.span(0, 0)),
                    help="write `fn main() { … }`",
                ),
            )
        )
    return program


def _position(diagnostic: Diagnostic) -> int:
    return diagnostic.primary.span.start if diagnostic.primary is not None else 0
