"""The answer to a call of `spawn` for which no agent can be spawned."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from loom.capabilities.agents.figures import left, said
from loom.context.open_calls import GIVEN_UP, stood_in
from loom.engine import Engine
from loom.errors import NAME, BudgetSpent, Closed, LoomError
from loom.inputs import ToolCall
from loom.providers.render.naming import unbracketed
from loom.providers.render.neutral import neutral
from loom.text import cut, one_line
from loom_paging import MissingPage, PagingError
from loom_partitions.message import Call

REFUSED = "[not spawned {mark}: {why}]"
LEFT = "[not spawned {mark}: {why}. Left of your budget: {left}]"
SHORT = "[not spawned {mark}]"
SPENT = "no {what} left ({used:,.0f} of {limit:,.0f} used), so do this part yourself"
NO_PAGE, NEAR = "there is no page {name!r}: grant one by the name the window shows", "; near it: {}"


@contextmanager
def answering(engine: Engine, call: Call | ToolCall | None) -> Iterator[None]:
    """Answer an open call with why no agent was spawned for it, and raise the error all the same.

    The disk's errors are not the model's, so the call stays open. As for any stand-in, a
    result the host gives for the call all the same is appended.
    """
    try:
        yield
    except LoomError as error:
        theirs = isinstance(error, PagingError) and not isinstance(error, MissingPage)
        if call is not None and not theirs and not isinstance(error, Closed):
            _answer(engine, engine.ingest.clean(call.id), _why(error))
        raise


def _why(error: LoomError) -> str:
    """An error in words for the model: of a budget, its own advice is for who delivers."""
    if isinstance(error, BudgetSpent):
        return SPENT.format(what=error.what, used=error.used, limit=error.limit)
    if isinstance(error, MissingPage):
        near = error.where.partition(" (near: ")[2].rstrip(")")
        return NO_PAGE.format(name=one_line(error.name, NAME)) + (NEAR.format(near) if near else "")
    return str(error).removeprefix("spawn: ")


def _answer(engine: Engine, id: str, why: str) -> None:
    with engine.lock, engine.atomic:
        if id not in engine.window.history.open_calls:
            return
        mark, rest = engine.window.config.mark, said(left(engine))
        told = neutral(unbracketed(cut(engine.ingest.clean(why), GIVEN_UP)), mark)
        form = LEFT if rest else REFUSED
        forms = form.format(mark=mark, why=told, left=rest), SHORT.format(mark=mark)
        stood_in(engine, {id: forms})
