"""Guides without room, named with the pages that hold them."""

from __future__ import annotations

from loom.capabilities.memory.unshown import NAMED, named_in, unshown

PAGES = {f"d{n}/AGENTS.md": f"outputs/memory_{n:04}.md" for n in range(NAMED + 5)}


def test_none_is_nothing() -> None:
    """Without any there is no text, and no name in none."""
    assert unshown({}, lambda text: "p") == "" and named_in("", str) == {}


def test_each_is_named_or_listed() -> None:
    """The first few by a line each, the others by their number and a page that lists them."""
    listed: list[str] = []
    said = unshown(PAGES, lambda text: listed.append(text) or "outputs/list.md")
    assert len(said.split("\n")) == NAMED + 2 and "- 5 more, listed in outputs/list.md" in said
    assert named_in(said, lambda page: listed[-1]) == PAGES


def test_less_room_names_fewer() -> None:
    """At worst all are counted; without room for that nothing is said."""
    for lines in range(2, NAMED + 2):
        said = unshown(PAGES, lambda text: "p", lambda text, n=lines: text.count("\n") < n)
        assert said.count("AGENTS.md") == lines - 2 and f"{len(PAGES) - lines + 2} more" in said
    assert unshown(PAGES, lambda text: "p", lambda text: False) == ""
