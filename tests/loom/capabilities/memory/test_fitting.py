"""Guides in the room C_memory has for them."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from loom.capabilities.memory.fitting import COUNTED, WHOLE, FittedGuide, fitted, page_of
from loom.capabilities.memory.guide_order import Guide
from loom.capabilities.memory.guide_text import plain
from loom.capabilities.memory.merging import GuidePart, merged
from tests.kit.cases import all_cases

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


def test_none_is_nothing() -> None:
    """Without guides nothing is shown."""
    assert fit((), 100)[0] == ()


def test_no_room_is_nothing() -> None:
    """Without room nothing is shown either, and nothing raises."""
    assert fit(parts(text("a", 9)), 0)[0] == ()
    assert fit(parts(text("a", 9)), -5)[0] == ()


def test_all_that_fit_are_whole() -> None:
    """In their order, without a page."""
    one, two = text("one", 2), text("two", 2)
    made, pages = fit(parts(one, two), 1_000)
    assert [(f.path, f.shown) for f in made] == [("AGENTS.md", one), ("d/AGENTS.md", two)]
    assert pages.texts == {}


def test_page_of() -> None:
    """The last line of an excerpt names the page; a whole guide has none."""
    assert page_of("") == page_of("a text\n") == ""
    assert page_of("# h\n" + WHOLE.format(path="a b/AGENTS.md", page="pages/x.md")) == "pages/x.md"


def test_an_excerpt_names_its_page() -> None:
    """What is shown in part ends with a page that holds all of it."""
    whole = text("a", 30)
    (one,), pages = fit(parts(whole), 300)
    assert count("", one.shown) <= 300
    assert pages.texts[page_of(one.shown)] == whole
    assert "## a 0" in one.shown


def test_the_closest_is_served_first() -> None:
    """It is whole when there is room for it; the root's gives way."""
    near = text("near", 5)
    (far, one), _ = fit(parts(text("far", 30), near), 400)
    assert one.shown == near
    assert page_of(far.shown)


def test_what_is_known_stays() -> None:
    """Another goal changes no excerpt of a text that is the same."""
    given = parts(
        "\n".join(f"## {topic}\n{'rule ' * 60}" for topic in ("apples", "pears", "plums"))
    )
    known = {f.path: f for f in fit(given, 130, goal="apples")[0]}
    assert fit(given, 130, known, goal="plums")[0] == tuple(known.values())
    assert fit(given, 130, goal="plums")[0] != tuple(known.values())


def test_one_that_joins_has_something() -> None:
    """A guide that comes when the root's took all the room is shown, in part at least."""
    root, nested = text("root", 60), text("nested", 20)
    known = {f.path: f for f in fit(parts(root), 400)[0]}
    made, _ = fit(parts(root, nested), 400, known)
    assert "## nested 0" in {f.path: f.shown for f in made}["d/AGENTS.md"]


def test_one_found_later_has_what_is_left() -> None:
    """The others stay as they stand, whole where they fit, and are served first when they grow."""
    given = parts(text("root", 9), text("near", 4), text("later", 60), text("last", 2))
    alone, _ = fit(given[:2], 700)
    known = {f.path: f for f in alone}
    made, _ = fit(given, 700, known, joined=2)
    assert made[:2] == alone and [f.shown for f in alone] == [part.text for part in given[:2]]
    assert page_of(made[2].shown) and made[3].shown == given[3].text
    assert fit(given, 700, {f.path: f for f in made}, joined=2)[0] == made
    grown = (*parts(text("root", 9), text("near", 10)), *given[2:])
    before = {f.path: f for f in made}
    far, near, *others = fit(grown, 700, before, joined=2)[0]
    assert (far, near) == fit(grown[:2], 700, before)[0] and near.shown == grown[1].text
    assert 0 < sum(count("", f.shown) for f in others) <= 700 // 4
    assert fit(given, sum(count("", f.shown) for f in alone), known, joined=2)[0] == alone


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


@all_cases("room", range(0, 60, 7))
def test_of_any_one_room_is_enough_or_not(room: int) -> None:
    """A guide that has no room is left out, not shown blank."""
    assert all(f.shown.strip() for f in fit(parts(text("a", 30)), room)[0])


def test_more_headings_than_room() -> None:
    """A guide whose headings do not all fit still shows some of it."""
    (one,), _ = fit(parts(text("a", 90)), 300)
    assert "## a 0" in one.shown


def test_what_names_others_has_its_room() -> None:
    """Tokens set aside are left over, of a chain that fits whole only a few."""
    given = parts(text("root", 9), text("later", 60))
    for room, joined in ((600, 1), (300, 0)):
        made = fitted(given[: 1 + joined], "", room, count, Pages().rest, NONE, joined,
                      aside=100)  # fmt: skip
        assert sum(count("", f.shown) for f in made) <= room - COUNTED


def test_the_guide_of_the_folder_worked_in() -> None:
    """Made anew it has half of the room beside a root that does not fit, and is served first."""
    guides = [Guide(at, plain(text(at[:1], 30).encode())) for at in ("A.md", "b/A.md", "c/A.md")]
    given = merged(guides).every
    for work, name in (("c/d", "c/A.md"), ("b", "b/A.md")):
        made = fitted(given, "", 800, count, Pages().rest, NONE, 2, work)
        sizes = {one.path: count("", one.shown) for one in made}
        assert sizes[name] == max(sizes[at] for at in sizes if at != "A.md")
        assert sizes["A.md"] >= 300


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
