"""What holds of every text: nothing is lost, no split changes an answer, plain texts stay."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from loom.providers.reasoning import Separator, TaggedPiece, separate
from loom.providers.reasoning.separated import ONLY_REASONING, UNCLOSED
from loom.providers.reasoning.spellings import NAMES, TOKENS

TAGS = [
    *(f"<{slash}{name}>" for name in NAMES for slash in ("", "/")),
    *(tag for pair in TOKENS for tag in pair),
    "<think a='1'>",
    "</THINK >",
]
HALVES = [
    "<",
    "</",
    "<thi",
    "<think ",
    "[/TH",
    "◁",
    "<|channel>",
    "think>",
    "THINK]",
    "&lt;think&gt;",
]
MARKS = [
    "`",
    "``",
    "```",
    "````",
    "~~~",
    "\\",
    '"',
    "'",
    "> ",
    "- ",
    "1. ",
    "# ",
    "---",
    "===",
    "    ",
]
BLANKS = [" ", "\t", "\n", "\n\n", "\r\n", "\u2028", "\x85", "\x00"]
WORDS = ["a", "word ", "two words", "é", "思考", "🧵", "\ud800", ".", ":"]
AWKWARD = st.lists(st.sampled_from([*TAGS, *HALVES, *MARKS, *BLANKS, *WORDS]), max_size=24)
TEXTS = AWKWARD.map("".join) | st.text(max_size=60)
PLAIN = st.lists(st.sampled_from([*MARKS, *BLANKS, *WORDS, "<", "<b>", "</p>", "[x]"])).map("".join)


def joined(parts: tuple[TaggedPiece, ...], kind: str) -> str:
    """The texts of a kind."""
    return "".join(piece.text for piece in parts if piece.kind == kind)


@given(PLAIN)
def test_a_text_without_tags_stays(text: str) -> None:
    """It comes back as it is, whitespace included, in one piece."""
    found = separate(text)
    assert (found.answer, found.reasoning, found.odd) == (text, (), ())
    assert found.pieces == ((TaggedPiece("answer", text),) if text else ())


@given(TEXTS)
def test_nothing_is_lost(text: str) -> None:
    """The pieces joined are the text; neighbours differ in kind and none is empty."""
    parts = separate(text).pieces
    assert "".join(piece.text for piece in parts) == text
    assert all(piece.text for piece in parts)
    assert all(one.kind != next.kind for one, next in pairwise(parts))


@given(TEXTS)
def test_the_answer_is_its_pieces(text: str) -> None:
    """No reasoning is an answer, closed or not."""
    found = separate(text)
    assert found.answer == joined(found.pieces, "answer")
    assert not (ONLY_REASONING in found.odd and found.answer.strip())
    assert all(block == block.strip() != "" for block in found.reasoning)


@given(TEXTS, st.booleans(), st.data())
def test_any_split(text: str, inside: bool, data: st.DataObject) -> None:
    """However a text is split, its answer is that of the whole, and so is all the rest."""
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=12)))
    reader = Separator(starts_inside=inside)
    given: list[TaggedPiece] = []
    for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True):
        given += reader.feed(text[start:end])
    given += reader.close()
    whole = separate(text, starts_inside=inside)
    assert joined(tuple(given), "answer") == whole.answer
    assert reader.separated == whole


@given(TEXTS)
def test_a_stream_gives_no_more_than_came(text: str) -> None:
    """Without an unbalanced end, the pieces given out are the pieces of the whole."""
    reader = Separator()
    given = [piece for char in text for piece in reader.feed(char)]
    given += reader.close()
    found = reader.separated
    if UNCLOSED not in found.odd:
        for kind in ("answer", "reasoning", "tag"):
            assert joined(tuple(given), kind) == joined(found.pieces, kind)


@given(TEXTS)
def test_an_answer_is_its_own_answer(text: str) -> None:
    """Where nothing is left to take out of an answer, nothing is taken."""
    answer = separate(text).answer
    if all(piece.kind == "answer" for piece in separate(answer).pieces):
        assert separate(answer).answer == answer


PARAGRAPHS = st.lists(
    st.sampled_from(
        ["Words.", "Two\nlines.", "`<think>` is code.", "```\n<think>\n```", "- a\n- b"]
    ),
    min_size=1,
    max_size=5,
)


@given(PARAGRAPHS, st.lists(st.sampled_from(["a", "b\n\nc", "```\nx", "", "1. d"]), max_size=4))
def test_blocks_are_taken_out(answer: list[str], blocks: list[str]) -> None:
    """What an answer was put together with comes apart again, and the answer is its own."""
    text = "\n\n".join(answer)
    found = separate("".join(f"<think>\n{block}\n</think>\n\n" for block in blocks) + text)
    assert found.answer == separate(text).answer == text
    assert found.reasoning == tuple(block for block in blocks if block)
    assert found.odd == ()
