"""The task list as it is now: the newest that was written whole, and what calls changed since."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from loom_partitions.message import Fact


def task_list(facts: Iterable[Fact]) -> list[Fact]:
    """The items of a task list as they are now, under the sign that it was written whole."""
    whole: Fact | None = None
    items: dict[str, Fact] = {}
    for fact in facts:
        if fact.kind != "task":
            continue
        if fact.about == "*":
            whole, items = fact, {}
        elif fact.about in items:
            before = items[fact.about]
            text, came = fact.text or before.text, fact.came or before.came
            items[fact.about] = replace(before, text=text, came=came)
        else:
            items[fact.about] = fact
    left = [item for item in items.values() if item.came != "gone"]
    return [whole, *left] if whole else left
