"""Guides in the room C_memory has for them, and one too large for its place: its headings, and how
it begins."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hypothesis import given
from hypothesis import strategies as st

from loom.capabilities.memory.guide import TOO_LARGE, Guide, GuideLine, parse_lines
from loom.capabilities.memory.guide_fitting import LEFT_OUT, excerpt, fit_guides, page_of_excerpt

NONE: Mapping[str, str] = {}


def text(name: str, sections: int) -> str:
    """A guide of some sections, forty words each."""
    return "\n".join(f"## {name} {n}\n{'rule of the ' * 12}{name}" for n in range(sections))


def parts(*texts: str) -> tuple[Guide, ...]:
    """These guides, from the root down."""
    return tuple(
        Guide(f"{'d/' * n}AGENTS.md", parse_lines(t.encode())) for n, t in enumerate(texts)
    )


def count(path: str, text: str) -> int:
    """Words, and two for the heading."""
    return len(text.split()) + 2


class Pages:
    """Where whole guides rest."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    def put_page(self, text: str) -> str:
        """Put one there; its name."""
        name = next((n for n, t in self.texts.items() if t == text), f"pages/{len(self.texts)}.md")
        self.texts[name] = text
        return name


def fit(
    given: tuple[Guide, ...], room: int, known: Mapping[str, str] = NONE, joined: int = 0
) -> tuple[dict[str, str], Pages]:
    """The guides in so much room, and the pages the whole ones rest on."""
    pages, own = Pages(), len(given) - joined
    return fit_guides(given[:own], given[own:], room, count, pages.put_page, known), pages


@given(
    st.lists(st.integers(1, 30), max_size=5),
    st.integers(0, 900),
    st.integers(0, 900),
    st.integers(0, 5),
)
def test_any_guides_in_any_room(sizes: list[int], first: int, then: int, later: int) -> None:
    """Never more than the room, in order, each whole or on a page, also from what was known; those
    of the chain as if nothing had been found later."""
    given = parts(*(text(f"g{n}", size) for n, size in enumerate(sizes)))
    joined = min(later, len(given))
    own, whole = given[: len(given) - joined], {part.path: part.text for part in given}
    known: dict[str, str] = {}
    for room in (first, then):
        made, pages = fit(given, room, known, joined)
        assert sum(count(path, shown) for path, shown in made.items()) <= room
        alone = fit(own, room)[0]
        assert [*made.items()][: len(alone)] == [*alone.items()]
        assert [path for path in whole if path in made] == [*made]
        for path, shown in made.items():
            page = page_of_excerpt(shown)
            assert shown == whole[path] if not page else page in pages.texts or known
        known = {path: shown for path, shown in made.items() if path not in {o.path for o in own}}


def test_a_chain_has_at_most_so_many_bytes() -> None:
    """A chain over its bytes keeps its headings and how it begins; the page is whole."""
    pages = Pages()
    given = parts("\n".join(f"## {name}\n" + "a rule\n" * 100 for name in ("apples", "pears")))
    (shown,) = fit_guides(given, (), 9_000, count, pages.put_page, NONE, 600).values()
    assert len(shown.encode()) <= 600
    assert shown.startswith("## apples …\na rule\n") and "## pears …" in shown
    assert pages.texts[page_of_excerpt(shown)] == given[0].text
    found = fit_guides((), given, 9_000, count, pages.put_page, NONE, 600)
    assert [*found.values()] == [given[0].text]


def test_a_guide_that_was_not_read_whole_says_so() -> None:
    """Its page holds what was read, which is not the file."""
    (guide,), pages = parts(text("a", 30)), Pages()
    for lines, whole in ((guide.lines, True), ((*guide.lines, GuideLine(0, TOO_LARGE)), False)):
        given = (Guide("AGENTS.md", lines),)
        (shown,) = fit_guides(given, (), 200, count, pages.put_page, NONE).values()
        assert ("the file holds more than was read" not in shown) == whole
        assert pages.texts[page_of_excerpt(shown)] == given[0].text


def test_one_that_joins_takes_nothing_of_those_that_stand() -> None:
    """It has what they leave, and where that is nothing it is left out until all is made anew."""
    given = parts("a " * 50, *("b " * 300 for _ in range(3)))
    known: dict[str, str] = {}
    for some in (2, 3, 4):
        made = fit(given[:some], 500, known, some - 1)[0]
        assert known.items() <= made.items()
        known = made


MORE = "[whole in pages/p.md]"


def words(text: str) -> int:
    """A count that needs no tokenizer: words."""
    return len(text.split())


def within(room: int) -> Callable[[str], bool]:
    """Whether a text has at most so many words."""
    return lambda text: words(text) <= room


def test_headings_stand_first() -> None:
    """Then the lines from the beginning on; a heading tells that its text is not all there."""
    text = "# A\none two\n## B\nthree four five\n## C\nsix seven eight nine ten"
    made = excerpt(text, within(14), MORE).split("\n")
    assert made == ["# A", "one two", "## B …", "## C …", MORE]


LINES = ["", "text", "# a", "## b", "###### f", "####### no", "#no", " # c", "    # code",
         "## About testing", "Rule of testing", "word " * 30]  # fmt: skip


@given(st.lists(st.sampled_from(LINES), max_size=30).map("\n".join), st.integers(0, 120))
def test_any_excerpt(text: str, room: int) -> None:
    """Within the room, lines of the guide in their order, and a last line that says where."""
    made = excerpt(text, within(room), MORE)
    assert words(made) <= room or not made
    if words(text) <= room:
        assert made == text
    elif made:
        *shown, last = made.split("\n")
        assert last == MORE
        file = iter(text.split("\n"))
        for line in (line for line in shown if line.strip(" …")):
            kept = line.removesuffix("…").rstrip()
            assert any(given.startswith(kept) for given in file), line


def test_a_large_code_block() -> None:
    """Its first lines stand, and the fence is closed."""
    text = "```\n" + "make it\n" * 400 + "```\n# Next\nthis"
    made = excerpt(text, within(100), MORE).split("\n")
    assert made[:2] == ["```", "make it"] and made[-3].startswith("```")
    assert made[-2:] == [f"# Next{LEFT_OUT}", MORE]
