"""One scenario through one window: every move through the public face, judged at its moments."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import loom
from benchmarks.pressure.checks import Verdicts, judge, moments
from benchmarks.pressure.scenarios import script_of
from benchmarks.pressure.script import (
    AnswerMove,
    MemoryMove,
    Move,
    PlanMove,
    RenewMove,
    Script,
    ToolMove,
    UserMove,
)
from loom.context import Context
from loom.inputs import Reply, Speech

RENEWED_SHARE = 0.3  # of the capacity: the history a renewal that is asked for leaves

Place = tuple[str, int]  # scenario, window


def driven(script: Script, window: int) -> Verdicts:
    """Drive a script through a window; what is raised on the way is in the verdicts."""
    verdicts = Verdicts()
    judged = set(moments(script))
    with TemporaryDirectory(prefix="loom-pressure-") as folder:
        context = loom.open(
            Path(folder), window=window, policy=loom.Policy(own_tools=False), durable=False
        )
        at, born = -1, context.window.sent.generation
        try:
            context.system(script.instructions)
            for at, move in enumerate(script.moves):
                MOVES[type(move)](context, move)
                if at in judged:
                    verdicts.add(judge(context, script, at))
        except Exception as error:  # whatever is raised, the other runs go on
            place = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(place.filename).name}:{place.lineno}"
            verdicts.errors += 1
            verdicts.broken.append(f"move {at}: {type(error).__name__}: {error} ({where})")
        finally:
            verdicts.renewals = context.window.sent.generation - born
            verdicts.cuts = context.window.sent.cuts
            context.close()
    return verdicts


def _said(context: Context, move: UserMove) -> None:
    context.user(move.text)


def _answered(context: Context, move: AnswerMove) -> None:
    context.turn()
    context.reply(Reply((Speech(move.text),)))


def _worked(context: Context, move: ToolMove) -> None:
    context.turn()
    said = (Speech(move.said),) if move.said else ()
    context.reply(Reply((*said, *move.calls)))
    for call, result in zip(move.calls, move.results, strict=True):
        context.result(call.id, result)


def _remembered(context: Context, move: MemoryMove) -> None:
    context.memory.remember(move.key, move.text)


def _planned(context: Context, move: PlanMove) -> None:
    context.working.plan(move.items)


def _renewed(context: Context, move: RenewMove) -> None:
    renew = getattr(context, "renew", None)
    if callable(renew):
        renew(history=int(context.window.limits.capacity * RENEWED_SHARE))


MOVES: dict[type[Move], Callable[[Context, Any], None]] = {
    UserMove: _said,
    AnswerMove: _answered,
    ToolMove: _worked,
    MemoryMove: _remembered,
    PlanMove: _planned,
    RenewMove: _renewed,
}


def run(place: Place, seed: int, constraints: tuple[str, ...] = ()) -> Verdicts:
    """One scenario at one window. Raises KeyError for a scenario that does not exist."""
    name, window = place
    return driven(script_of(name, seed, constraints), window)
