"""Reasoning told from the answer: a table of texts, what holds of every text, and streams."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.providers.reasoning import NAMES, TAG, TOKENS, Separator, separate
from tests.kit.cases import all_cases

CASES = tomllib.loads(Path(__file__).with_name("cases.toml").read_text("utf-8"))["case"]


@all_cases("case", CASES, ids=[case["name"] for case in CASES])
def test_a_case(case: dict[str, Any]) -> None:
    """The answer, the reasoning and whether it ended inside stand in the table."""
    found = separate(case["text"])
    assert found.answer == case.get("answer", case["text"])
    assert found.reasoning == tuple(case.get("reasoning", ()))
    assert found.unclosed == case.get("unclosed", False)


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


Fed = list[tuple[str, str]]  # a piece, and what is given out for it; "" at the end closes
FEEDS: dict[str, Fed] = {
    "a plain text": [
        (text, "" if text == "<" else "<b" if text == "b" else text)
        for text in ("a", " ", "<", "b", "\n", "x < y", "\n\n", "`", "c", "<b>", "d\n", "")
    ],
    "behind its reasoning": [
        *((text, "") for text in ("<thi", "nk>a", "b</", "i>", "</think>", "\n\n")),
        *[("c", "c"), (" <think>d</think>e", " e"), ("", "")],
    ],
    "an unclosed block": [("<think>a", ""), ("", "")],
    "behind a mention": [("<think>the <think> tag</think>\nb", ""), ("", "b")],
}


@all_cases("fed", FEEDS.values(), ids=FEEDS)
def test_an_answer_comes_at_once(fed: Fed) -> None:
    """Nothing of it is held back, but a bracket until the next character, and what stands behind a
    mention; nothing of the reasoning is given out. A closed separator takes nothing more."""
    reader = Separator()
    for text, shown in fed:
        assert (reader.feed(text) if text else reader.close()) == shown
    answer = reader.separated.answer
    assert reader.close() == ""
    with pytest.raises(ValueError, match="take a new one"):
        reader.feed("b")
    assert reader.separated.answer == answer


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
