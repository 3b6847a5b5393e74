"""What a host recalls, as the model's tools tell it: memories of the agent among it, and pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from loom.engine import Engine
from loom.engine.archive.lookup import fault
from loom.engine.archive.recall import recall
from loom.engine.tools.retrieval import told_beside
from loom.providers.render.neutral import neutral
from loom_paging import Slice


def recalled(engine: Engine, query: str, chars: int, tokens: int | None) -> str:
    """The passages for a query, and what capabilities have on it, in so many chars or tokens."""
    with engine.lock, engine.atomic:
        mark = engine.window.config.mark
        count: Callable[[str], int] = len if tokens is None else engine.sizes.count
        room = max(chars if tokens is None else tokens, 0)
        beside: list[str] = []
        left = room
        for found in engine.hooks.run("recalled", told_beside, engine.capabilities, query):
            text = neutral(found.text, mark)
            if (size := count("\n" + text)) <= left:
                beside.append(text)
                left -= size
        text, hits = recall(engine.workspace, query, left, count)
        if beside and not hits:
            text = ""  # something is found, though no page or entry holds it
        made = "\n".join(filter(None, (text, *beside)))
        return made if count(made) <= room else text


def paged_in(engine: Engine, ref: str, ways: Mapping[str, str]) -> Slice:
    """A page or an entry, whole or as the `ways` have it."""
    with engine.lock, engine.atomic:
        return fault(engine.workspace, ref, None, **ways)[0]
