"""The known target strings, and how one is read from the data files when it is asked for."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from vxproof.target.facts import UNKNOWN, Conflict, Fact, FactValue, Grade, Source
from vxproof.target.target import (
    CpAsyncLimits,
    MbarrierLimits,
    MmaShape,
    SetmaxnregLimits,
    Target,
    Tcgen05Shapes,
    TensorCopyLimits,
    TmemLimits,
    WgmmaShapes,
)

KNOWN_TARGETS: tuple[str, ...] = (
    *("sm_75", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90", "sm_90a"),
    *("sm_100", "sm_100f", "sm_100a", "sm_103", "sm_103f", "sm_103a"),
    *("sm_110", "sm_110f", "sm_110a", "sm_120", "sm_120f", "sm_120a"),
    *("sm_121", "sm_121f", "sm_121a"),
)
"""Every target string with data, by compute capability, then plain, `f`, `a`."""

ALL_TARGETS: tuple[str, ...] = (
    *("sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90a", "sm_100a", "sm_103a"),
    *("sm_110a", "sm_120a", "sm_121a"),
)
"""What the word `all` stands for."""

_DATA = Path(__file__).parent / "data"
_Limits = TypeVar("_Limits")
_TYPES: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "int | None": (int, type(None)),
    "bool": (bool,),
    "tuple[int, ...]": (tuple,),
}


class UnknownTarget(KeyError):  # noqa: N818 (a key that is missing, as in KeyError)
    """No data for a target string.

    Attributes:
        name: What was asked for.
        known: Every target string that has data.
        close: Those of `known` that resemble `name`, the closest first.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name
        self.known = KNOWN_TARGETS
        self.close = tuple(difflib.get_close_matches(name.lower(), KNOWN_TARGETS, n=3))

    @property
    def message(self) -> str:
        """One sentence with the names that would have been understood."""
        hint = f"; close to it: {', '.join(self.close)}" if self.close else ""
        return f"unknown target `{self.name}`{hint}; known: {', '.join(self.known)}"


@cache
def load(name: str) -> Target:
    """The target of that name, read on first use.

    Raises:
        UnknownTarget: There is no data for `name`.
    """
    if name not in KNOWN_TARGETS:
        raise UnknownTarget(name)
    arch = _read(name.rstrip("af"))
    common = _read("common")
    facts = [
        *_facts(common["facts"]),
        *_facts(arch["facts"]),
        *_facts(arch["targets"][name]),
    ]
    cc = (arch["cc"][0], arch["cc"][1])
    flags = {fact.name: fact.value is True for fact in facts if fact.name.startswith("has_")}
    tables: list[Mapping[str, Any]] = [common]
    for flag, file in (("has_tensor_copy", "tensor_copy"), ("has_wgmma", "wgmma")):
        tables.append(_read(file) if flags[flag] else {})
    tables.append(_read("tmem") if flags["has_tmem"] else {})
    conflicts = [
        Conflict(**item) for data in (arch, *tables[1:]) for item in data.get("conflicts", ())
    ]

    def feature(kind: type[_Limits], flag: str, table: str) -> _Limits | None:
        if not flags[flag]:
            return None
        data = next(file[table] for file in tables if table in file)
        own = tuple(_facts(data, prefix=f"{table}."))
        facts.extend(own)
        return kind(**_values(kind, own, prefix=f"{table}."))

    features: dict[str, Any] = {
        "cp_async": feature(CpAsyncLimits, "has_copy_engine", "cp_async"),
        "mbarrier_object": feature(MbarrierLimits, "has_mbarrier", "mbarrier_object"),
        "setmaxnreg": feature(SetmaxnregLimits, "has_setmaxnreg", "setmaxnreg"),
        "tensor_copy": feature(TensorCopyLimits, "has_tensor_copy", "tensor_copy"),
        "wgmma": feature(WgmmaShapes, "has_wgmma", "wgmma"),
        "tmem": feature(TmemLimits, "has_tmem", "tmem"),
        "tcgen05": feature(Tcgen05Shapes, "has_tmem", "tcgen05"),
    }
    shapes = tuple(_mma_shapes(name, cc, facts))
    return Target(
        name=name,
        cc=cc,
        mma_shapes=shapes,
        facts=tuple(facts),
        conflicts=tuple(conflicts),
        **_values(Target, facts),
        **features,
    )


def sources() -> tuple[Source, ...]:
    """Every source that a fact or a conflict cites, in the order of the file."""
    table: dict[str, str] = _read("sources")["sources"]
    return tuple(Source(tag, text) for tag, text in table.items())


@cache
def _read(stem: str) -> Mapping[str, Any]:
    return tomllib.loads((_DATA / f"{stem}.toml").read_text(encoding="utf-8"))


def _facts(table: Mapping[str, Sequence[Any]], prefix: str = "") -> Iterator[Fact]:
    for name, (value, unit, source, grade) in table.items():
        yield Fact(prefix + name, _value(value), unit, source, Grade(grade))


def _value(raw: bool | int | str | list[int]) -> FactValue:
    return tuple(raw) if isinstance(raw, list) else raw


def _values(kind: type[Any], facts: Sequence[Fact], prefix: str = "") -> dict[str, Any]:
    """Arguments of `kind` for each of its fields that has a fact, checked against its type."""
    by_name = {fact.name.removeprefix(prefix): fact.value for fact in facts}
    found: dict[str, Any] = {}
    for item in fields(kind):
        if item.name not in by_name:
            continue
        value = None if by_name[item.name] == UNKNOWN else by_name[item.name]
        expected = _TYPES[str(item.type)]
        assert type(value) in expected, f"{item.name} = {value!r} is not {item.type}"
        found[item.name] = value
    return found


def _mma_shapes(name: str, cc: tuple[int, int], facts: list[Fact]) -> Iterator[MmaShape]:
    """The shapes of `mma.sync` on a target; their facts are appended to `facts`."""
    number = 10 * cc[0] + cc[1]
    for label, item in _read("mma")["shapes"].items():
        if name in item["only"] if "only" in item else number >= item["since"]:
            m, n, k = item["shape"]
            facts.append(Fact(f"mma.{label}", (m, n, k), "m n k", "M", Grade.MEASURED))
            yield MmaShape(item["dtype"], m, n, k)
