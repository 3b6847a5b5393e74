"""A stream gives out what is sure, as early as it is; and the work grows with the text alone."""

from __future__ import annotations

import pytest

from loom.providers.reasoning import Separator, separate


def test_a_plain_text_comes_at_once() -> None:
    """Nothing of it is held back, but a bracket until the next character."""
    reader = Separator()
    for text in ("a", " ", "<", "b", "\n", "x < y", "\n\n", "`", "c", "<b>", "d\n"):
        assert reader.feed(text) == ("" if text == "<" else "<b" if text == "b" else text)
    assert reader.close() == ""


def test_an_answer_comes_at_once_behind_its_reasoning() -> None:
    """Nothing of the reasoning is given out, nor the blanks behind it."""
    reader = Separator()
    assert [reader.feed(text) for text in ("<thi", "nk>a", "b</", "i>", "</think>", "\n\n")] == [
        ""
    ] * 6
    assert reader.feed("c") == "c"
    assert reader.feed(" <think>d</think>e") == " e"
    assert reader.close() == ""


def test_an_answer_that_comes_last() -> None:
    """An unclosed block ends without an answer; one behind a mention comes with the end."""
    reader = Separator()
    assert reader.feed("<think>a") == reader.close() == ""
    reader = Separator()
    assert reader.feed("<think>the <think> tag</think>\nb") == ""
    assert reader.close() == "b"


def test_a_closed_separator() -> None:
    """It gives nothing more and takes nothing more; its answer stays."""
    reader = Separator()
    reader.feed("a")
    reader.close()
    assert reader.close() == ""
    with pytest.raises(ValueError, match="take a new one"):
        reader.feed("b")
    assert reader.separated.answer == "a"


@pytest.mark.parametrize(
    "text",
    ["Hello.\n<think>more", "Hello.\n\n<think>", "a <think>b</think> c <think>d", "\n<think>x"],
)
def test_a_text_cut_off_in_its_reasoning_comes_once(text: str) -> None:
    """Blanks before the last tag were given out: the answer is not given out again for them."""
    for parts in ([text], [*text]):
        separator = Separator()
        given = "".join(map(separator.feed, parts)) + separator.close()
        assert given.strip() == separate(text).answer.strip()
