"""Every code has a page of its own words, and a wrong code finds its neighbours."""

from __future__ import annotations

from pathlib import Path

import pytest

import vxproof.diagnostics
from vxproof.diagnostics import REGISTRY
from vxproof.diagnostics.explain import close_codes, explain

PAGES = Path(vxproof.diagnostics.__file__).parent / "pages"


def test_pages_and_codes_are_the_same_set() -> None:
    assert {page.stem for page in PAGES.glob("*.md")} == set(REGISTRY)


def test_no_two_pages_are_alike() -> None:
    texts = [page.read_text(encoding="utf-8") for page in PAGES.glob("*.md")]
    assert len(set(texts)) == len(texts)


def test_a_page_starts_with_code_severity_and_summary() -> None:
    assert explain("E6010").startswith(
        "E6010 (refuted): coexisting tiles exceed the capacity\n\nTiles that live"
    )


def test_an_unknown_code_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        explain("E9999")


def test_close_codes_are_registered_and_near() -> None:
    assert "E6010" in close_codes("e601")
    assert len(close_codes("e601")) == 3
    assert close_codes("hello") == ()
