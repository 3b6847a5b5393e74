"""Micro never points at a text that holds less than the one it takes away."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import json

from loom.compress.duplicates import micro
from loom_partitions.edits import Shortened
from tests.kit.cases import all_cases
from tests.kit.opened import Open
from tests.kit.scene import scene
from tests.kit.step import step

FILE = "".join(f"x = {number}  # of the file\n" for number in range(60))
TAIL = "/" + "deep/" * 30 + "main.py"  # longer than what two cut names would share
Given = tuple[str, str, str]  # tool, arguments, result


def read(path: str, text: str, **more: int) -> Given:
    """A read of a file, perhaps of part of it."""
    return ("Read", json.encode({"file_path": path, **more}).decode(), text)


def write(path: str) -> Given:
    """A file written whole."""
    return ("Write", json.encode({"file_path": path, "content": "x = 1"}).decode(), "ok")


Edits = Callable[..., tuple[list[int], list[int]]]


@pytest.fixture
def references(
    opened: Open,
) -> Edits:
    """What micro makes of some steps: (entry ids of the steps, ids that became references)."""

    def made(happened: list[Given]) -> tuple[list[int], list[int]]:
        ctx = opened(window=64_000)
        ids = [step(ctx, text, tool=tool, args=args) for tool, args, text in happened]
        for _ in range(4):
            step(ctx, "done")
        edits = [edit for edit in micro(scene(ctx)) if isinstance(edit, Shortened)]
        return ids, [edit.entry for edit in edits]

    return made


GONE: list[Any] = [
    pytest.param([read("m.py", FILE), read("m.py", FILE)], id="read again"),
    pytest.param([read("m.py", FILE), read("m.py", FILE + "y = 2\n")], id="read again, grown"),
    pytest.param([read("m.py", FILE[:400], offset=1, limit=9), read("m.py", FILE)], id="a part"),
    pytest.param([read("m.py", FILE), write("m.py")], id="written later"),
    pytest.param([read("/repoA/m.py", FILE), read("/repoA/m.py", FILE)], id="in a folder"),
]


@all_cases("happened", GONE)
def test_what_a_newer_step_holds_goes(references: Edits, happened: list[Given]) -> None:
    """Micro still does its work where a newer step does hold the text."""
    ids, gone = references(happened)
    assert gone == ids[:1]


texts = st.integers(200, 2_500).map(lambda size: (FILE * 2)[:size])
reads = st.tuples(st.sampled_from(["m.py", "/repoA" + TAIL, "/repoB" + TAIL]), texts)


@settings(
    max_examples=25,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(reads, min_size=1, max_size=6))
def test_a_reference_names_a_text_at_least_as_long(
    opened: Open, happened: list[tuple[str, str]]
) -> None:
    """Whatever was read: the step named is newer, of the same file, and no smaller."""
    ctx = opened(window=64_000)
    held = {}
    for path, text in happened:
        tool, args, _ = read(path, text)
        held[step(ctx, text, tool=tool, args=args)] = (path, text)
    for _ in range(3):
        step(ctx, "done")
    for edit in micro(scene(ctx)):
        assert isinstance(edit, Shortened)
        path, text = held[edit.entry]
        (named,) = [id for id in held if f"see step_{id:04d}" in str(edit.text.body)]
        assert named > edit.entry
        assert held[named][0] == path
        assert len(held[named][1]) >= len(text)
        assert list(ctx.history.restore(edit.entry).results.values()) == [text]
    ctx.close()
