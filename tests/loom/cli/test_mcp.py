"""The command `loom mcp`, without what it serves."""

from __future__ import annotations

import sys

import pytest

from loom.cli import main


def test_without_its_extra_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2, one line, and nothing on stdout."""
    monkeypatch.setitem(sys.modules, "mcp_types", None)
    assert main(["mcp"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and "pip install '.[mcp]' in a checkout of Loom" in err
