"""A stream gives out what is sure, as early as it is; and the work grows with the text alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from loom.providers.reasoning import Separator, separate
from tests.kit.standins import work_of


def test_nothing_comes() -> None:
    """No text gives no pieces."""
    reader = Separator()
    assert reader.feed("") == reader.close() == reader.separated.answer == ""


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


def test_a_stream_that_starts_inside() -> None:
    """What precedes the closing tag is reasoning when the host says so; else it was given out."""
    text = "a\n</think>\n\nb"
    assert Separator(starts_inside=True).feed(text) == "b"
    assert Separator().feed(text) == "a\nb"
    assert separate(text).answer == separate(text, starts_inside=True).answer == "b"


def test_a_closed_separator() -> None:
    """It gives nothing more and takes nothing more; its answer stays."""
    reader = Separator()
    reader.feed("a")
    reader.close()
    assert reader.close() == ""
    with pytest.raises(ValueError, match="take a new one"):
        reader.feed("b")
    assert reader.separated.answer == "a"


ADVERSARIAL: dict[str, Callable[[int], str]] = {
    "brackets": lambda count: "<" * count,
    "half tags": lambda count: "<think " * (count // 7),
    "opening tags": lambda count: "<think>" * (count // 7),
    "closing tags": lambda count: "</think>" * (count // 8),
    "closing tags in prose": lambda count: "x</think>" * (count // 9),
    "blocks on one line": lambda count: "<think></think>" * (count // 15),
    "blocks": lambda count: "<think>a</think>b\n" * (count // 18),
    "nested, unbalanced": lambda count: "<think>x<think></think>\n" * (count // 24),
    "mentions": lambda count: "<think>" + '"</think>"' * (count // 10),
    "blanks": lambda count: " " * count,
    "blank lines": lambda count: "\n" * count,
}


@pytest.mark.parametrize("build", ADVERSARIAL.values(), ids=ADVERSARIAL)
def test_work_grows_with_the_text(build: Callable[[int], str]) -> None:
    """Twice the text takes twice the calls, whole and in characters."""
    small, large = build(4_000), build(8_000)
    growth = len(large) / len(small)
    few, many = (work_of(lambda text=text: separate(text)) for text in (small, large))
    assert many < few * growth * 1.2 + 100
    few, many = (work_of(lambda text=text: by_character(text)) for text in (small, large))
    assert many < few * growth * 1.2 + 100


def by_character(text: str) -> None:
    """Stream a text in its characters."""
    reader = Separator()
    for char in text:
        reader.feed(char)
    reader.close()


@pytest.mark.parametrize("part", ["<", "<think>", "x</think>", "<think>x</think>y"])
def test_a_million(part: str) -> None:
    """They are read as few are."""
    text, reader = part * (2_000_000 // len(part)), Separator()
    given = reader.feed(text) + reader.close()
    assert given.endswith(separate(text).answer)


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
