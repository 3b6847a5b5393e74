"""The words Loom itself puts into a window."""

from __future__ import annotations

import re
from pathlib import Path

import loom
from loom.engine.tools.retrieval import RETRIEVAL

SOURCES = Path(loom.__file__).parent


def test_tools_are_promised_as_they_are_declared() -> None:
    """Wherever a text names an argument of page_in or recall, their schemas have it."""
    declared = {tool.schema.name: tool.schema.parameters["required"] for tool in RETRIEVAL}
    promised = [
        match.groups()
        for source in SOURCES.rglob("*.py")
        for line in source.read_text("utf-8").splitlines()
        if not re.match(r"\s*(?:async )?def ", line)
        for match in re.finditer(r"(?<![\w.])(page_in|recall)\((\w+)\)", line)
    ]
    assert len(promised) >= 6
    assert {
        (name, argument) for name, argument in promised if argument not in declared[name]
    } == set()
