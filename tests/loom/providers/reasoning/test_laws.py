"""What holds of every text: a hard strip, no split of a text changes it, plain texts stay."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from loom.providers.reasoning import Separator, separate
from loom.providers.reasoning.spellings import NAMES, TAG, TOKENS

TAGS = [
    *(f"<{slash}{name}>" for name in NAMES for slash in ("", "/")),
    *(tag for pair in TOKENS for tag in pair),
    "<think a='1'>",
    "</THINK >",
]
HALVES = ["<", "</", "<thi", "<think ", "[/TH", "◁", "<|channel>", "think>", "THINK]"]
WORDS = ["a", "word ", "two words", "é", "思考", "🧵", "\ud800", ".", "`", "```", '"', "> "]
BLANKS = [" ", "\t", "\n", "\n\n", "\r\n", "\u2028", "\x85", "\x00"]
AWKWARD = st.lists(st.sampled_from([*TAGS, *HALVES, *WORDS, *BLANKS]), max_size=24)
TEXTS = AWKWARD.map("".join) | st.text(max_size=60)
PLAIN = st.lists(st.sampled_from([*WORDS, *BLANKS, "<", "<b>", "</p>", "[x]"])).map("".join)
THINK = st.lists(st.sampled_from(["<think>", "</think>", "a", "b ", "\n", "`"])).map("".join)


@given(PLAIN)
def test_a_text_without_tags_stays(text: str) -> None:
    """It is the answer as it is, whitespace included."""
    found = separate(text)
    assert (found.answer, found.reasoning, found.unclosed) == (text, (), False)


@given(THINK)
def test_it_is_a_hard_strip(text: str) -> None:
    """Closed blocks leave, then what precedes a closing tag, then what follows an opening one."""
    left, at = "", 0
    while (begin := text.find("<think>", at)) >= 0 and (end := text.find("</think>", begin)) >= 0:
        left += text[at:begin]
        at = end + len("</think>")
        at += len(text[at:]) - len(text[at:].lstrip("\n"))
    left = (left + text[at:]).rpartition("</think>")[2].partition("<think>")[0]
    assert separate(text).answer == (left.strip() if TAG.search(text) else text)


@given(TEXTS)
def test_what_leaves_was_reasoned(text: str) -> None:
    """Of every block something is left, and of the text nothing else is in the answer."""
    found = separate(text)
    assert all(block == block.strip() != "" for block in found.reasoning)
    assert len(found.answer) + sum(map(len, found.reasoning)) <= len(text)


@given(TEXTS, st.booleans(), st.data())
def test_any_split(text: str, inside: bool, data: st.DataObject) -> None:
    """However a text is split, what was given out ends with the answer of the whole, and is it
    where no closing tag stood that nothing opened."""
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=12)))
    reader = Separator(starts_inside=inside)
    given = [reader.feed(text[a:b]) for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    shown = "".join([*given, reader.close()])
    whole = separate(text, starts_inside=inside)
    assert reader.separated == whole
    assert shown.rstrip().endswith(whole.answer.rstrip())
    if not stray(text, inside):
        assert shown.rstrip() == whole.answer.rstrip()


def stray(text: str, inside: bool) -> bool:
    """True where a closing tag stands outside of reasoning."""
    for tag in TAG.finditer(text):
        if tag["close"] and not inside:
            return True
        inside = bool(tag["open"])
    return False
