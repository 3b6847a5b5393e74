"""A guide, or a skill, too large for its place: its headings, and the lines it begins with.

The outline stands first, as a heading tells the model what it could ask for: where not every
heading fits, deep ones go before shallow ones. What room is left goes to the lines below them, in
the order of the file. A heading whose text is not all there ends in "…", and so does a part of a
line: a text of one line that is too long is shown by its first words.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable

from msgspec import Struct

from loom.capabilities.memory.guide_text import fence_after
from loom.lazy import lazy_re
from loom.text import cut

LEFT_OUT = " …"
_HEADING = lazy_re(r" {0,3}(#{1,6})(?:\s|$)")


class GuideTextLine(Struct, frozen=True):
    """A line of a text; `depth` is that of a heading, 0 for any other line."""

    text: str
    depth: int


def excerpt(text: str, fits: Callable[[str], bool], more: str = "") -> str:
    """Return what of a text `fits`; `more` is the last line, it says where the whole rests.

    The text itself when it fits; "" when not even `more` and something of it do.
    """
    if fits(text):
        return text
    lines = _read(text)
    headings = [at for at, line in enumerate(lines) if line.depth]
    headings.sort(key=lambda at: lines[at].depth)

    def shown(outlined: int, begun: int) -> str:
        """Return the text with so many headings and so many of the lines below those."""
        taken = {*headings[:outlined]}
        made, last, left, below, fence = list[str](), -1, begun, True, ""
        for at, line in enumerate(lines):
            if line.depth:
                below = at in taken
                if below:
                    made.append(line.text)
                    last = len(made) - 1
            elif below and left:
                made.append(line.text)
                fence = fence_after(fence, line.text)
                left -= 1
            elif below and line.text and made:
                made += [fence] * bool(fence)  # a code block that is cut ends all the same
                made[last] += "" if made[last].endswith(LEFT_OUT) else LEFT_OUT
                fence = ""
        return "\n".join([*made, *filter(None, [more])]) if any(made) else ""

    outlined = _most(len(headings), lambda some: fits(shown(some, 0)))
    begun = _most(len(lines) - len(headings), lambda some: fits(shown(outlined, some)))
    made = shown(outlined, begun)
    return made or _first_words(text, fits, more)


def _read(text: str) -> list[GuideTextLine]:
    """Return the lines of a text; what stands in a code fence is no heading."""
    made, fence = list[GuideTextLine](), ""
    for line in text.split("\n"):
        marks = None if fence else _HEADING.match(line)
        fence = fence_after(fence, line)
        made.append(GuideTextLine(line, len(marks[1]) if marks else 0))
    return made


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
