"""AST to canonical text: parsing the text gives an equal tree, spans aside.

Parentheses stand only where the table of precedence needs them. Where several texts mean one tree
the canonical one is `import`, a clause a line, a statement a line, decimal integers.
"""

from __future__ import annotations

from typing import assert_never

from vxproof.frontend import ast
from vxproof.frontend.build_stmts import has_value
from vxproof.frontend.print_exprs import BlockText, ExprPrinter
from vxproof.frontend.print_items import INDENT, memory_lines, topology_lines, words_text


def print_program(program: ast.Program) -> str:
    """Return the canonical text of a file, with a line end; items stand a blank line apart."""
    return "\n".join("\n".join(_item(item)) + "\n" for item in program.items)


def _item(item: ast.Item) -> list[str]:
    printer = ExprPrinter(_block_text(1))
    match item:
        case ast.Function():
            return _function(item, printer)
        case ast.MemoryItem():
            return memory_lines(item, printer)
        case ast.TopologyItem():
            return topology_lines(item, printer)
        case ast.Use():
            return [f"import {item.path.text};"]
        case _:
            assert_never(item)


def _function(function: ast.Function, printer: ExprPrinter) -> list[str]:
    consts = ", ".join(
        f"const {param.name.text}: {printer.type(param.type)}" for param in function.const_params
    )
    params = ", ".join(
        f"{param.name.text}: {printer.type(param.type)}" for param in function.params
    )
    head = f"fn {function.name.text}{f'<{consts}>' if consts else ''}({params})"
    if function.topology is not None:
        head += f" on {printer.text(function.topology)}"
    if function.result is not None:
        head += f" -> {printer.type(function.result)}"
    clauses = [
        f"{INDENT}{contract.kind.value} {printer.text(contract.condition)}"
        for contract in function.contracts
    ]
    body = [*_block_lines(function.body, 1), "}"]
    return [head, *clauses, "{", *body] if clauses else [f"{head} {{", *body]


def _block_text(level: int) -> BlockText:
    """Return the printer of blocks whose closing brace is indented by `level`."""

    def text(block: ast.Block) -> str:
        inner = _block_lines(block, level + 1)
        return "\n".join(["{", *inner, f"{INDENT * level}}}"]) if inner else "{}"

    return text


def _block_lines(block: ast.Block, level: int) -> list[str]:
    """Return the lines between the braces of a block, indented by `level`."""
    pad = INDENT * level
    lines = []
    for statement in block.statements:
        lines.append(pad + _statement(statement, level))  # noqa: PERF401 - a comprehension is a level of recursion
    if block.tail is not None:
        text = ExprPrinter(_block_text(level)).text(block.tail)
        # A final `if` without a value would be a statement.
        bare = isinstance(block.tail, ast.If) and not has_value(block.tail)
        lines.append(f"{pad}({text})" if bare else pad + text)
    elif block.statements:
        last = block.statements[-1]
        if isinstance(last, ast.ExprStmt) and isinstance(last.value, ast.If):
            # A final `if` with a value would be the block's.
            lines[-1] += ";" if has_value(last.value) else ""
    return lines


def _statement(statement: ast.Stmt, level: int) -> str:
    block = _block_text(level)
    printer = ExprPrinter(block)
    match statement:
        case ast.Let():
            return _let(statement, printer)
        case ast.Assign(target=target, op=op, value=value):
            return f"{_operation(target, printer)} {op.value} {printer.text(value)};"
        case ast.ExprStmt(value=value):
            text = printer.text(value)
            return text if isinstance(value, ast.If) else f"{text};"
        case ast.For(var=var, start=start, stop=stop, body=body):
            head = f"for {var.text} in {_operation(start, printer)}..{_operation(stop, printer)}"
            if statement.pipelined is not None:
                head += f" pipelined({printer.text(statement.pipelined)})"
            for invariant in statement.invariants:
                head += f" invariant({printer.text(invariant)})"
            return f"{head} {block(body)}"
        case ast.Return(value=returned):
            return "return;" if returned is None else f"return {printer.text(returned)};"
        case ast.Assert(condition=condition, message=message, comptime=comptime):
            said = "" if message is None else f", {printer.text(message)}"
            word = "comptime assert" if comptime else "assert"
            return f"{word}({printer.text(condition)}{said});"
        case ast.Spawn(body=body):
            return f"{_spawn_head(statement, printer)} {block(body)}"
        case ast.Role(name=name, warps=warps, body=body):
            args = "" if warps is None else f"warps: {printer.text(warps)}"
            return f"role {name.text}({args}) {block(body)}"
        case ast.Scope(body=body):
            return block(body)
        case _:
            assert_never(statement)


def _operation(expr: ast.Expr, printer: ExprPrinter) -> str:
    """Return an expression where a bare `if` cannot stand."""
    text = printer.text(expr)
    return f"({text})" if isinstance(expr, ast.If) else text


def _let(let: ast.Let, printer: ExprPrinter) -> str:
    place = "" if let.resident is None else f"resident<{printer.text(let.resident)}> "
    word = "let mut" if let.mutable else "let"
    annotation = "" if let.type is None else f": {printer.type(let.type)}"
    return f"{place}{word} {let.name.text}{annotation} = {printer.text(let.value)};"


def _spawn_head(spawn: ast.Spawn, printer: ExprPrinter) -> str:
    head = f"spawn on({printer.text(spawn.topology)})"
    if spawn.warps is not None:
        head += f" warps({printer.text(spawn.warps)})"
    if spawn.grid is not None:
        head += f" grid([{', '.join(map(printer.text, spawn.grid))}])"
    if spawn.semantics is not None:
        head += f" semantics({words_text(spawn.semantics)})"
    return head
