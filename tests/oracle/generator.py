"""Random small kernels: about half of their accesses are right, and most others nearly so."""

from __future__ import annotations

import random
from dataclasses import dataclass

from tests.oracle.terms import Shape, Terms


@dataclass
class Writer(Terms):
    """Writes one program."""

    # ---- programs

    def program(self) -> str:
        """One function with one kernel."""
        pick = self.random
        self.generics = ["A", "B"][: pick.randint(0, 2)]
        self.extents = ["M", "N"][: pick.randint(1, 2)]
        scalars = {"p": "i64", "q": "i32", "u": "u32", "c": "i8"}
        chosen = {n: t for n, t in scalars.items() if pick.random() < (0.4 if n in "pq" else 0.12)}
        on_device = pick.random() < 0.15
        self._make_tensors()
        self._keep_used_extents()
        top = dict.fromkeys((*self.generics, *self.extents), "i64") | chosen
        self.scopes, self.mutable = [top], [set()]
        generics = ", ".join(f"const {name}: i64" for name in self.generics)
        params = [_parameter(one, by_reference=on_device) for one in self.tensors]
        params += [f"{name}: {type_}" for name, type_ in chosen.items()]
        angle = f"<{generics}>" if generics else ""
        device = " on Topology::GPU" if on_device else ""
        self.lines.append(f"fn f{angle}({', '.join(params)}){device}")
        for clause in self._requires(chosen):
            self.lines.append(f"  requires {clause}")
        self.lines.append("{")
        if on_device:
            self._body(1)
        else:
            self._spawn()
        self.lines.append("}")
        return "\n".join(self.lines) + "\n"

    def _make_tensors(self) -> None:
        pick = self.random
        names = [("x", "f32", False), ("y", "f32", True), ("t", pick.choice(("i64", "i32")), False)]
        for name, dtype, writable in names[: pick.randint(2, 3)]:
            rank = pick.choice((1, 1, 2))
            dims = tuple(self._dim() for _ in range(rank))
            self.tensors.append(Shape(name, dtype, dims, writable))

    def _keep_used_extents(self) -> None:
        """Only a name that is a dimension by itself is an extent."""
        used = {dim for one in self.tensors for dim in one.dims}
        self.extents = [name for name in self.extents if name in used]
        if not self.extents:
            self.extents = ["M"]
            self.tensors[0].dims = ("M", *self.tensors[0].dims[1:])
        lost = {"M", "N"} - set(self.extents)
        for one in self.tensors:
            one.dims = tuple("3" if lost & set(dim.split()) else dim for dim in one.dims)

    def _dim(self) -> str:
        pick = self.random
        choice = pick.random()
        if choice < 0.6:
            return pick.choice(self.extents)
        if choice < 0.8 or not self.generics:
            return str(pick.randint(1, 6))
        return pick.choice((f"{pick.choice(self.generics)} * 2", f"{self.extents[0]} + 1"))

    def _requires(self, scalars: dict[str, str]) -> list[str]:
        pick = self.random
        clauses: list[str] = []
        bounded = [name for name in self.generics if pick.random() < 0.85]
        clauses += [f"1 <= {name} && {name} <= {pick.randint(1, 5)}" for name in bounded]
        for name in self.extents:
            clauses += self._about_extent(name)
        for name, type_ in scalars.items():
            clauses += self._about_scalar(name, type_)
        pick.shuffle(clauses)
        if self.generics and pick.random() < 0.8:
            # Divisors come after the facts about them.
            clauses.sort(key=lambda one: "%" in one or "/" in one)
        return clauses

    def _about_extent(self, name: str) -> list[str]:
        pick = self.random
        other = pick.choice(self.extents)
        options = [
            f"{name} <= {pick.randint(1, 6)}",
            f"{pick.randint(1, 4)} <= {name}",
            f"{name} == {pick.randint(1, 6)} || {name} == {pick.randint(1, 6)}",
            f"{name} <= {other}",
            f"{name} % {pick.randint(2, 3)} == {pick.randint(0, 1)}",
        ]
        for generic in self.generics:
            options += [f"{name} % {generic} == 0"] * 3
            options += [f"{generic} <= {name}", f"{name} == {generic} * {pick.randint(1, 3)}"]
        found = [pick.choice(options) for _ in range(pick.choice((0, 1, 1, 2)))]
        if pick.random() < 0.7:
            found.append(f"{name} <= {pick.randint(2, 8)}")
        return found

    def _about_scalar(self, name: str, type_: str) -> list[str]:
        pick = self.random
        extent = pick.choice(self.extents)
        low = pick.choice(("0", "0", "1", "-2", "-1"))
        if type_[0] == "u":
            low = pick.choice(("0", "1"))
        options = [
            f"{low} <= {name} && {name} < {extent}",
            f"{low} <= {name} && {name} <= {pick.randint(1, 5)}",
            f"{name} == {pick.randint(0, 3)}",
            f"{low} <= {name}",
            f"({low} <= {name} && {name} <= 1) || {name} == {pick.randint(2, 4)}",
        ]
        return [pick.choice(options)] if pick.random() < 0.85 else []

    def _spawn(self) -> None:
        pick = self.random
        if pick.random() < 0.25:
            for _ in range(pick.randint(1, 2)):
                self._let(1)
        self.rank = pick.choice((0, 1, 1, 1, 2, 2))
        self.grid = [self._grid_extent() for _ in range(self.rank)]
        tiled = pick.random() < 0.4
        head = "spawn on(Topology::GPU)"
        if tiled:
            head += " warps(4)"
        if self.rank:
            words = [pick.choice(("parallel", "parallel", "arbitrary")) for _ in self.grid]
            head += f" grid([{', '.join(self.grid)}])"
            if pick.random() < 0.9:
                head += f" semantics([{', '.join(words)}])"
        self.lines.append(f"  {head} {{")
        self.scopes.append({})
        self.mutable.append(set())
        for axis in range(self.rank):
            name = f"g{axis}"
            self.lines.append(f"    let {name} = grid_index({axis});")
            self.scopes[-1][name] = "i64"
        self._body(2, tiled=tiled)
        self.scopes.pop()
        self.mutable.pop()
        self.lines.append("  }")

    def _grid_extent(self) -> str:
        pick = self.random
        extent = pick.choice(self.extents)
        options = [extent, extent, f"{extent} - 1", str(pick.randint(1, 4))]
        for generic in self.generics:
            options += [f"{extent} / {generic}", f"{extent} / {generic}"]
            options += [f"({extent} + {generic} - 1) / {generic}", generic]
        return pick.choice(options)

    # ---- statements

    def _body(self, depth: int, *, tiled: bool = False) -> None:
        for _ in range(self.random.randint(1, 4)):
            if self.budget <= 0:
                return
            self.budget -= 1
            self._statement(depth, tiled=tiled)

    def _statement(self, depth: int, *, tiled: bool) -> None:
        pick = self.random
        kinds = ["let", "let", "mut", "assign", "store", "store", "store", "load"]
        if depth < 5:
            kinds += ["for", "for", "if", "if", "guard", "guard", "guard"]
        if tiled:
            kinds += ["tile"] * 8
        if pick.random() < 0.05:
            kinds = ["assert"]
        match pick.choice(kinds):
            case "let":
                self._let(depth)
            case "mut":
                self._let(depth, mutable=True)
            case "assign":
                self._assign(depth)
            case "store":
                self._store(depth)
            case "load":
                self._load(depth)
            case "for":
                self._for(depth, tiled=tiled)
            case "if":
                self._if(depth, tiled=tiled)
            case "guard":
                self._guarded(depth)
            case "tile":
                self._tile(depth)
            case _:
                self._line(depth, f'assert({self._condition()}, "holds");')

    def _line(self, depth: int, text: str) -> None:
        self.lines.append("  " * depth + text)

    def _fresh(self) -> str:
        self.names += 1
        if self.random.random() < 0.15 and self.names > 2:
            return f"v{self.random.randint(1, self.names - 1)}"
        return f"v{self.names}"

    def _let(self, depth: int, *, mutable: bool = False) -> None:
        text, type_ = self._integer(2)
        name = self._fresh()
        word = "let mut" if mutable else "let"
        note = f": {type_}" if self.random.random() < 0.5 else ""
        self._line(depth, f"{word} {name}{note} = {text};")
        self.scopes[-1][name] = type_
        (self.mutable[-1].add if mutable else self.mutable[-1].discard)(name)

    def _assign(self, depth: int) -> None:
        usable: list[str] = []
        shadowed: set[str] = set()
        for scope, own in zip(reversed(self.scopes), reversed(self.mutable), strict=True):
            usable += [name for name in sorted(own) if name not in shadowed]
            shadowed |= scope.keys()
        if not usable:
            self._let(depth, mutable=True)
            return
        name = self.random.choice(usable)
        type_ = self._type_of(name)
        if self.random.random() < 0.6:
            step = self.random.choice(("1", "1", "2", "0"))
            sign = self.random.choice(("+", "+", "-"))
            form = f"{name} {sign}= {step};" if self.random.random() < 0.5 else ""
            self._line(depth, form or f"{name} = {name} {sign} {step};")
        else:
            self._line(depth, f"{name} = {self._as(type_)};")

    def _as(self, type_: str) -> str:
        text, own = self._integer(1)
        return text if own == type_ else f"({text}) as {type_}"

    def _for(self, depth: int, *, tiled: bool) -> None:
        pick = self.random
        name = f"i{depth}"
        low = pick.choice(("0", "0", "0", "1", self._simple()))
        high = pick.choice((pick.choice(self.extents), self._simple(), str(pick.randint(0, 4))))
        if pick.random() < 0.2:
            high = f"{high} - 1"
        clause = self._condition()
        invariant = (
            f" invariant({clause})" if pick.random() < 0.1 and "select" not in clause else ""
        )
        self._line(depth, f"for {name} in {low}..{high}{invariant} {{")
        self.scopes.append({name: "i64"})
        self.mutable.append(set())
        self._body(depth + 1, tiled=tiled)
        self.scopes.pop()
        self.mutable.pop()
        self._line(depth, "}")

    def _if(self, depth: int, *, tiled: bool) -> None:
        self._line(depth, f"if {self._condition()} {{")
        self._inner(depth + 1, tiled=tiled)
        if self.random.random() < 0.4:
            self._line(depth, "} else {")
            self._inner(depth + 1, tiled=tiled)
        self._line(depth, "}")

    def _inner(self, depth: int, *, tiled: bool = False) -> None:
        self.scopes.append({})
        self.mutable.append(set())
        self._body(depth, tiled=tiled)
        self.scopes.pop()
        self.mutable.pop()

    def _guarded(self, depth: int) -> None:
        """An access under the condition that makes it right, or nearly."""
        pick = self.random
        tensor = pick.choice(self.tensors)
        typed = [self._integer(1) for _ in tensor.dims]
        indices = [text for text, _ in typed]
        conditions: list[str] = []
        for (index, type_), dim in zip(typed, tensor.dims, strict=True):
            low = pick.choice(("0", "0", "0", "1", "1" if type_ == "u32" else "-1"))
            relation = pick.choice(("<", "<", "<", "<="))
            extent = pick.choice((dim, dim, f"{dim} - 1", pick.choice(self.extents)))
            part = [f"{low} <= {index}", f"{index} {relation} {extent}"]
            if pick.random() < 0.1:
                part.pop(pick.randint(0, 1))
            conditions += part
        self._line(depth, f"if {' && '.join(conditions)} {{")
        self._line(depth + 1, self._access(tensor, indices))
        self._line(depth, "}")

    def _access(self, tensor: Shape, indices: list[str]) -> str:
        place = f"{tensor.name}{''.join(f'[{one}]' for one in indices)}"
        if tensor.writable and self.random.random() < 0.8:
            return f"{place} = 1.0;"
        name = self._fresh()
        return f"let {name}_ = {place};"

    def _store(self, depth: int) -> None:
        tensor = next(one for one in self.tensors if one.writable)
        indices = [self._index(dim) for dim in tensor.dims]
        place = f"{tensor.name}{''.join(f'[{one}]' for one in indices)}"
        if self.random.random() < 0.3:
            other = self.random.choice([one for one in self.tensors if one.dtype == "f32"])
            inner = "".join(f"[{self._index(dim)}]" for dim in other.dims)
            self._line(depth, f"{place} = {other.name}{inner};")
        else:
            self._line(depth, f"{place} = 1.0;")

    def _load(self, depth: int) -> None:
        tensor = self.random.choice(self.tensors)
        indices = [self._index(dim) for dim in tensor.dims]
        name = self._fresh()
        place = f"{tensor.name}{''.join(f'[{one}]' for one in indices)}"
        if tensor.dtype == "f32":
            self._line(depth, f"let {name}_ = {place};")
            return
        self._line(depth, f"let {name} = {place};")
        self.scopes[-1][name] = tensor.dtype
        self.mutable[-1].discard(name)

    def _tile(self, depth: int) -> None:
        pick = self.random
        writable = next(one for one in self.tensors if one.writable)
        sizes = [self._tile_size() for _ in writable.dims]
        target = self._view(writable, sizes)
        sources = [one for one in self.tensors if one.dtype == "f32"]
        sources = [one for one in sources if len(one.dims) == len(sizes)]
        source = pick.choice(sources)
        value = self._view(source, sizes)
        if pick.random() < 0.3:
            value = f"Tensor<f32>([{', '.join(sizes)}])"
        self._line(depth, f"{target} = {value} + 1.0;")

    def _tile_size(self) -> str:
        pick = self.random
        return pick.choice((*self.generics, *self.generics, str(pick.randint(1, 3))))

    def _view(self, tensor: Shape, sizes: list[str]) -> str:
        pick = self.random
        pad = ", pad: 0.0" if pick.random() < 0.35 else ""
        base = tensor.name
        if pick.random() < 0.12:
            origin = ", ".join("0" for _ in sizes)
            base = f"slice({base}, [{origin}], [{', '.join(sizes)}], pad: 0.0)"
        shape = ", ".join(sizes)
        if pick.random() < 0.6:
            offsets = [self._block_index(size) for size in sizes]
            return f"tile({base}, [{', '.join(offsets)}], [{shape}]{pad})"
        starts = []
        for size in sizes:
            start = self._block_index(size)
            start = pick.choice((f"{start} * {size}", f"{start} * {size}", start, "0"))
            start = pick.choice((start, start, f"{start} - 1", f"{start} + 1"))
            starts.append(start)
        return f"slice({base}, [{', '.join(starts)}], [{shape}]{pad})"

    def _block_index(self, size: str) -> str:
        del size
        pick = self.random
        grid = [f"g{axis}" for axis in range(self.rank)]
        return pick.choice((*grid, *grid, *grid, "0", self._simple()))


def _parameter(tensor: Shape, *, by_reference: bool) -> str:
    type_ = f"Tensor<{tensor.dtype}, [{', '.join(tensor.dims)}]>"
    sign = "&mut " if tensor.writable else "&" if by_reference else ""
    return f"{tensor.name}: {sign}{type_}"


def program(seed: int) -> str:
    """The text of one program; the same seed gives the same text."""
    return Writer(random.Random(seed)).program()
