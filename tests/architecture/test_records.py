"""Records behave as the standard dataclasses that a type checker takes them for."""

from __future__ import annotations

import dataclasses
import pickle
from dataclasses import FrozenInstanceError, field, replace

import pytest
from typing_extensions import override

from vxproof import records


@records.dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 2
    tags: tuple[str, ...] = ()
    note: str = field(default="", compare=False, repr=False)


@records.dataclass(frozen=True, slots=True)
class Named(Point):
    name: str = "origin"


@records.dataclass(frozen=True, slots=True)
class Measured:
    sides: tuple[int, ...]
    area: int = field(init=False)

    def __post_init__(self) -> None:
        if not self.sides:
            raise ValueError("no sides")
        object.__setattr__(self, "area", self.sides[0] ** 2)


@records.dataclass(slots=True)
class Bag:
    items: list[int] = field(default_factory=list)
    seen: dict[str, int] = field(default_factory=dict, init=False)


@records.dataclass(frozen=True, slots=True, eq=False)
class Identity:
    value: int


@records.dataclass(frozen=True, slots=True)
class Folded:
    """Compares without regard to case."""

    text: str

    @override
    def __eq__(self, other: object) -> bool:
        return isinstance(other, Folded) and other.text.lower() == self.text.lower()

    @override
    def __hash__(self) -> int:
        return hash(self.text.lower())


@records.dataclass(frozen=True, slots=True)
class Empty:
    pass


def test_fields_defaults_and_keywords() -> None:
    assert (Point(1).x, Point(1).y, Point(1, tags=("a",)).tags) == (1, 2, ("a",))
    assert Named(1, name="n").name == "n"
    for wrong in ((), (1, 2, (), "", 5)):
        with pytest.raises(TypeError):
            Point(*wrong)
    with pytest.raises(TypeError):
        Point(1, z=3)  # type: ignore[call-arg]


def test_equality_and_hash_are_of_the_compared_fields_and_the_class() -> None:
    assert Point(1, note="a") == Point(1, note="b") != Point(2)
    assert hash(Point(1, note="a")) == hash(Point(1, note="b"))
    assert Point(1) != Named(1)
    assert Empty() == Empty()
    values: object = (1, 2, ())
    assert Point(1) != values
    assert Identity(1) != Identity(1)
    assert {Folded("A"), Folded("a")} == {Folded("a")}
    with pytest.raises(TypeError):
        hash(Bag())


def test_frozen_records_refuse_every_change() -> None:
    one = Point(1)
    for name in ("x", "unknown"):
        with pytest.raises(FrozenInstanceError):
            setattr(one, name, 5)
        with pytest.raises(FrozenInstanceError):
            delattr(one, name)
    assert not hasattr(one, "__dict__")


def test_records_that_are_not_frozen_own_their_defaults() -> None:
    first, second = Bag(), Bag()
    first.items.append(1)
    first.seen["a"] = 1
    assert (second.items, second.seen) == ([], {})
    second.items = [1]
    assert first != second


def test_the_standard_functions_take_them() -> None:
    assert replace(Point(1, note="n"), y=5) == Point(1, 5)
    assert [one.name for one in dataclasses.fields(Named)] == ["x", "y", "tags", "note", "name"]
    assert repr(Point(1, tags=("a",))) == "Point(x=1, y=2, tags=('a',))"
    assert repr(Empty()) == "Empty()"
    match Named(7):
        case Point(x, y):
            assert (x, y) == (7, 2)


def test_post_init_runs_last_and_may_refuse() -> None:
    assert Measured((3,)).area == 9
    with pytest.raises(ValueError, match="no sides"):
        Measured(())


@pytest.mark.parametrize("one", [Point(1, note="n"), Named(2), Measured((3,)), Bag([1])])
def test_pickle_keeps_every_field(one: object) -> None:
    again = pickle.loads(pickle.dumps(one))
    assert again == one
    assert repr(again) == repr(one)


def test_a_record_without_slots_is_refused() -> None:
    with pytest.raises(TypeError, match="slots"):
        records.dataclass(frozen=True, slots=False)(type("Plain", (), {}))
