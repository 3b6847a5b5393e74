"""Guides in the room C_memory has for them: whole where they fit, as excerpts where not.

Theory of operation
-------------------
The chain, from the root to the working folder, holds the project's own rules: where it fits, it
stands whole, and guides found later have what it leaves. Where it does not, it is shown in part
anyway, and leaves a part of the room free for those found later. So no file deep in a project takes
the rules of the root away, and one that comes moves nothing that stands: a text shown anew stands
twice in the window until the next cut. The closest is served first, as it wins; of those found
later the last.

Of an excerpt the outline stands first, as a heading tells the model what it could ask for: where
not every heading fits, deep ones go before shallow ones. What room is left goes to the lines below
them, in the order of the file. A heading whose text is not all there ends in "…", and so does a
part of a line. Guides that have no room at all are named, each with its page.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from loom.capabilities.memory.guide import BUDGET, JOINT, Guide, fence_after
from loom.lazy import lazy_re
from loom.providers.render.naming import keyed
from loom.providers.render.wording import UNSHOWN as UNSHOWN  # the key it is told under
from loom.text import cut, one_line, printable, size_of

WHOLE = "[{path}, in part: the headings, and how it begins; whole in {page}]"
READ = (
    "[{path}, in part: the headings, and how it begins; the file holds more than was read,"
    " which is whole in {page}]"
)
LEAST = 120  # tokens of a guide that has to wait for the others: its headings, most often
LEAST_SIZE = 4 * LEAST  # bytes of it
FREE = 4  # a part in so many of the room is not for a chain that does not fit
EACH = 2  # a guide found later has at most a part of the room in so many
SERVED = 256  # guides found later that are weighed, the last: no window has room for more
_PAGE = lazy_re(r" whole in (\S+)\]\Z")
LEFT_OUT = " …"
_HEADING = lazy_re(r" {0,3}(#{1,6})(?:\s|$)")
NAMED = 8  # guides named one by one; the others are counted, and listed on a page
LISTED = 72  # tokens of a text that only counts them, quoted
NAME_CHARS = 200
TOLD = "Guides that apply too; read one, or its page, before you work in its folder:"
LINE = "- {name}: {page}"
MORE = "- {more:,} more, listed in {page}"
_LINE = lazy_re(r"^- (.+): (\S+)$", re.MULTILINE)
_MORE = lazy_re(r"^- [\d,]+ more, listed in (\S+)$", re.MULTILINE)


def page_of(shown: str) -> str:
    """Return the page an excerpt says the whole rests on; "" for a guide that is shown whole."""
    found = _PAGE.search(shown)
    return found[1] if found else ""


class FittedGuide(Struct, frozen=True):
    """A guide as it is shown: its name, the text it was made from, and what stands for it."""

    path: str
    source: str
    shown: str


def fitted(
    guides: Sequence[Guide],
    room: int,
    count: Callable[[str, str], int],
    rest: Callable[[str], str],
    known: Mapping[str, FittedGuide],
    joined: int = 0,
    most_bytes: int = BUDGET,
    *,
    stays: bool = False,
) -> tuple[FittedGuide, ...]:
    """Return the guides in at most `room` tokens, in their order; the last `joined` were found
    later, and one that no room is left for is left out.

    `count(name, text)` gives what a text takes under its heading, `rest(text)` puts a whole one on
    a page and gives its name. The chain has at most `most_bytes` of
    UTF-8, and where it `stays`, it is as it was, whatever the room. What is `known` and made from
    the same text stays as it stands, as long as there is room for it.
    """

    def served(some: Sequence[Guide], room: int, size: int, most: int) -> None:
        """Serve guides, the first first, in so many tokens and bytes, each in at most `most`."""
        waiting = list(some)
        for guide in some:
            old = known.get(guide.name)
            if old is not None and old.source == guide.text:
                tokens, taken = count(old.path, old.shown), size_of(old.shown) + len(JOINT)
                if tokens <= min(room, most) and taken <= size:
                    made[old.path] = old
                    waiting.remove(guide)
                    room, size = room - tokens, size - taken
        for at, guide in enumerate(waiting):
            behind = waiting[at + 1 :]
            least = sum(min(count(one.name, one.text), LEAST) for one in behind)
            least_size = sum(min(size_of(one.text) + len(JOINT), LEAST_SIZE) for one in behind)
            share, share_size = min(_share(room, least), most), _share(size, least_size)
            if shown := _shown(guide, share, share_size - len(JOINT), count, rest):
                name = guide.name
                made[name] = FittedGuide(name, guide.text, shown)
                room, size = room - count(name, shown), size - size_of(shown) - len(JOINT)

    made: dict[str, FittedGuide] = {}
    chain, later = guides[: len(guides) - joined], guides[len(guides) - joined :]
    if stays:
        made = {guide.name: known[guide.name] for guide in chain
                if guide.name in known}  # fmt: skip
    elif sum(count(guide.name, guide.text) for guide in chain) <= room:
        served(chain[::-1], room, most_bytes + len(JOINT), room)
    else:
        served(chain[::-1], room - room // FREE, most_bytes + len(JOINT), room)
    left = room - sum(count(name, one.shown) for name, one in made.items())
    near = later[::-1][:SERVED]
    needs = sum(count(guide.name, guide.text) for guide in near)
    without = len(made) < len(chain) or needs > left
    every = sum(size_of(guide.text) + len(JOINT) for guide in near)
    served(near, left - LISTED * without, every, room // EACH)
    return tuple(made[guide.name] for guide in guides if guide.name in made)


def _share(left: int, waiting: int) -> int:
    """Return what one may take: what the others that wait leave of it, or half."""
    return max(left - waiting, left // 2)


def _shown(
    guide: Guide,
    room: int,
    size: int,
    count: Callable[[str, str], int],
    rest: Callable[[str], str],
) -> str:
    """Return a guide whole, or an excerpt of so many tokens and bytes; "" where none fits."""
    name, text = guide.name, guide.text

    def fits(some: str) -> bool:
        return size_of(some) <= size and count(name, some) <= room

    if fits(text):
        return text
    if room <= 0 or size <= 0:
        return ""
    more = (WHOLE if guide.whole else READ).format(path=keyed(name), page=rest(text))
    return excerpt(text, fits, more)


def excerpt(text: str, fits: Callable[[str], bool], more: str = "") -> str:
    """Return what of a text `fits`; `more` is the last line, it says where the whole rests.

    The text itself when it fits; "" when not even `more` and something of it do.
    """
    if fits(text):
        return text
    lines, fence = list[tuple[str, int]](), ""  # with the depth of a heading, 0 for any other
    for line in text.split("\n"):
        marks = None if fence else _HEADING.match(line)
        fence = fence_after(fence, line)
        lines.append((line, len(marks[1]) if marks else 0))
    headings = [at for at, (_, depth) in enumerate(lines) if depth]
    headings.sort(key=lambda at: lines[at][1])

    def shown(outlined: int, begun: int) -> str:
        """Return the text with so many headings and so many of the lines below those."""
        taken = {*headings[:outlined]}
        made, last, left, below, fence = list[str](), -1, begun, True, ""
        for at, (line, depth) in enumerate(lines):
            if depth:
                below = at in taken
                if below:
                    made.append(line)
                    last = len(made) - 1
            elif below and left:
                made.append(line)
                fence = fence_after(fence, line)
                left -= 1
            elif below and line and made:
                made += [fence] * bool(fence)  # a code block that is cut ends all the same
                made[last] += "" if made[last].endswith(LEFT_OUT) else LEFT_OUT
                fence = ""
        return "\n".join([*made, *filter(None, [more])]) if any(made) else ""

    outlined = _most(len(headings), lambda some: fits(shown(some, 0)))
    begun = _most(len(lines) - len(headings), lambda some: fits(shown(outlined, some)))
    made = shown(outlined, begun)
    return made or _first_words(text, fits, more)


def _first_words(text: str, fits: Callable[[str], bool], more: str) -> str:
    """Return the beginning of a text's first line; "" when nothing of it fits."""
    line = text.partition("\n")[0]

    def shown(chars: int) -> str:
        return "\n".join([cut(line, chars), *filter(None, [more])])

    chars = _most(len(line), lambda some: fits(shown(some)))
    return shown(chars) if chars > len(LEFT_OUT) else ""


