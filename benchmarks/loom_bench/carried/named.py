"""Names a window shows, and the texts an agent gets when it asks for one of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress

import loom
from loom.context import Context
from loom_bench.carried.items import spoken

NAME = re.compile(r"\b(?:outputs|working)/[\w.-]*\w|\b[a-z]+_\d{4,}\b")
ENTRY = re.compile(r"(?:user|step)_\d{4,}")
LISTING = "outputs/digest_"


def names(texts: Iterable[str]) -> set[str]:
    """Return the words that have the form of a page's or an entry's name."""
    return {name for text in texts for name in NAME.findall(text)}


def texts_of(context: Context, name: str) -> list[str]:
    """Everything behind a name; nothing when it only looked like one."""
    with suppress(loom.LoomError):
        if not ENTRY.fullmatch(name):
            return [context.page_in(name).text]
        entry = context.history.restore(name)
        said = spoken(entry.reply) if entry.reply is not None else []
        return [entry.text, *said, *entry.results.values()]
    return []


def behind(context: Context, named: Iterable[str]) -> Iterator[str]:
    """The texts behind some names, in the order of the names."""
    for name in sorted(named):
        yield from texts_of(context, name)
