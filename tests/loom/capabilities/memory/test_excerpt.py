"""A guide too large for its place: its headings, and what is near the goal."""

from __future__ import annotations

import pytest
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


@pytest.mark.parametrize("room", [-1, 0, 1])
def test_no_room(room: int) -> None:
    """Where not even the last line has room there is nothing."""
    assert excerpt(GUIDE, "testing", room, words, MORE) == ""


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


# Excerpts


@all_cases("topic", TOPICS)
def test_the_section_near_the_goal(topic: str) -> None:
    """With room for the headings and one section it is the one the goal speaks of."""
    made = excerpt(GUIDE, f"Mend the {topic} of the parser.", 80, words, MORE)
    assert words(made) <= 80
    assert f"Rule 8 of {topic} matters." in made
    assert [s for s in TOPICS if f"About {s}" in made] == list(TOPICS)
    assert [s for s in TOPICS if f"Rule 8 of {s}" in made] == [topic]


def test_headings_first() -> None:
    """With room for little the headings stand alone."""
    made = excerpt(GUIDE, "testing", 35, words, MORE)
    assert [s for s in TOPICS if f"About {s}" in made] == list(TOPICS)


def test_the_order_of_the_file() -> None:
    """What is served first stands where it stood."""
    made = excerpt(GUIDE, "security", 120, words, MORE)
    places = [made.index(f"About {topic}") for topic in TOPICS]
    assert places == sorted(places)


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


@pytest.mark.parametrize("room", [20, 100, 300])
def test_more_headings_than_room(room: int) -> None:
    """Where not even the shallowest headings fit, the first few stand."""
    text = "\n".join(f"## Rule {n}\nand what it says" for n in range(90))
    assert excerpt(text, "", room, words, MORE).startswith("## Rule 0")


# Without headings


def rules(number: int) -> str:
    """A flat list of rules."""
    return "\n".join(f"- Rule {n}: never push to branch{n}." for n in range(number))


@pytest.mark.parametrize("above", ["", "# Rules\n\n", "Read this:\n\n"])
def test_a_flat_list(above: str) -> None:
    """The item near the goal stands, then the first ones, as many as fit, in their order."""
    made = excerpt(above + rules(300), "Mend branch140.", 200, COUNT, MORE)
    assert 170 <= COUNT(made) <= 200
    *lines, last = made.split("\n")
    numbers = [int(line.split()[2][:-1]) for line in lines if line.startswith("- Rule")]
    assert 140 in numbers and numbers[:9] == list(range(9))
    assert numbers == sorted(numbers) and last == MORE
    assert lines[-1] == "…" and made.startswith(above.split("\n")[0].rstrip())


@all_cases("line", ["Never push to main. ", "never push " * 40, "x" * 900, "文字"])
@all_cases("room", [120, 200])
def test_one_long_line(line: str, room: int) -> None:
    """A line too large alone is shown by its sentences, or by what is short enough of them."""
    text = line * 800
    *made, last = excerpt(text, "", room, COUNT, MORE).split("\n")
    assert last == MORE and made
    assert made[-1].endswith("…") and text.startswith(made[0].removesuffix(" …"))
    assert COUNT("\n".join([*made, last])) <= room


def test_the_sentence_near_the_goal() -> None:
    """Of a paragraph the sentence the goal speaks of stands, on a line of its own."""
    text = " ".join(f"Never push to branch{n}." for n in range(300))
    made = excerpt(text, "Mend branch140.", 100, COUNT, MORE).split("\n")
    assert made[0].startswith("Never push to branch0. Never push to branch1. ")
    assert made[1] == "Never push to branch140. …"


def test_what_introduces_a_list() -> None:
    """An item never stands without the line that turns its meaning."""
    more = "".join(f"Word {n} of the guide.\n\n" for n in range(90))
    for list_ in ("Never:\n\n- touch apples\n- touch pears\n",
                  "- Never:\n  - touch apples\n  - touch pears\n"):  # fmt: skip
        made = excerpt(more + list_ + rules(90), "touch pears", 60, COUNT, MORE).split("\n")
        at = next(at for at, line in enumerate(made) if line.endswith("touch pears"))
        assert any(line.endswith("Never:") for line in made[:at])


def test_a_large_code_block() -> None:
    """Its first lines stand, and the fence is closed."""
    text = "```\n" + "make it\n" * 400 + "```"
    made = excerpt(text, "", 100, COUNT, MORE).split("\n")
    assert made[:2] == ["```", "make it"] and "```" in made[2:] and made[-1] == MORE


def test_room_left_by_sections() -> None:
    """What whole sections leave is given to items of one that does not fit."""
    text = "# One\nShort.\n# Two\n" + rules(200)
    made = excerpt(text, "", 120, COUNT, MORE)
    assert "Short." in made and "# Two …\n- Rule 0:" in made


def test_what_is_new_comes_first() -> None:
    """Of an edited guide the section that changed stands, wherever the goal points."""
    text = GUIDE.replace("Rule 3 of typography matters.", "Rule 3 of typography has changed.")
    made = excerpt(text, "testing", 80, words, MORE, GUIDE.split("\n"))
    assert "Rule 3 of typography has changed." in made
    assert "Rule 3 of testing" in excerpt(text, "testing", 80, words, MORE, text.split("\n"))
