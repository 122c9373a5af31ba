"""Builds items: functions with their contracts, places with their fields, imports."""

from __future__ import annotations

import re
from difflib import get_close_matches
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from vxproof.frontend import ast
from vxproof.frontend.build_stmts import Clause, StmtBuilder

if TYPE_CHECKING:
    from collections.abc import Callable

    from vxproof.frontend.lexing import Token

_FieldValue: TypeAlias = (
    ast.Quantity | ast.MemoryRef | ast.ListLit | ast.Name | ast.StrLit | ast.Call
)

_DECIMAL = re.compile(r"[0-9][0-9_]*(\.[0-9_]+)?")
_MAX_DIGITS = 40
_STD_MATH = ("std", "math")


class Builder(StmtBuilder):
    """The whole builder: items, on top of statements, expressions and types."""

    def make_start(self, start: int, end: int, *items: ast.Item | None) -> ast.Program:
        """Read a file."""
        return ast.Program(tuple(i for i in items if i is not None), self.span(start, end))

    def make_use(self, start: int, end: int, path: ast.Path) -> ast.Item:
        """Read `import std::math;`; other imports are outside the subset."""
        if path.segments[:2] != _STD_MATH:
            self.report(
                f"importing `{path.text}` is outside the kernel subset",
                path.span,
                advice="only `std::math` can be imported",
                code="E6190",
            )
        return ast.Use(path, self.span(start, end))

    # ---- functions

    def make_type_param(self, start: int, end: int, token: Token) -> None:
        """Refuse `<T>`."""
        self.report(
            f"type parameter `{token.text}` is outside the kernel subset",
            self.span(start, end),
            advice=f"a size is written `const {token.text}: i64`; element types are fixed",
            code="E6190",
        )

    def make_const_param(self, start: int, end: int, token: Token, of: ast.Type) -> ast.ConstParam:
        """Read `const BM: i64`."""
        return ast.ConstParam(self.name(token), of, self.span(start, end))

    def make_const_params(
        self, _start: int, _end: int, *params: ast.ConstParam | None
    ) -> tuple[ast.ConstParam, ...]:
        """Read the generics."""
        return tuple(param for param in params if param is not None)

    def make_param(self, start: int, end: int, token: Token, of: ast.Type) -> ast.Param:
        """Read `x: T`."""
        return ast.Param(self.name(token), of, self.span(start, end))

    def make_params(self, _start: int, _end: int, *params: ast.Param) -> tuple[ast.Param, ...]:
        """Read the parameters."""
        return params

    def make_on_clause(self, start: int, end: int, topology: ast.TopologyRef) -> Clause:
        """Read `on Topology::X`."""
        return Clause("on", topology, self.span(start, end))

    def make_result_clause(self, start: int, end: int, result: ast.Type) -> Clause:
        """Read `-> T`."""
        return Clause("->", result, self.span(start, end))

    def make_contract(
        self, start: int, end: int, word: Token, *conditions: ast.Expr
    ) -> tuple[ast.Contract, ...]:
        """Read `requires e`, with one contract for each of its conditions."""
        kind = ast.ContractKind(word.kind)
        if len(conditions) == 1:
            return (ast.Contract(kind, conditions[0], self.span(start, end)),)
        return tuple(ast.Contract(kind, condition, condition.span) for condition in conditions)

    def make_function(
        self,
        start: int,
        end: int,
        token: Token,
        const_params: tuple[ast.ConstParam, ...],
        params: tuple[ast.Param, ...],
        *rest: object,
    ) -> ast.Item:
        """Read a function; `on`, `->` and the contracts come in any order."""
        *signature, body = rest
        assert isinstance(body, ast.Block)
        found = self.unique(part for part in signature if isinstance(part, Clause))
        contracts = tuple(c for part in signature if isinstance(part, tuple) for c in part)
        topology = found["on"].value if "on" in found else None
        result = found["->"].value if "->" in found else None
        return ast.Function(
            self.name(token),
            const_params,
            params,
            topology,  # type: ignore[arg-type]
            result,  # type: ignore[arg-type]
            contracts,
            body,
            self.span(start, end),
        )

    # ---- places

    def make_quantity(self, start: int, end: int, *tokens: Token) -> ast.Quantity:
        """Read `228 KB`, `-1`, `3350 GB/s`."""
        words = [token for token in tokens if token.kind not in {"-", "INT", "FLOAT"}]
        digits = tokens[1] if tokens[0].kind == "-" else tokens[0]
        span = self.span(start, end)
        number = Fraction(1)
        if _DECIMAL.fullmatch(digits.text) and len(digits.text) <= _MAX_DIGITS:
            number = Fraction(digits.text.replace("_", ""))
        else:
            self.report("a quantity is a plain decimal number", span)
        sign = -1 if tokens[0].kind == "-" else 1
        return ast.Quantity(sign * number, "".join(word.text for word in words), span)

    def make_cost(self, start: int, end: int, *tokens: Token) -> ast.Quantity:
        """Read the cost of a transfer: `40`, or the link's bandwidth as `63 GB/s`."""
        return self.make_quantity(start, end, *tokens)

    def make_field(self, start: int, end: int, token: Token, *value: _FieldValue) -> Clause:
        """Read `name: value`."""
        return Clause(token.text, value[0], self.span(start, end))

    def make_flag(self, start: int, end: int, token: Token) -> Clause:
        """Read a field that is one word."""
        return Clause(token.text, None, self.span(start, end))

    def make_edge(
        self,
        start: int,
        end: int,
        source: ast.MemoryRef,
        destination: ast.MemoryRef,
        *rest: ast.Quantity | ast.Name,
    ) -> ast.TransferEdge:
        """Read `transfer Memory::A -> Memory::B : 40 sync copy_engine`."""
        cost = rest[0] if rest and isinstance(rest[0], ast.Quantity) else None
        words = tuple(word for word in rest if isinstance(word, ast.Name))
        return ast.TransferEdge(source, destination, cost, words, self.span(start, end))

    def make_memory_item(self, start: int, end: int, token: Token, *fields: Clause) -> ast.Item:
        """Read a Memory item; unknown, repeated and ill-formed fields are errors."""
        found = self._known(fields, "Memory", _MEMORY_FIELDS)
        values = {word: self._convert(found, word) for word in _MEMORY_FIELDS}
        name, span = self.name(token), self.span(start, end)
        values["overcommit"] = "overcommit" in found
        return ast.MemoryItem(name=name, span=span, **values)  # type: ignore[arg-type]

    def make_topology_item(
        self, start: int, end: int, token: Token, *entries: Clause | ast.TransferEdge
    ) -> ast.Item:
        """Read a Topology item."""
        fields = [entry for entry in entries if isinstance(entry, Clause)]
        edges = tuple(entry for entry in entries if isinstance(entry, ast.TransferEdge))
        found = self._known(fields, "Topology", _TOPOLOGY_FIELDS)
        values = {word: self._convert(found, word) for word in _TOPOLOGY_FIELDS}
        name, span = self.name(token), self.span(start, end)
        return ast.TopologyItem(name=name, transfers=edges, span=span, **values)  # type: ignore[arg-type]

    def _known(
        self, fields: list[Clause] | tuple[Clause, ...], what: str, known: dict[str, _Reader]
    ) -> dict[str, Clause]:
        found = self.unique(fields)
        for word in [word for word in found if word not in known]:
            near = get_close_matches(word, known, n=1)
            self.report(
                f"`{word}` is not a field of a {what}",
                found.pop(word).span,
                advice=f"did you mean `{near[0]}`?" if near else f"fields: {', '.join(known)}",
            )
        return found

    def _convert(self, found: dict[str, Clause], word: str) -> object:
        if word not in found:
            return None
        clause = found[word]
        reader, wanted = (_MEMORY_FIELDS | _TOPOLOGY_FIELDS)[word]
        value = reader(self, clause.value)
        if value is None:
            self.report(f"`{word}` needs {wanted}", clause.span)
        return value

    # ---- readers of field values: None where the value has another form

    def read_place(self, value: object) -> object:
        """Read `Memory::X`."""
        return value if isinstance(value, ast.MemoryRef) else None

    def read_places(self, value: object) -> object:
        """Read `[Memory::X, …]`."""
        if not isinstance(value, ast.ListLit):
            return None
        places = [item for item in value.items if isinstance(item, ast.MemoryRef)]
        return tuple(places) if len(places) == len(value.items) else None

    def read_quantity(self, value: object) -> object:
        """Read a number with a unit."""
        return value if isinstance(value, ast.Quantity) else None

    def read_count(self, value: object) -> object:
        """Read a whole number or a constant's name as an expression."""
        match value:
            case ast.Quantity(number=number, unit="") if number.denominator == 1 and number >= 0:
                return ast.IntLit(int(number), None, value.span)
            case ast.Name(text=text, span=span):
                return ast.Var(text, span)
            case _:
                return None

    def read_word(self, value: object) -> object:
        """Read a name, or a string as one."""
        if isinstance(value, ast.StrLit):
            return ast.Name(value.value, value.span)
        return value if isinstance(value, ast.Name) else None

    def read_words(self, value: object) -> object:
        """Read `[a, b]`."""
        return self.words(value) if isinstance(value, ast.ListLit) else None

    def read_items(self, value: object) -> object:
        """Read `[128, 32]`."""
        return value.items if isinstance(value, ast.ListLit) and value.items else None

    def read_peers(self, value: object) -> object:
        """Read `peers(16)`."""
        match value:
            case ast.Call(callee=callee, args=(count,), named=(), span=span):
                return ast.SharedWith(ast.Name(callee.text, callee.span), count, span)
            case _:
                return None

    def read_flag(self, value: object) -> object:
        """Read a field that has no value."""
        return True if value is None else None


