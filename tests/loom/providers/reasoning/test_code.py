"""Code is where another reader of CommonMark finds it, containers aside."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.providers.reasoning import separate

PARTS = [
    *["`", "``", "```", "~~~", "````", "\\", " ", "\t", "a", "b c", "# h\n", "py"],
    *["\n", "\n\n", "\n    ", "\n   ", "\n---\n", "\n===\n", "\n```\n", "\n~~~\n"],
]
TAG = "x{0}</think>y"  # one that is taken out wherever it is not in code
INFO = re.compile(r" {0,3}(?:```|~~~)")  # markdown-it keeps of an info string its first word


@given(st.lists(st.sampled_from([TAG] * 4 + PARTS), min_size=1, max_size=14))
def test_tags_in_code_stay(parts: list[str]) -> None:
    """Of many tags, those left in the answer are those that are shown as code."""
    markdown_it = pytest.importorskip("markdown_it")
    text = "".join(part.format(f"{at}x") for at, part in enumerate(parts)).lstrip()
    lines = [line for line in text.split("\n") if not INFO.match(line)]
    tags = [f"x{at}x</think>" for at in range(len(parts)) if any(f"x{at}x<" in s for s in lines)]
    shown = markdown_it.MarkdownIt("commonmark", {"html": False}).render(text)
    code = "".join(re.findall(r"<code.*?</code>", shown, re.DOTALL))
    answer = separate(text, starts_inside=False).answer
    for tag in tags:
        assert (tag in answer) == (tag.replace("<", "&lt;").replace(">", "&gt;") in code)
