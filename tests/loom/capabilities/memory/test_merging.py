"""The guides as one text within a budget of bytes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from loom.capabilities.memory.guide_order import Guide
from loom.capabilities.memory.guide_text import plain
from loom.capabilities.memory.merging import CUT, Merged, merged


def guide(path: str, text: str) -> Guide:
    """A guide of a text."""
    return Guide(path, plain(text.encode()))


def check(guides: list[Guide], made: Merged, budget: int) -> None:
    """Hold a merged text to the rules."""
    size = len(made.text.encode())
    assert size <= budget
    origins = made.origins
    if made.text:
        assert [origin.text for origin in origins] == made.text.split("\n")
    lines = {(g.path, line.number): line.text for g in guides for line in g.lines}
    for origin in origins:
        if origin.line:
            assert lines[origin.path, origin.line] == origin.text
    # Each guide is there from its first line on, or named as left out; none is both.
    for one in guides:
        there = [origin.line for origin in origins if origin.path == one.path and origin.line]
        assert there == [line.number for line in one.lines][: len(there)]
        assert bool(there) != (one.path in made.left_out)
        own = [o.text for o in origins if o.path == one.path and not o.line and o.text]
        left, lines_ = len(one.lines) - len(there), len(one.lines)
        notice = CUT.format(path=one.path, left=f"{left:,}", lines=f"{lines_:,}")
        assert own == ([notice] if there and left else [])


def test_root_first_closest_last() -> None:
    """One blank line, Loom's own, stands between two parts."""
    made = merged([guide("AGENTS.md", "a"), guide("b/AGENTS.md", "\n\nb"), guide("b/c/X", "c")])
    assert made.text == "a\n\nb\n\nc"
    assert [o.line for o in made.origins] == [1, 0, 3, 0, 1]
    assert (merged(()).text, merged(()).parts) == ("", ())


@given(
    st.lists(
        st.lists(st.sampled_from(["", "a", "rule ä", "文" * 9, "x" * 60]), min_size=1, max_size=12),
        max_size=5,
    ),
    st.integers(0, 500),
)
def test_any_guides_in_any_budget(texts: list[list[str]], budget: int) -> None:
    """Within the budget, every line with its origin, every guide there or named."""
    made_of = [guide(f"{'d/' * n}AGENTS.md", "\n".join(text)) for n, text in enumerate(texts)]
    guides = [one for one in made_of if one.lines]
    made = merged(guides, budget)
    check(guides, made, budget)
    whole = "\n\n".join(one.text for one in guides)
    assert (made.text == whole) == (len(whole.encode()) <= budget)
    if guides and len(guides[-1].text.encode()) <= budget:
        assert made.text.endswith(guides[-1].text)
