"""Guides in the room C_memory has for them: whole where they fit, as excerpts where not."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from loom.capabilities.memory.excerpt import Count, excerpt
from loom.capabilities.memory.merging import GuidePart

LEAST = 120  # tokens of a guide that has to wait for the others
WHOLE = "[{path}, in part: the headings, and what is near the goal; whole in {page}]"
_PAGE = re.compile(r" whole in (\S+)\]\Z")


def page_of(shown: str) -> str:
    """The page an excerpt says the whole rests on; "" for a guide that is shown whole."""
    found = _PAGE.search(shown)
    return found[1] if found else ""


class FittedGuide(Struct, frozen=True):
    """A guide as it is shown: its name, the text it was made from, and what stands for it."""

    path: str
    source: str
    shown: str


def fitted(
    parts: Sequence[GuidePart],
    goal: str,
    room: int,
    count: Callable[[str, str], int],
    rest: Callable[[str], str],
    known: Mapping[str, FittedGuide],
    joined: int = 0,
) -> tuple[FittedGuide, ...]:
    """The guides in at most `room` tokens, in their order; the last `joined` were found later.

    `count(path, text)` is what a text takes under its heading, `rest(text)` puts a whole one on a
    page and gives its name. What is `known` and made from the same text stays as it stands, as an
    excerpt that follows every word of the goal would cost the provider's cache; but where it leaves
    too little for the others, all are made anew. The closest is served first, and one that no room
    is left for is left out. Those found later have what is left by then, the first of them first:
    a file deep in a project takes nothing from the project's own rules.
    """
    standing = len(parts) - joined

    def shown(path: str, text: str, room: int) -> str:
        if count(path, text) <= room:
            return text
        heading = count(path, "")
        inside: Count = lambda some: count(path, some) - heading  # noqa: E731
        return excerpt(text, goal, room - heading, inside, WHOLE.format(path=path, page=rest(text)))

    def served(
        some: Sequence[GuidePart], room: int, known: Mapping[str, FittedGuide]
    ) -> dict[str, FittedGuide]:
        """Fitted guides by path; the first of `some` is served first."""
        texts = {part.guide.name: part.text for part in some}
        made = {
            at: known[at] for at, text in texts.items() if at in known and known[at].source == text
        }
        left = room - sum(count(at, one.shown) for at, one in made.items())
        least = {at: min(LEAST, count(at, texts[at])) for at in texts if at not in made}
        if made and left < sum(least.values()):
            return served(some, room, {})
        for path in tuple(least):
            del least[path]
            if text := shown(path, texts[path], left - sum(least.values())):
                made[path] = FittedGuide(path, texts[path], text)
                left -= count(path, text)
        return made

    first = served(parts[:standing][::-1], room, known)
    left = room - sum(count(one.path, one.shown) for one in first.values())
    made = first | served(parts[standing:], left, known)
    return tuple(made[part.guide.name] for part in parts if part.guide.name in made)
