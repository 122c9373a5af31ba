"""What every pass over one kernel's plan needs: the kernel, its machine, and what is known."""

from __future__ import annotations

from collections.abc import Mapping

from vxproof.ir.module import Kernel, Module, Space
from vxproof.logic.obligation import Symbol
from vxproof.logic.terms import Formula, Term
from vxproof.plan.ranges import Ranges
from vxproof.records import dataclass
from vxproof.target import Target


@dataclass(frozen=True, slots=True)
class Context:
    """The kernel to plan, and the facts that hold for every admitted value of its symbols."""

    kernel: Kernel
    module: Module
    target: Target | None
    symbols: tuple[Symbol, ...]
    requires: tuple[Formula, ...]
    ranges: Ranges

    @property
    def warps(self) -> Term:
        """Warps of a block; the literal 0 where one thread runs the body."""
        return self.kernel.spawn.warps

    @property
    def tiled(self) -> bool:
        """Whether the block has more than one thread."""
        return self.kernel.spawn.tiled

    @property
    def names(self) -> Mapping[str, str]:
        """What the source calls each symbol."""
        return {symbol.name: symbol.display or symbol.name for symbol in self.symbols}

    def space(self, name: str) -> Space:
        """Return a space by its name; KeyError if the machine has none."""
        return self.module.machine.spaces[name]

    @property
    def register_space(self) -> str | None:
        """The name of the machine's own register file, None without a target."""
        for space in self.module.machine.spaces.values():
            if space.native == "RF":
                return space.name
        return None
