"""The next request of a context: the world is looked at, calls nobody answers are given up."""

from __future__ import annotations

from contextlib import suppress
from functools import partial

from loom.context.asked import take
from loom.context.changes import look, told
from loom.context.open_calls import given_up
from loom.engine import Engine
from loom.engine.budget import check_turn
from loom.engine.deciding import is_deciding
from loom.engine.turn import Turn, told_as
from loom.errors import LoomError, Reentered
from loom_partitions.message import Step
from loom_partitions.records import SentAgain
from loom_partitions.window import Window

LEFT = "the session ended before its result came"  # of a call an earlier life left open


def requested(engine: Engine, asked_by: object) -> Turn:
    """The next request, within budget. Raises Reentered within a look at the world, and what
    `Context.turn` does."""
    if is_deciding(asked_by):
        raise Reentered()
    take(engine)
    look(engine, asked_by)
    with engine.lock, engine.atomic:
        check_turn(engine)
        waiting = engine.window.history.waiting
        if waiting and waiting == engine.left_open:
            given_up(engine, LEFT)
        turn = engine.turn()
        engine.workspace.journal.make_durable()
    told(engine, turn)
    return told_as(turn, partial(_sends, engine, turn.number))


def _sends(engine: Engine, number: int) -> None:
    """Note that a request is sent; that one an earlier life sent already is sent again, the journal
    has at once: this life may end before the answer, too. A request never fails for it."""
    engine.requests.told(number)
    if engine.left_sent == number and engine.guard.acquire(blocking=False):
        try:
            with suppress(LoomError, OSError), engine.lock, engine.atomic:
                engine.left_sent = 0
                if engine.window.sent.turned and engine.window.sent.turn == number:
                    engine.commit(SentAgain())
        finally:
            engine.guard.release()


def is_answered(window: Window) -> bool:
    """True where the task was finished, or the last entry is a whole reply without calls."""
    last = next(window.history.stream.entries_back, None)
    whole = isinstance(last, Step) and not (last.calls or last.cut or last.paused)
    return window.sent.finished or whole
