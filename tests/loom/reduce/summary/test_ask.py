"""What a model is given: instructions apart from data."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from loom.reduce.summary.ask import asked, fence


@given(st.text(), st.text(), st.text())
def test_the_data_stands_alone(data: str, tool: str, objective: str) -> None:
    """The fence stands twice as a line, the data whole between; no other text can be one."""
    ask = asked(data, 50, tool=tool, objective=objective, counts="")
    line = fence(data)
    assert ask.prompt.endswith(f"\n{line}\n{data}\n{line}") and line not in data
    head = ask.prompt.removesuffix(f"\n{line}\n{data}\n{line}").split("\n")
    assert len(head) == 2 + bool(tool) + bool(objective) and line not in head
