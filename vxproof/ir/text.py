"""The stable text of the typed IR, one operation a line, and its digest.

The text holds everything that later stages look at, and no spans: two programs that differ only
in layout and comments have one text. `$3` is a variable, `%7` a value.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256

from vxproof.ir.module import Edge, Function, Module, Space, Topology
from vxproof.ir.ops import (
    Block,
    Declare,
    For,
    If,
    Operation,
    Spawn,
    ViewAxis,
)
from vxproof.ir.types import (
    Layout,
    RefType,
    ScalarType,
    Strided,
    Swizzled,
    TensorType,
    Tiled,
    TokenType,
    Type,
    UnitType,
)
from vxproof.ir.values import Clause, Value, Variable
from vxproof.logic.terms import Formula, Term
from vxproof.logic.text import show

FORMAT = "vxproof-ir/1"
_SKIPPED = frozenset({"span", "result", "body", "then", "orelse"})


def type_text(type_: Type) -> str:
    """Return a type's text."""
    match type_:
        case ScalarType(dtype=dtype):
            return dtype.name
        case TensorType():
            parts = [type_.dtype.name]
            if type_.shape is not None:
                parts.append("[" + ", ".join(show(one) for one in type_.shape) + "]")
            if type_.place is not None:
                parts.append(f"@{type_.place}")
            if type_.layout is not None:
                parts.append(_layout(type_.layout))
            if type_.scale is not None:
                parts.append(f"scale({type_.scale.dtype.name}, {type_.scale.block})")
            return f"tensor<{', '.join(parts)}>"
        case RefType(target=target, mutable=mutable):
            return f"&{'mut ' if mutable else ''}{type_text(target)}"
        case TokenType(tensor=tensor):
            return f"token<{type_text(tensor)}>"
        case UnitType():
            return "unit"
        case _:
            raise TypeError(f"{type_!r} has no place in the IR")


def _layout(layout: Layout) -> str:
    match layout:
        case Tiled(tile=tile):
            return f"tiled[{', '.join(show(one) for one in tile)}]"
        case Swizzled(row_bytes=row_bytes):
            return f"swizzled[{row_bytes}]"
        case Strided(strides=strides):
            return f"strided[{', '.join(show(one) for one in strides)}]"


def _part(part: object) -> str:
    match part:
        case Value():
            return f"%{part.id}"
        case Variable():
            return f"${part.id}"
        case Term() | Formula():
            return f"({show(part)})"
        case Clause():
            return f"({show(part.formula)})"
        case ViewAxis():
            start = "0" if part.index is None else f"%{part.index.id}"
            keep = "" if part.keep else " dropped"
            return f"{start} * ({show(part.scale)}) : ({show(part.size)}){keep}"
        case tuple():
            return "[" + ", ".join(_part(one) for one in part) + "]"
        case None:
            return "none"
        case bool() | int() | float() | str():
            return repr(part)
        case _:
            return str(getattr(part, "value", part))


def _line(op: Operation) -> str:
    fields = [
        f"{name}={_part(getattr(op, name))}"
        for name in op.__dataclass_fields__
        if name not in _SKIPPED
    ]
    text = f"{type(op).__name__.lower()} {' '.join(fields)}"
    result = getattr(op, "result", None)
    if isinstance(result, Value):
        text = f"%{result.id}: {type_text(result.type)} = {text}"
    match op:
        case Declare(variable=variable):
            text += f" : {_variable(variable)}"
        case _:
            pass
    return text


def _variable(variable: Variable) -> str:
    words = [f"${variable.id} {variable.name}: {type_text(variable.type)}"]
    if variable.mutable:
        words.append("mut")
    if variable.resident is not None:
        words.append(f"resident {variable.resident}")
    return " ".join(words)


def _block(body: Block, indent: str) -> Iterator[str]:
    for op in body:
        yield indent + _line(op)
        match op:
            case For(body=inner) | Spawn(body=inner):
                yield from _block(inner, indent + "  ")
                yield f"{indent}end"
            case If(then=then, orelse=orelse):
                yield from _block(then, indent + "  ")
                yield f"{indent}else"
                yield from _block(orelse, indent + "  ")
                yield f"{indent}end"
            case _:
                pass


def _function(function: Function) -> Iterator[str]:
    where = f" on {function.topology}" if function.topology else ""
    yield f"function {function.name}{where} -> {type_text(function.result)}"
    for symbol in function.symbols:
        low = "-inf" if symbol.lo is None else symbol.lo
        high = "inf" if symbol.hi is None else symbol.hi
        yield f"  symbol {symbol.name} in [{low}, {high}] {symbol.origin.value}"
    for param in function.params:
        yield f"  param {_variable(param)}"
    for clause in function.requires:
        yield f"  requires {show(clause.formula)}"
    for clause in function.ensures:
        yield f"  ensures {show(clause.formula)}"
    yield from _block(function.body, "  ")


def _space(space: Space) -> str:
    tags = "any" if space.addressable_by is None else ",".join(sorted(space.addressable_by))
    return (
        f"space {space.name} within={space.within} capacity={space.capacity} "
        f"granule={space.granule} managed={space.managed} scope={space.scope} by={tags} "
        f"overcommit={space.overcommit} alignment={space.tile_alignment} native={space.native} "
        f"columns={space.columns} tile={space.tile}"
    )


def _topology(topology: Topology) -> str:
    visible = ",".join(sorted(topology.visible))
    return f"topology {topology.name} memory={topology.memory} visible={visible}"


def _edge(edge: Edge) -> str:
    return (
        f"edge {edge.source} -> {edge.destination} cost={edge.cost} sync={edge.sync} "
        f"copy_engine={edge.copy_engine}"
    )


def module_text(module: Module) -> str:
    """Return the text of a module."""
    machine = module.machine
    lines = [f"{FORMAT} target={machine.target}"]
    lines += [_space(machine.spaces[name]) for name in sorted(machine.spaces)]
    lines += [_topology(machine.topologies[name]) for name in sorted(machine.topologies)]
    lines += sorted(_edge(edge) for edge in machine.edges)
    for function in module.functions:
        lines += _function(function)
    return "\n".join(lines) + "\n"


def digest(module: Module) -> str:
    """Return the sha256 of a module's text, in hexadecimal."""
    return sha256(module_text(module).encode()).hexdigest()
