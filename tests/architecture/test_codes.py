"""Every code that the registry knows has a page that `vxproof explain` prints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import vxproof
from vxproof.diagnostics.codes import REGISTRY
from vxproof.diagnostics.explain import explain

PACKAGE = Path(vxproof.__file__).parent
CODE = re.compile(r"""["']([EW]\d{4})["']""")


@pytest.mark.parametrize("code", sorted(REGISTRY))
def test_code_has_a_page(code: str) -> None:
    page = explain(code)
    assert code in page
    assert len(page.split()) >= 15, f"{code}: a page is a paragraph, not a title"


@pytest.mark.parametrize("code", sorted(REGISTRY))
def test_code_is_keyed_by_its_own_name(code: str) -> None:
    assert REGISTRY[code].code == code
    assert REGISTRY[code].summary


def test_every_code_used_in_the_package_is_registered() -> None:
    used = {
        (code, path.name)
        for path in PACKAGE.rglob("*.py")
        for code in CODE.findall(path.read_text(encoding="utf-8"))
    }
    assert used
    unknown = sorted((code, name) for code, name in used if code not in REGISTRY)
    assert unknown == []
