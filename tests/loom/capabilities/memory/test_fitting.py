"""Guides in the room C_memory has for them."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from loom.capabilities.memory.fitting import COUNTED, WHOLE, FittedGuide, fitted, page_of
from loom.capabilities.memory.guide_order import Guide
from loom.capabilities.memory.guide_text import plain
from loom.capabilities.memory.merging import GuidePart, merged

NONE: Mapping[str, FittedGuide] = {}


def text(name: str, sections: int) -> str:
    """A guide of some sections, forty words each."""
    return "\n".join(f"## {name} {n}\n{'rule of the ' * 12}{name}" for n in range(sections))


def parts(*texts: str) -> tuple[GuidePart, ...]:
    """The parts of these guides, from the root down."""
    guides = [Guide(f"{'d/' * n}AGENTS.md", plain(t.encode())) for n, t in enumerate(texts)]
    return merged(guides).parts


def count(path: str, text: str) -> int:
    """Words, and two for the heading."""
    return len(text.split()) + 2


def _whole(given: tuple[GuidePart, ...]) -> int:
    """Tokens of guides that are whole."""
    return sum(count("", part.text) for part in given)


class Pages:
    """Where whole guides rest."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    def rest(self, text: str) -> str:
        """Put one there; its name."""
        name = next((n for n, t in self.texts.items() if t == text), f"pages/{len(self.texts)}.md")
        self.texts[name] = text
        return name


def fit(
    given: tuple[GuidePart, ...],
    room: int,
    known: Mapping[str, FittedGuide] = NONE,
    goal: str = "",
    joined: int = 0,
) -> tuple[tuple[FittedGuide, ...], Pages]:
    """The guides in so much room, and the pages the whole ones rest on."""
    pages = Pages()
    return fitted(given, goal, room, count, pages.rest, known, joined), pages


def test_page_of() -> None:
    """The last line of an excerpt names the page; a whole guide has none."""
    assert page_of("") == page_of("a text\n") == ""
    assert page_of("# h\n" + WHOLE.format(path="a b/AGENTS.md", page="pages/x.md")) == "pages/x.md"


@given(
    st.lists(st.integers(1, 30), max_size=5),
    st.integers(0, 900),
    st.integers(0, 900),
    st.integers(0, 5),
)
def test_any_guides_in_any_room(sizes: list[int], first: int, then: int, later: int) -> None:
    """Never more than the room, in order, each whole or on a page, also from what was known."""
    given = parts(*(text(f"g{n}", size) for n, size in enumerate(sizes)))
    known: dict[str, FittedGuide] = {}
    for room in (first, then):
        made, pages = fit(given, room, known, joined=min(later, len(given)))
        assert sum(count(f.path, f.shown) for f in made) <= room
        if not known and _whole(given[: len(given) - min(later, len(given))]) <= room - COUNTED:
            standing = given[: len(given) - min(later, len(given))]
            assert made[: len(alone := fit(standing, room)[0])] == alone
        paths = [part.guide.path for part in given]
        assert [p for p in paths if p in {f.path for f in made}] == [f.path for f in made]
        whole = {part.guide.path: part.text for part in given}
        for one in made:
            assert one.source == whole[one.path]
            page = page_of(one.shown)
            assert one.shown == whole[one.path] if not page else page in pages.texts or known
        known = {f.path: f for f in made}


def test_bytes_are_cut_by_sections() -> None:
    """A chain over its bytes keeps its headings and what is near the goal; the page is whole."""
    whole = "\n".join(f"## {t}\n{f'a rule of {t} ' * 100}" for t in ("apples", "pears", "plums"))
    pages = Pages()
    given = parts(whole)
    (one,) = fitted(given, "plums", 9_000, count, pages.rest, NONE, most_bytes=2_400)
    assert len(one.shown.encode()) <= 2_400
    assert "a rule of plums" in one.shown and "## apples" in one.shown
    assert "a rule of apples" not in one.shown and pages.texts[page_of(one.shown)] == given[0].text
    alone = fitted(given, "plums", 9_000, count, pages.rest, NONE, 1, most_bytes=2_400)
    assert alone[0].shown == given[0].text
