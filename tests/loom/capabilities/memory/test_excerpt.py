"""A guide too large for its place: its headings, and what is near the goal."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from loom.capabilities.memory.excerpt import excerpt, sections
from loom.providers.counts import counter_for
from tests.kit.cases import all_cases

COUNT = counter_for()
MORE = "[whole in pages/p.md]"
TOPICS = ("deployment", "testing", "database", "logging", "security", "typography")
GUIDE = "# Guide\nRead this first.\n\n" + "\n".join(
    f"## About {topic}\n" + "".join(f"Rule {n} of {topic} matters.\n" for n in range(9))
    for topic in TOPICS
)
FENCED = "# One\n```\n# no heading\n```\n~~~~\n# none\n~~~\n# none either\n~~~~\n## Two\nb"


def words(text: str) -> int:
    """A count that needs no tokenizer: words."""
    return len(text.split())


# Nothing


@all_cases("text", ["", "a", "# h\n\na\n", GUIDE])
def test_what_fits_is_as_it_is(text: str) -> None:
    """With room for all of it the text itself, to the byte, and no last line."""
    assert excerpt(text, "anything", COUNT(text), COUNT, MORE) == text


def test_no_headings() -> None:
    """A text without headings is one section."""
    (one,) = sections("a\nb")
    assert (one.heading, one.depth, one.lines) == ("", 0, ("a", "b"))


# Sections


def test_headings_in_fences_are_text() -> None:
    """Only what stands outside a code fence divides a text."""
    assert [(s.heading, s.depth) for s in sections(FENCED) if s.heading] == [
        ("# One", 1), ("## Two", 2)]  # fmt: skip


LINES = ["", "text", "# a", "## b", "###### f", "####### no", "#no", " # c", "    # code",
         "```", "~~~"]  # fmt: skip


@given(st.lists(st.sampled_from(LINES), max_size=12).map("\n".join))
def test_sections_are_the_text(text: str) -> None:
    """Joined again in their order, they are the text."""
    found = sections(text)
    again = [line for s in found for line in ([s.heading] if s.depth else []) + list(s.lines)]
    assert "\n".join(again) == text
    assert all(len(s.heading.strip().split()[0]) == s.depth for s in found if s.depth)


@given(
    st.lists(st.sampled_from([*LINES, "## About testing", "Rule of testing", "word " * 30]),
             max_size=30).map("\n".join),
    st.sampled_from(["", "testing", "文", "# ``` <!--"]),
    st.integers(0, 120),
)  # fmt: skip
def test_any_excerpt(text: str, goal: str, room: int) -> None:
    """Within the room, lines of the guide in their order, and a last line that says where."""
    made = excerpt(text, goal, room, words, MORE)
    assert words(made) <= room or not made
    assert made == excerpt(text, goal, room, words, MORE)
    if words(text) <= room:
        assert made == text
    elif made:
        *shown, last = made.split("\n")
        assert last == MORE
        file = iter(text.split("\n"))
        for line in (line for line in shown if line.strip(" …")):
            kept = line.removesuffix("…").rstrip()
            assert any(kept == given.rstrip() for given in file), line


def test_the_sentence_near_the_goal() -> None:
    """Of a paragraph the sentence the goal speaks of stands, on a line of its own."""
    text = " ".join(f"Never push to branch{n}." for n in range(300))
    made = excerpt(text, "Mend branch140.", 100, COUNT, MORE).split("\n")
    assert made[0].startswith("Never push to branch0. Never push to branch1. ")
    assert made[1] == "Never push to branch140. …"


def test_a_large_code_block() -> None:
    """Its first lines stand, and the fence is closed."""
    text = "```\n" + "make it\n" * 400 + "```"
    made = excerpt(text, "", 100, COUNT, MORE).split("\n")
    assert made[:2] == ["```", "make it"] and "```" in made[2:] and made[-1] == MORE
