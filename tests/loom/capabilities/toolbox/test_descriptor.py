"""What a tool is, and what is none."""

from __future__ import annotations

from typing import Any

import pytest

from loom.capabilities.toolbox import ToolDescriptor
from loom.providers.schema import BadTool
from tests.kit.cases import all_cases


@all_cases(
    ("given", "why"),
    [
        (("", "", {}), "not empty"),
        (("  ", "", {}), "not empty"),
        ((7, "", {}), "not empty"),
        (("a\nb", "", {}), "control"),
        (("a\ud800", "", {}), "control"),
        ((" a", "", {}), "spaces at its ends"),
        (("a", None, {}), "description"),
        (("a", "", []), "schema of an object"),
        (("a", "", None), "schema of an object"),
        (("a", "", {"type": "string"}), "schema of an object"),
        (("a", "", {"default": object()}), "are JSON"),
        (("a", "", {}, 0), "1, 2 or 3"),
        (("a", "", {}, 4), "1, 2 or 3"),
        (("a", "", {}, True), "1, 2 or 3"),
        (("a", "", {}, "1"), "1, 2 or 3"),
    ],
)
def test_no_tool(given: tuple[Any, ...], why: str) -> None:
    """What is no tool is none from the start, and says why."""
    with pytest.raises(BadTool, match=f"(?i){why}"):
        ToolDescriptor(*given)
