"""Terms and formulas as source text: `2*BM*D`, `N/BM`, `0 <= i && i < N`, fewest parentheses.

`div` and `tdiv` are both written `/`, `mod` and `tmod` both `%`: obligations use the former only
where they agree with the latter. The text is for messages; identity rests on `canonical`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vxproof.logic.terms import (
    And,
    App,
    Cmp,
    Const,
    Formula,
    Ite,
    Not,
    Op,
    Or,
    Sym,
    Term,
    Truth,
)

_OR, _AND, _CMP, _SUM, _PRODUCT, _ATOM = range(6)
_INFIX = {Op.DIV: "/", Op.TDIV: "/", Op.MOD: " % ", Op.TMOD: " % "}
_LONGEST = 4000

Piece = tuple[str, int]


def show(value: Term | Formula, names: Mapping[str, str] | None = None) -> str:
    """Return the source form; `names` maps a symbol's name to what the source calls it.

    A part whose text is longer than 4,000 characters is shown as `…`.
    """
    return _Writer(names or {}).write(value)[0]


class _Writer:
    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        self._memo: dict[Term | Formula, Piece] = {}

    def write(self, value: Term | Formula) -> Piece:
        """Text and binding strength."""
        known = self._memo.get(value)
        if known is None:
            known = self._formula(value) if isinstance(value, Formula) else self._term(value)
            if len(known[0]) > _LONGEST:
                known = ("…", _ATOM)
            self._memo[value] = known
        return known

    def _at(self, value: Term | Formula, strength: int) -> str:
        text, own = self.write(value)
        return text if own >= strength else f"({text})"

    def _formula(self, value: Formula) -> Piece:
        match value:
            case Truth(value=flag):
                return ("true" if flag else "false"), _ATOM
            case Cmp(rel=rel, left=left, right=right):
                return f"{self._at(left, _SUM)} {rel.value} {self._at(right, _SUM)}", _CMP
            case And(parts=parts):
                return " && ".join(self._at(p, _CMP) for p in parts) or "true", _AND
            case Or(parts=parts):
                return " || ".join(self._at(p, _AND) for p in parts) or "false", _OR
            case Not(part=part):
                return f"!{self._at(part, _ATOM)}", _ATOM
            case _:
                raise TypeError(f"not a formula: {value!r}")

    def _term(self, value: Term) -> Piece:
        match value:
            case Const(value=number):
                return str(number), _ATOM if number >= 0 else _SUM
            case Sym(name=name):
                return self._names.get(name, name), _ATOM
            case Ite(cond=cond, then=then, orelse=orelse):
                parts = (self.write(part)[0] for part in (cond, then, orelse))
                return "if {} {{ {} }} else {{ {} }}".format(*parts), _OR
            case App(op=Op.ADD, args=args):
                return self._sum(args), _SUM
            case App(op=Op.MUL, args=args):
                return self._product(args)
            case App(op=op, args=(left, right)) if op in _INFIX:
                text = f"{self._at(left, _PRODUCT)}{_INFIX[op]}{self._at(right, _ATOM)}"
                return text, _PRODUCT
            case App(op=op, args=args):
                return f"{op.value}({', '.join(self.write(arg)[0] for arg in args)})", _ATOM
            case _:
                raise TypeError(f"not a term: {value!r}")

    def _sum(self, args: tuple[Term, ...]) -> str:
        pieces = [self._signed(arg) for arg in args]
        if pieces[0][0]:  # lead with a positive summand where there is one
            pieces.sort(key=lambda piece: piece[0])
        return "".join(_joined(pieces))

    def _signed(self, arg: Term) -> tuple[bool, str]:
        """Whether a summand is negative, and its text without the sign."""
        match arg:
            case Const(value=number) if number < 0:
                return True, str(-number)
            case App(op=Op.MUL, args=(Const(value=number), *rest)) if number < 0 and rest:
                if number == -1:
                    return True, self._product(tuple(rest))[0]
                return True, self._product((Const(-number), *rest))[0]
        return False, self._at(arg, _PRODUCT)

    def _product(self, args: tuple[Term, ...]) -> Piece:
        if len(args) == 1:
            return self._at(args[0], _PRODUCT), _PRODUCT
        match args[0]:
            case Const(value=-1):
                return f"-{self._product(args[1:])[0]}", _SUM
            case Const(value=number) if number < 0:
                return f"-{self._product((Const(-number), *args[1:]))[0]}", _SUM
        first = self._at(args[0], _PRODUCT)
        return "*".join((first, *(self._at(arg, _ATOM) for arg in args[1:]))), _PRODUCT


def _joined(pieces: list[tuple[bool, str]]) -> Iterator[str]:
    for index, (negative, text) in enumerate(pieces):
        if index == 0:
            yield "-" + text if negative else text
        else:
            yield (" - " if negative else " + ") + text