def _most(limit: int, fits: Callable[[int], bool]) -> int:
    """Return the largest number up to `limit` that fits, where each below one that fits does."""
    return bisect_left(range(1, limit + 1), True, key=lambda some: not fits(some))


def unshown(
    pages: Mapping[str, str],
    rest: Callable[[str], str],
    fits: Callable[[str], bool] = lambda text: True,
) -> str:
    """The text that names guides; "" for none, or where not even their number `fits`.

    `pages` gives the page that holds each guide by its name, those to be named first before the
    others; `rest` puts a list of the others on a page and gives its name.
    """
    lines = [
        LINE.format(name=one_line(printable(name), NAME_CHARS), page=page)
        for name, page in pages.items()
    ]
    for some in range(min(len(lines), NAMED), -1, -1):
        text = "\n".join([TOLD, *lines[:some], *_others(lines[some:], rest)])
        if lines and fits(text):
            return text
    return ""


def _others(lines: Sequence[str], rest: Callable[[str], str]) -> list[str]:
    return [MORE.format(more=len(lines), page=rest("\n".join(lines)))] if lines else []


def named_in(text: str, read: Callable[[str], str]) -> dict[str, str]:
    """The names a text names, and the page of each; `read` gives the text of a page."""
    others = "".join(read(page) for page in _MORE.findall(text))
    return {name: page for some in (text, others) for name, page in _LINE.findall(some)}
