"""The example of a LangChain agent: its thread grows, the window does not, a second run goes on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.kit.example_scripts import printed_as_shown

pytest.importorskip("langchain", reason="langchain is not installed")
pytest.importorskip("langchain_openai", reason="langchain-openai is not installed")
pytest.importorskip("langgraph.checkpoint.sqlite", reason="its SQLite saver is not installed")


def test_the_thread_goes_on(tmp_path: Path) -> None:
    """Ten parts, then ten more in the same thread; each window is within its room."""
    for run, said in enumerate(printed_as_shown("langchain_agent", tmp_path), 1):
        assert f"answer: Parts {run * 10 - 9} to {run * 10} are read." in said
        assert f"messages in the thread: {22 * run}, requests: {11 * run}\n" in said
        [now] = re.findall(r"the window now: (\S+) of (\S+) tokens", said)
        used, room = (int(one.replace(",", "")) for one in now)
        assert used <= room < 8_192
        assert re.search(r"a page, brought back: Part \d was written by author \d+\.", said)
