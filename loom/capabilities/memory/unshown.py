"""Guides that apply and have no room in the window: named, each with a way to bring it back."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from loom.lazy import lazy_re
from loom.providers.render.wording import UNSHOWN as UNSHOWN  # the key it is told under
from loom.text import one_line, printable

NAMED = 8  # guides named one by one; the others are counted, and listed on a page
LISTED = 72  # tokens of a text that only counts them, quoted
NAME_CHARS = 200
TOLD = "Guides that apply too; read one, or its page, before you work in its folder:"
LINE = "- {name}: {page}"
MORE = "- {more:,} more, listed in {page}"
_LINE = lazy_re(r"^- (.+): (\S+)$", re.MULTILINE)
_MORE = lazy_re(r"^- [\d,]+ more, listed in (\S+)$", re.MULTILINE)


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
