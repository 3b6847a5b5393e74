"""A stream gives out what is sure, as early as it is; and the work grows with the text alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from loom.providers.reasoning import Separator, TaggedPiece, separate
from tests.kit.cases import all_cases, some
from tests.kit.standins import work_of


def test_nothing_comes() -> None:
    """No text gives no pieces."""
    reader = Separator()
    assert reader.feed("") == reader.close() == reader.separated.pieces == ()


def test_a_plain_text_comes_at_once() -> None:
    """Nothing of it is held back, not even an angle bracket that begins no tag."""
    reader = Separator()
    for text in ("a", " ", "<", "b", "\n", "x < y", "\n\n", "`", "c", "<b>", "d\n"):
        sure = "" if text == "<" else "<b" if text == "b" else text
        assert reader.feed(text) == ((TaggedPiece("answer", sure),) if sure else ())
    assert reader.close() == ()


def test_reasoning_comes_at_once() -> None:
    """It is given out as it comes, and so is the answer behind it."""
    reader = Separator()
    assert reader.feed("<thi") == ()
    assert reader.feed("nk>a") == (TaggedPiece("tag", "<think>"), TaggedPiece("reasoning", "a"))
    assert reader.feed("b</") == (TaggedPiece("reasoning", "b"),)
    assert reader.feed("i>") == (TaggedPiece("reasoning", "</i>"),)
    assert reader.feed("</think>") == (TaggedPiece("tag", "</think>"),)
    assert reader.feed("\n\n") == ()
    assert reader.feed("c") == (TaggedPiece("tag", "\n\n"), TaggedPiece("answer", "c"))
    assert reader.close() == ()


def test_a_line_with_a_tag_waits_for_its_end() -> None:
    """What stands behind a tag decides what it is."""
    reader = Separator()
    assert reader.feed("use <think> or") == (TaggedPiece("answer", "use "),)
    assert reader.feed(" </think>.") == ()
    assert reader.feed("\nb") == (TaggedPiece("answer", "<think> or </think>.\nb"),)


def test_a_paragraph_waits_for_a_run_of_backticks() -> None:
    """Only from a tag on: what precedes is sure."""
    reader = Separator()
    assert reader.feed("a ` b\nc\n") == (TaggedPiece("answer", "a ` b\nc\n"),)
    assert reader.feed("<think>x\n") == ()
    assert reader.feed("y ` z\n") == (TaggedPiece("answer", "<think>x\ny ` z\n"),)
    assert reader.feed("a ` b\n<think>x\n") == (TaggedPiece("answer", "a ` b\n"),)
    assert reader.feed("\n") == (TaggedPiece("tag", "<think>"), TaggedPiece("reasoning", "x\n\n"))


def test_an_answer_that_comes_last() -> None:
    """An unclosed block ends without an answer; one behind a mention comes with the end."""
    reader = Separator()
    assert reader.feed("<think>a") == (TaggedPiece("tag", "<think>"), TaggedPiece("reasoning", "a"))
    assert reader.close() == ()
    reader = Separator()
    reader.feed("<think>the <think> tag</think>\nb")
    assert reader.close() == (TaggedPiece("tag", "\n"), TaggedPiece("answer", "b"))


def test_a_stream_that_starts_inside() -> None:
    """What precedes the closing tag is reasoning when the host says so, and answer when not."""
    text = "a\n</think>\n\nb"
    reader = Separator(starts_inside=True)
    assert reader.feed(text) == (
        TaggedPiece("reasoning", "a\n"),
        TaggedPiece("tag", "</think>\n\n"),
        TaggedPiece("answer", "b"),
    )
    assert separate(text, starts_inside=False).answer == "a\nb"
    assert separate(text).answer == separate(text, starts_inside=True).answer == "b"


def test_a_closed_separator() -> None:
    """It gives nothing more and takes nothing more; its answer stays."""
    reader = Separator()
    reader.feed("a")
    reader.close()
    assert reader.close() == ()
    with pytest.raises(ValueError, match="take a new one"):
        reader.feed("b")
    assert reader.separated.answer == "a"


def rising(count: int, then: str) -> str:
    """Runs of 1, 2, 3, … backticks, each followed by `then`, in all about `count` characters."""
    lengths = range(1, int((2 * count) ** 0.5))
    return "".join("`" * length + then for length in lengths)


ADVERSARIAL: dict[str, Callable[[int], str]] = {
    "brackets": lambda count: "<" * count,
    "half tags": lambda count: "<think " * (count // 7),
    "opening tags": lambda count: "<think>" * (count // 7),
    "opening tags in prose": lambda count: "x<think>" * (count // 8),
    "closing tags": lambda count: "</think>" * (count // 8),
    "closing tags in prose": lambda count: "x</think>" * (count // 9),
    "blocks on one line": lambda count: "<think></think>" * (count // 15),
    "blocks": lambda count: "<think>a</think>b\n" * (count // 18),
    "nested, unbalanced": lambda count: "<think>x<think></think>\n" * (count // 24),
    "mentions": lambda count: "<think>" + '"</think>"' * (count // 10),
    "backticks": lambda count: "`" * count,
    "single backticks": lambda count: "` " * (count // 2),
    "backticks on lines": lambda count: "`\n" * (count // 2),
    "a run that nothing closes": lambda count: "``\n" + "`z` <think>\n" * (count // 12),
    "runs of all lengths": lambda count: rising(count, " "),
    "runs of all lengths before blocks": lambda count: rising(count, "\n<think></think>"),
    "fences": lambda count: "```\n" * (count // 4),
    "marks of lists": lambda count: "- " * (count // 2) + "x",
    "marks of quotes": lambda count: ">" * count,
    "blanks": lambda count: " " * count,
    "blank lines": lambda count: "\n" * count,
    "escapes": lambda count: "\\<" * (count // 2),
}


class Counting(Separator):
    """Counts the characters that it reads."""

    read = 0

    def _consume(self, text: str) -> None:
        self.read += len(text)
        super()._consume(text)


@all_cases("build", ADVERSARIAL.values(), ids=ADVERSARIAL)
def test_work_grows_with_the_text(build: Callable[[int], str]) -> None:
    """Twice the text takes twice the calls, whole and in characters."""
    small, large = build(1_000), build(2_000)
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


@all_cases("build", ADVERSARIAL.values(), ids=ADVERSARIAL)
def test_every_character_is_read_thrice_at_most(build: Callable[[int], str]) -> None:
    """As it comes, where it had to wait, and where the end was unbalanced."""
    text = build(20_000)
    reader = Counting()
    reader.feed(text)
    reader.close()
    assert reader.read <= 3 * len(text)
    assert "".join(piece.text for piece in reader.separated.pieces) == text


@all_cases("part", some(["<think>", "<", "`"], 1))
def test_a_million(part: str) -> None:
    """They are read as few are."""
    reader = Counting()
    reader.feed(part * 1_000_000)
    reader.close()
    assert reader.read <= 3 * 1_000_000 * len(part)
