"""The benchmark of declared tools."""

from __future__ import annotations

import json

import pytest

from benchmarks.tools import tools
from loom.bench.cost.declared import made, measure
from loom.capabilities.toolbox import Toolbox


def test_the_tools_are_the_same_each_time() -> None:
    """A seed decides them, and no two have one name."""
    assert made(0) == [] and made(60) == made(60)
    box = Toolbox()
    for one in made(60):
        box.add(one)
    assert len(box) == 60 and len(box.declared()) == 10


def test_level_one_alone_is_cheaper() -> None:
    """In every format, by more than half with sixty tools; and the tools are found."""
    report = measure(60)
    assert report["formats"] and report["found_in_5"] > 0.9
    for cost in report["formats"].values():
        assert cost["level_1_and_find_tool"] < cost["all"] / 2


def test_without_hidden_tools_there_is_nothing_to_save() -> None:
    """The gate costs what it costs."""
    for cost in measure(10)["formats"].values():
        assert cost["level_1_and_find_tool"] > cost["all"]


def test_the_last_line_is_json(capsys: pytest.CaptureFixture[str]) -> None:
    """With a table before it."""
    assert tools() == 0
    out = capsys.readouterr().out
    assert "Declared tool tokens" in out and json.loads(out.splitlines()[-1])["tools"] == 60
