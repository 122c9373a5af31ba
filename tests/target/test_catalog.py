"""Names of targets, and that every fact says where it comes from."""

from __future__ import annotations

import pytest

from vxproof.target import ALL_TARGETS, KNOWN_TARGETS, Grade, UnknownTarget, load, sources, table


def test_what_all_means() -> None:
    numbers = "75 80 86 87 89 90a 100a 103a 110a 120a 121a"
    assert tuple(f"sm_{n}" for n in numbers.split()) == ALL_TARGETS


def test_known_targets() -> None:
    plain = "75 80 86 87 88 89 90 90a"
    families = " ".join(f"{n} {n}f {n}a" for n in (100, 103, 110, 120, 121))
    assert tuple(f"sm_{n}" for n in f"{plain} {families}".split()) == KNOWN_TARGETS
    assert set(ALL_TARGETS) <= set(KNOWN_TARGETS)


@pytest.mark.parametrize(
    ("name", "close"),
    [("sm_90b", "sm_90"), ("sm90a", "sm_90a"), ("SM_80", "sm_80"), ("sm_100aa", "sm_100a")],
)
def test_unknown_target_names_what_resembles_it(name: str, close: str) -> None:
    with pytest.raises(UnknownTarget) as caught:
        load(name)
    assert close in caught.value.close
    assert caught.value.known == KNOWN_TARGETS
    assert caught.value.message.startswith(f"unknown target `{name}`; close to it: ")


@pytest.mark.parametrize("name", ["sm_70", "", "all", "../common", "common", "sm_89a", "sm_90f"])
def test_a_name_without_data_is_unknown(name: str) -> None:
    with pytest.raises(UnknownTarget) as caught:
        load(name)
    assert "known: sm_75, sm_80" in caught.value.message


def test_an_unknown_target_is_a_missing_key() -> None:
    with pytest.raises(KeyError):
        load("cuda")


@pytest.mark.parametrize("name", KNOWN_TARGETS)
def test_every_fact_has_a_name_of_its_own_and_a_source(name: str) -> None:
    known = {source.tag for source in sources()}
    facts = load(name).facts
    assert len({fact.name for fact in facts}) == len(facts)
    for fact in facts:
        assert fact.tags, fact
        assert set(fact.tags) <= known, fact
        if fact.tags == ("mem",):
            assert fact.grade is Grade.MEMORY, fact
        if fact.grade is Grade.MEASURED:
            assert "M" in fact.tags, fact


def test_every_source_is_cited_and_has_a_text() -> None:
    cited = {tag for name in KNOWN_TARGETS for fact in load(name).facts for tag in fact.tags}
    cited |= {item.source for name in KNOWN_TARGETS for item in load(name).conflicts}
    assert {source.tag for source in sources()} == cited
    assert all(len(source.text) > 20 for source in sources())


def test_a_fact_carries_its_unit_and_grade() -> None:
    fact = load("sm_90a").fact("smem_optin_per_block")
    assert (fact.value, fact.unit, fact.source, fact.grade) == (
        232448,
        "B",
        "S2",
        Grade.SOURCED,
    )
    assert load("sm_90a").fact("smem_swizzled_tile_align").grade is Grade.MEMORY
    assert load("sm_90a").fact("smem_static_per_block").grade is Grade.MEASURED


def test_a_target_has_no_fact_about_what_it_lacks() -> None:
    with pytest.raises(KeyError, match=r"tmem\.columns"):
        load("sm_120a").fact("tmem.columns")
    assert load("sm_120a").fact("has_tmem").value is False
    assert load("sm_100a").fact("tmem.columns").value == 512


def test_the_disagreement_about_12_0_is_recorded() -> None:
    stated = {(item.fact, item.other) for item in load("sm_120a").conflicts}
    assert stated == {("smem_per_sm", "131072 B"), ("max_blocks_per_sm", "32 blocks")}
    assert load("sm_90a").conflicts == ()


def test_targets_compare_and_hash() -> None:
    assert load("sm_80") is load("sm_80")
    assert len({load(name) for name in KNOWN_TARGETS}) == len(KNOWN_TARGETS)


def test_table_prints_every_fact_of_every_target() -> None:
    chosen = [load(name) for name in ALL_TARGETS]
    shown = table(chosen)
    assert shown.header == ("limit", *ALL_TARGETS, "unit", "grade", "source")
    assert {len(row) for row in shown.rows} == {len(shown.header)}
    cells = {row[0]: dict(zip(shown.header[1:], row[1:], strict=True)) for row in shown.rows}
    assert len(cells) == len(shown.rows)
    for target in chosen:
        for fact in target.facts:
            assert cells[fact.name][target.name] == fact.text
    assert cells["smem_per_sm"]["sm_80"] == "167936"
    assert cells["tmem.columns"]["sm_80"] == "-"
    assert cells["max_cluster"]["sm_120a"] == "unknown"
    assert cells["has_wgmma"]["sm_90a"] == "yes"
    assert cells["cp_async.ca_sizes"]["sm_80"] == "4 8 16"
    assert any("S5 has 131072 B" in note for note in shown.notes)


def test_table_of_one_target_has_no_row_that_it_lacks() -> None:
    names = {row[0] for row in table([load("sm_75")]).rows}
    assert "smem_per_sm" in names
    assert not any(name.startswith(("tmem.", "cp_async.", "wgmma.")) for name in names)
    assert table([]).rows == ()
