"""A table of texts: their answer and their reasoning, whole and in pieces."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from loom.providers.reasoning import separate
from loom.providers.reasoning.spellings import NAMES, TOKENS

CASES = tomllib.loads(Path(__file__).with_name("cases.toml").read_text("utf-8"))["case"]
EACH = pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in CASES])


@EACH
def test_a_case(case: dict[str, Any]) -> None:
    """The answer, the reasoning and whether it ended inside stand in the table."""
    found = separate(case["text"])
    assert found.answer == case.get("answer", case["text"])
    assert found.reasoning == tuple(case.get("reasoning", ()))
    assert found.unclosed == case.get("unclosed", False)


def test_the_table() -> None:
    """There are plenty of cases, none twice, and each spelling is among them."""
    assert len(CASES) > 80
    for field in ("name", "text"):
        assert max(Counter(case[field] for case in CASES).values()) == 1
    blocks = " ".join(case["text"] for case in CASES if case.get("reasoning"))
    for name in NAMES:
        assert f"<{name}>" in blocks
    for opening, closing in TOKENS:
        assert opening in blocks
        assert closing in blocks
