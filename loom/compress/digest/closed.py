"""The task list as it is now: what calls wrote, and what the agent said is done since.

The newest list that was written whole is the list. An item that a reply says is done, by its number
or by its words, is not open, though no call says so; a later call has the last word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec.structs import replace

from loom.lazy import lazy_re
from loom.reduce.closings import EVERY_TASK
from loom.reduce.tasks import WHOLE
from loom_partitions.message import Fact

LEAST = 2  # words of an item that are enough to know it by
_WORD = lazy_re(r"\w+")
_NUMBERED = lazy_re(r"\W*(?:task|step|item|todo|issue)\W{0,3}(\d+)\b", re.IGNORECASE)
_OPEN = ("todo", "doing", "")


def task_list(facts: Iterable[Fact]) -> list[Fact]:
    """The items of a task list as they are now, under the sign that it was written whole."""
    whole: Fact | None = None
    items: dict[str, Fact] = {}
    begun: dict[tuple[str, ...], list[str]] = {}  # by its first words, the items that begin so
    for fact in facts:
        if fact.kind == "closed":
            named = items if fact.about else begun.get(_begun(fact.text), ())
            items |= {id: _closed(items[id], fact) for id in named if id in items}
        elif fact.kind != "task":
            continue
        elif fact.about == "*":
            whole, items = fact, {}
        elif fact.about not in items:
            items[fact.about] = fact
        else:
            before = items[fact.about]
            items[fact.about] = replace(
                before, text=fact.text or before.text, came=fact.came or before.came
            )
        if fact.kind == "task" and fact.about in items:
            same = begun.setdefault(_begun(items[fact.about].text), [])
            if fact.about not in same:
                same.append(fact.about)
    left = [item for item in items.values() if item.came != "gone"]
    return [whole, *left] if whole else left


def _begun(text: str) -> tuple[str, ...]:
    """The first words of a text, by which an item that is named is found."""
    return tuple(_WORD.findall(text.casefold())[:LEAST])


def _closed(item: Fact, said: Fact) -> Fact:
    """An item as it is when the agent `said` that something is done."""
    if item.came not in _OPEN:
        return item
    if said.about:
        own = item.about == said.about and item.refs != WHOLE
        named = _NUMBERED.match(item.text)
        done = own or said.about in (EVERY_TASK, named and named[1])
    else:
        mine, theirs = (_WORD.findall(text.casefold()) for text in (item.text, said.text))
        done = len(mine) >= LEAST and theirs[: len(mine)] == mine
    return replace(item, came="done") if done else item
