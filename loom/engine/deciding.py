"""While an engine decides a cut or a tool's answer, the host's code in it may not change all."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar, copy_context
from typing import TypeVar, TypeVarTuple

Given = TypeVarTuple("Given")
Made = TypeVar("Made")
# Those that are deciding here: more than one when a hook opens a context of its own.
_DECIDING: ContextVar[tuple[object, ...]] = ContextVar("loom_deciding", default=())


def deciding(who: object, decide: Callable[[*Given], Made], *given: *Given) -> Made:
    """The value `decide` returns for what it is given; meanwhile `is_deciding(who)`.

    The mark is set in a copy of the calling context, so that no interrupt can leave it set.
    """

    def marked() -> Made:
        _DECIDING.set((*_DECIDING.get(), who))
        return decide(*given)

    return copy_context().run(marked)


def is_deciding(who: object) -> bool:
    """True when this call comes from within a decision of `who`."""
    return any(one is who for one in _DECIDING.get())
