"""What changes the whole: a refusal, another size, a renewal, a summary, the end."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from msgspec.structs import replace

from loom.capability import Capability
from loom.compress.media import media_standing
from loom.engine import Engine
from loom.engine.archive.summaries import answered
from loom.engine.deciding import deciding
from loom.engine.head import own
from loom.engine.hooks import HeldByHook
from loom.engine.layout import check_parts
from loom.engine.meter import contradiction, fitting, model_of, moved
from loom.engine.snapshots.document import FINISH
from loom.engine.token_number import token_number
from loom.engine.turn import Turn
from loom.errors import OpenCalls, OverCapacity
from loom.policy import resized
from loom.providers.overflow import overflow, statuses
from loom.reduce.summary import Summarized
from loom_paging import Forked
from loom_partitions import records as r
from loom_partitions.window import apply


def overflowed(engine: Engine, error: BaseException) -> None:
    """Compress after a provider's "too long"; any other error is raised again."""
    said = overflow(error)
    if said is None:
        if any(status >= 400 for status in statuses(error)):
            engine.requests.refused()
        raise error
    with engine.lock, engine.atomic:
        window = engine.window
        if window.sent.overflowed:
            raise OverCapacity(
                "history",
                window.tokens.total,
                window.limits.capacity,
                "the provider refused the compressed request too. Call ctx.resize(window) with the"
                " provider's real window, or less; shorten the instructions, the tools and what is"
                " pinned; or ctx.renew(history=0)",
            ) from error
        if said.media is not None:
            engine.react(r.Overflowed(0, media=said.media_after(len(media_standing(window)))))
            return
        name = model_of(window)
        size = fitting(window, engine.room.check, said.size, name, refused=True)
        taken = contradiction(window, said.limit)
        try:
            engine.react(r.Overflowed(said.limit, taken), size)
        except OverCapacity:
            if not taken or not said.limit:
                raise
            engine.react(r.Overflowed(0, taken))  # too small to be tried at all


def resize(engine: Engine, window: int, reply: int | None, model: str | None) -> None:
    """Make the window larger or smaller, or of another model."""
    with engine.lock, engine.atomic:
        now = engine.window
        size, kept = token_number("window", window), token_number("reply", reply)
        limits = resized(now.limits, size, kept, engine.policy.preset)
        if limits.window > limits.stated:
            limits = replace(limits, stated=0)
        limits = replace(limits, refused=0, doubted=None)
        known = now.config.model if model is None else engine.ingest.clean(model)
        if known != now.config.model:
            limits = replace(limits, media=None)
            scale = moved(now, known, engine.sizes.count, lambda: engine.requests.texts(now))
            limits = replace(limits, scale=scale)
        if limits != now.limits or known != now.config.model or now.sent.overflowed:
            change = r.Resized(limits, known)
            check_parts(engine.policy, own(engine), now, apply(now, change))
            engine.resize(change)
            engine.resized = engine.resized is not None
            engine.workspace.acknowledge()  # what follows are calls of their own
            tell_size(engine)


def look(engine: Engine, asked_by: object) -> None:
    """Ask every capability to look at the world; meanwhile `is_deciding(asked_by)`."""
    with engine.lock, engine.atomic:  # closed, or made in a parent process: nothing looks
        engine.client_skills.take()
    tell_size(engine)
    for capability in engine.capabilities:
        deciding(asked_by, capability.before_turn)


def told(engine: Engine, turn: Turn) -> None:
    """Tell every capability of a request that was made."""
    for capability in engine.capabilities:
        capability.after_turn(turn)


def tell_size(engine: Engine) -> None:
    """Tell the capabilities of another size; again, where that was interrupted."""
    if engine.resized:
        for capability in engine.capabilities:
            engine.hooks.run(f"{capability.name}.resized", capability.resized)
        engine.resized = False


def renew(engine: Engine, history: int | None) -> None:
    """Snapshot C_working and start a fresh window now."""
    with engine.lock, engine.atomic:
        if engine.window.history.open_calls:
            raise OpenCalls(engine.window.history.open_calls)
        for capability in engine.capabilities:
            engine.hooks.run(f"{capability.name}.before_renewal", capability.before_renewal)
        engine.renew(token_number("history", history))
        engine.workspace.journal.make_durable()


def finish(engine: Engine, outcome: str) -> None:
    """End the task: C_working is cleared, its snapshot kept."""
    with engine.lock, engine.atomic:
        window = engine.window
        if window.history.open_calls:
            raise OpenCalls(window.history.open_calls)
        said = engine.edits().line(outcome)
        engine.commit(r.Finished(said, *engine.snapshot(window, window, FINISH)))
        engine.workspace.journal.make_durable()


def answer(engine: Engine, id: str, text: object) -> Summarized:
    """Take a summary that was asked for, and say what became of it."""
    with engine.lock, engine.atomic:
        clean = engine.ingest.clean(text) if isinstance(text, str) else text
        judgement, record = answered(engine.workspace, id, clean)
        if record is not None:
            engine.commit(record)
        return judgement


def close(engine: Engine) -> None:
    """Release the workspace, and in a child process only its own copies of files."""
    try:
        engine.workspace.check_process()
    except Forked:
        engine.workspace.close()
        return
    failed: list[Exception] = []
    try:
        _each(engine, Capability.stopping, failed)
    finally:  # whatever interrupts it: nobody may be left who could close it again
        with engine.guard:
            try:
                with suppress(HeldByHook):  # whose call is told that the context is closed
                    engine.hooks.admit()
                _each(engine, Capability.closing, failed)
                engine.settle_capabilities()
            finally:
                engine.hooks.regain()
                engine.hooks.forget()
                engine.workspace.close()
        for capability in engine.capabilities:
            capability._released()
    if failed:  # the workspace is free, whatever a capability does
        raise failed[0]


def _each(engine: Engine, moment: Callable[[Capability], None], failed: list[Exception]) -> None:
    """Ask every capability, also when one before it fails."""
    for capability in engine.capabilities:
        try:
            name = moment.__name__
            engine.hooks.run(f"{capability.name}.{name}", getattr(capability, name))
        except Exception as error:
            failed.append(error)
