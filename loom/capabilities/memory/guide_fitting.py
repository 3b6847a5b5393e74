"""Guides fitted into the room that C_memory has for them: whole where they fit, as excerpts where
not.

Theory of operation. The chain, from the root to the working folder, holds the project's own rules:
where it fits, it stands whole, and guides found later have what it leaves. Where it does not fit,
it is shown in part anyway, and leaves a part of the room free for those found later. So no file
deep in a project takes the rules of the root away, and a new guide moves none that stands: a text
shown anew stands twice in the window until the next cut. Room goes first to the closest guide of
the chain, as it wins, and of those found later to the last.

In an excerpt the outline stands first, as a heading tells the model what it could ask for: where
not every heading fits, deep ones go before shallow ones. The room that is left goes to the lines
below them, in the order of the file. A heading whose text is not all there ends in "…", and so does
a part of a line. Guides that have no room at all are named, each with its page."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence

from loom.capabilities.memory.guide import (
    BUDGET,
    JOINT,
    TOO_LARGE,
    Guide,
    GuideLine,
    open_fence_after,
)
from loom.lazy import lazy_re
from loom.providers.render.naming import key_or_quoted
from loom.providers.render.wording import UNSHOWN as UNSHOWN  # the key it is told under
from loom.text import clip_text, encodable, one_line, utf8_size

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
NO_HEADING = 7  # deeper than any
NAMED = 8  # guides named one by one; the others are counted, and listed on a page
LISTED = 72  # tokens of a text that only counts them, quoted
NAME_CHARS = 200
TOLD = "Guides that apply too; read one, or its page, before you work in its folder:"
LINE = "- {name}: {page}"
MORE = "- {more:,} more, listed in {page}"
_LINE = lazy_re(r"^- (.+): (\S+)$", re.MULTILINE)
_MORE = lazy_re(r"^- [\d,]+ more, listed in (\S+)$", re.MULTILINE)

Rest = Callable[[str], str]  # puts a text on a page and gives its name


def page_of_excerpt(shown: str) -> str:
    """Return the page that an excerpt of a guide names; "" if `shown` is no excerpt."""
    found = _PAGE.search(shown)
    return found[1] if found else ""


def fit_guides(
    chain: Sequence[Guide],
    later: Sequence[Guide],
    room: int,
    count: Callable[[str, str], int],
    rest: Rest,
    known: Mapping[str, str],
    most_bytes: int = BUDGET,
) -> dict[str, str]:
    """Return the text to show of each guide, by name, in at most `room` tokens together. Guides
    without room are left out.

    `chain` are the project's own guides, which take at most `most_bytes` of UTF-8. `later` are
    guides found while working. `count(name, text)` returns the tokens of a guide shown as `text`.
    `known` has texts shown already, which are kept: for `chain` always, for `later` if there is
    room. `rest` stores a text on a page and returns the page's name."""
    made = dict[str, str]()
    costs = {one.name: count(one.name, one.text) for one in (*chain, *later[-SERVED:])}
    whole = sum(costs[one.name] for one in chain) <= room
    left, size = room if whole else room - room // FREE, most_bytes + len(JOINT)
    for at in range(len(chain) - 1, -1, -1):
        guide, waiting = chain[at], chain[:at]
        least = sum(min(costs[one.name], LEAST) for one in waiting)
        least_size = sum(min(utf8_size(one.text) + len(JOINT), LEAST_SIZE) for one in waiting)
        share, bytes_share = max(left - least, left // 2), max(size - least_size, size // 2)
        shown = known.get(guide.name) or _fit_guide(
            guide, share, bytes_share - len(JOINT), count, rest
        )
        if shown:
            made[guide.name] = shown
            left, size = left - count(guide.name, shown), size - utf8_size(shown) - len(JOINT)
    left = room - sum(count(name, shown) for name, shown in made.items())
    waiting = sorted(later[-SERVED:], key=lambda one: one.name in known)
    left -= LISTED * (len(made) < len(chain) or sum(costs[one.name] for one in waiting) > left)
    while waiting:
        guide = waiting.pop()
        shown, most = known.get(guide.name, ""), min(left, room // EACH)
        if not shown or count(guide.name, shown) > most:
            least = sum(min(costs[one.name], LEAST) for one in waiting)
            share = min(max(left - least, left // 2), most)
            shown = _fit_guide(guide, share, utf8_size(guide.text), count, rest)
        if shown:
            made[guide.name] = shown
            left -= count(guide.name, shown)
    return {one.name: made[one.name] for one in (*chain, *later) if one.name in made}


def _fit_guide(
    guide: Guide, room: int, size: int, count: Callable[[str, str], int], rest: Rest
) -> str:
    """Return the guide's text or an excerpt in at most `room` tokens and `size` bytes, or ""."""
    name, text = guide.name, guide.text

    def fits(some: str) -> bool:
        return utf8_size(some) <= size and count(name, some) <= room

    if fits(text):
        return text
    if room <= 0 or size <= 0:
        return ""
    more = READ if GuideLine(0, TOO_LARGE) in guide.lines[-1:] else WHOLE
    return excerpt(text, fits, more.format(path=key_or_quoted(name), page=rest(text)))


def excerpt(text: str, fits: Callable[[str], bool], more: str = "") -> str:
    """Return `text` if it fits, else as many of its lines as fit, headings before others, with the
    last line `more`. "" if not even one line fits. `fits(result)` says whether a result fits."""
    if fits(text):
        return text
    lines, depths, fence = text.split("\n"), list[int](), ""
    for line in lines:
        heading = None if fence else _HEADING.match(line)
        depths.append(len(heading[1]) if heading else NO_HEADING)
        fence = open_fence_after(fence, line)
    first = sorted(range(len(lines)), key=depths.__getitem__)

    def shown(some: int) -> str:
        """Return `some` lines of the text in order, headings preferred, and `more`; or ""."""
        kept, made, head, fence = {*first[:some]}, list[str](), -1, ""
        for at, line in enumerate(lines):
            if at in kept:
                head = len(made) if depths[at] < NO_HEADING else head
                made.append(line)
                fence = open_fence_after(fence, line)
            elif line and made:
                made[head] += "" if made[head].endswith(LEFT_OUT) else LEFT_OUT
                made += [fence] * bool(fence)  # a code block that is cut ends all the same
                fence = ""
        return "\n".join([*made, *filter(None, [more])]) if any(made) else ""

    def begun(chars: int) -> str:
        """Return the first line cut to `chars` characters, and `more`."""
        return "\n".join([clip_text(lines[0], chars), *filter(None, [more])])

    some = _largest_fit(len(lines), lambda some: fits(shown(some)))
    if made := shown(some):
        return made
    chars = _largest_fit(len(lines[0]), lambda some: fits(begun(some)))
    return begun(chars) if chars > len(LEFT_OUT) else ""


def _largest_fit(limit: int, fits: Callable[[int], bool]) -> int:
    """Return the largest number from 1 to `limit` for which `fits` is True; 0 if there is none.
    `fits` must be True for all smaller numbers too."""
    return bisect_left(range(1, limit + 1), True, key=lambda some: not fits(some))


def unshown_text(pages: Mapping[str, str], rest: Rest, fits: Callable[[str], bool]) -> str:
    """Return a text that names up to NAMED guides without room; "" if `pages` is empty or no such
    text `fits`. `pages` maps each guide's name to the page that holds the guide. `rest` stores the
    list of all further guides on a page."""
    lines = [
        LINE.format(name=one_line(encodable(name), NAME_CHARS), page=page)
        for name, page in pages.items()
    ]
    for some in range(min(len(lines), NAMED), -1, -1) if lines else ():
        others = lines[some:]
        more = [MORE.format(more=len(others), page=rest("\n".join(others)))] if others else []
        if fits(text := "\n".join([TOLD, *lines[:some], *more])):
            return text
    return ""


def page_of_more_guides(text: str) -> str:
    """Return the page that lists further guides, named by a result of `unshown_text`, or ""."""
    found = _MORE.search(text)
    return found[1] if found else ""


def named_guides(text: str, read: Callable[[str], str]) -> dict[str, str]:
    """Return the page of each guide, by the guide's name, from a result of `unshown_text` and the
    page of further guides. `read` returns the text of a page."""
    page = page_of_more_guides(text)
    others = read(page) if page else ""
    return {name: page for some in (text, others) for name, page in _LINE.findall(some)}