_Reader: TypeAlias = "tuple[Callable[[Builder, object], object], str]"

_PLACE: _Reader = (Builder.read_place, "a place, as in `Memory::HBM`")
_QUANTITY: _Reader = (Builder.read_quantity, "a number with a unit, as in `228 KB`")
_WORD: _Reader = (Builder.read_word, "one word")

_MEMORY_FIELDS: dict[str, _Reader] = {
    "within": _PLACE,
    "capacity": _QUANTITY,
    "granule": _QUANTITY,
    "managed": _WORD,
    "scope": _WORD,
    "addressable_by": (Builder.read_words, "a list of words, as in `[mma, copy]`"),
    "tile": (Builder.read_items, "a list of sizes, as in `[128, 32]`"),
    "bandwidth": _QUANTITY,
    "clock": _QUANTITY,
    "replicas": (Builder.read_count, "a whole number"),
    "shared_with": (Builder.read_peers, "the form `peers(16)`"),
    "crossing": _WORD,
    "overcommit": (Builder.read_flag, "no value"),
}

_TOPOLOGY_FIELDS: dict[str, _Reader] = {
    "memory": _PLACE,
    "visible": (Builder.read_places, "a list of places, as in `[Memory::HBM, Memory::SMEM]`"),
    "arch": _WORD,
    "dtypes": (Builder.read_words, "a list of dtypes"),
}
