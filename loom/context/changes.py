"""The calls that concern the whole session: the next request, a refusal, another size, a renewal, a
summary, the end. A person's wishes from outside the session wait as files (`do_asked_deeds`)."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from heapq import nsmallest
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loom.compress.media import entries_with_media
from loom.context.budget_checks import check_turn_budget
from loom.context.open_calls import check_all_answered, give_up_open_calls
from loom.context.opening_arguments import checked_token_number
from loom.context.pins import ASKED, pin_entry_or_line, read_asked_deed, unpin_entry_or_line
from loom.context.size_reports import contradicting_size, fitting_reading, scale_for_model
from loom.errors import LoomError, OverCapacity, Reentered
from loom.reduce.summary.judge import Summarized
from loom.session import Engine
from loom.session.archive.snapshot_document import FINISH
from loom.session.archive.summaries import judge_summary_answer
from loom.session.head import check_head_parts, own_tool_names
from loom.session.locking import is_deciding, one_call, run_deciding
from loom.session.meter import model_of
from loom.session.moments import Moments
from loom.session.turn import Turn, on_first_request
from loom.sizes import resized_limits
from loom.text import one_line
from loom_paging import StoreReplaced
from loom_partitions import records as r
from loom_partitions.records import SentAgain
from loom_partitions.window import apply

if TYPE_CHECKING:
    from loom.providers.overflow import Overflow

LEFT = "the session ended before its result came"  # of a call an earlier life left open
LINE = 150  # characters of what failed
AT_ONCE = 64  # files done at a turn; the others wait for the next
OTHERS = f"{ASKED}-others"  # the event that tells of other entries, once in a workspace
TOLD = 3  # events of what failed that stand at a time


def compress_after_error(engine: Engine, error: BaseException) -> None:
    """Compress the window if `error` is a provider's "too long". Raise any other `error` again."""
    from loom.providers.overflow import http_statuses, read_overflow

    said = read_overflow(error)
    if said is None:
        if any(status >= 400 for status in http_statuses(error)):
            engine.requests.refused()
        raise error
    compress_after_refusal(engine, said, error)


def compress_after_refusal(engine: Engine, said: Overflow, error: BaseException) -> None:
    """Compress the window after a provider refused a request as too long. `said` holds the sizes in
    the error text. Raises OverCapacity at the second such refusal in a row."""
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
            engine.react(
                r.Overflowed(0, media=said.media_limits_after(len(entries_with_media(window))))
            )
            return
        size = fitting_reading(window, engine.room.check, said.size, model_of(window), refused=True)
        taken = contradicting_size(window, said.limit)
        try:
            engine.react(r.Overflowed(said.limit, taken), size)
        except OverCapacity:
            if not taken or not said.limit:
                raise
            engine.react(r.Overflowed(0, taken))  # too small to be tried at all


@one_call
def resize_window(engine: Engine, window: int, reply: int | None, model: str | None) -> None:
    """Change the window's size, the tokens kept free for the reply, or the model. None leaves a
    value unchanged."""
    now = engine.window
    size, kept = checked_token_number("window", window), checked_token_number("reply", reply)
    limits = resized_limits(now.limits, size, kept, engine.policy.preset)
    if limits.window > limits.stated:
        limits = replace(limits, stated=0)
    limits = replace(limits, refused=0, doubted=None)
    known = now.config.model if model is None else engine.ingest.clean(model)
    if known != now.config.model:
        limits = replace(limits, media=None)
        scale = scale_for_model(now, known, engine.sizes.count, lambda: engine.requests.texts(now))
        limits = replace(limits, scale=scale)
    if limits != now.limits or known != now.config.model or now.sent.overflowed:
        change = r.Resized(limits, known)
        check_head_parts(engine.policy, own_tool_names(engine), now, apply(now, change))
        engine.resize(change)
        engine.resized = engine.resized is not None
        engine.workspace.acknowledge()  # what follows are calls of their own
        tell_resized(engine)


def look_at_world(engine: Engine, asked_by: object) -> None:
    """Call `before_turn` of every capability. Requests that a capability makes meanwhile are
    refused."""
    with engine.lock, engine.atomic:  # closed, or made in a parent process: nothing looks
        engine.commit(*engine.client_skills.taken())
    tell_resized(engine)
    for capability in engine.capabilities:
        run_deciding(asked_by, capability.before_turn)


def tell_resized(engine: Engine) -> None:
    """Call `resized` of every capability if the window's size has changed. After an exception, the
    next call of this function tells all capabilities again."""
    if engine.resized:
        for capability in engine.capabilities:
            engine.hooks.run(f"{capability.name}.resized", capability.resized)
        engine.resized = False


@one_call
def renew_window(engine: Engine, history: int | None) -> None:
    """Save a snapshot and begin a fresh window with at most `history` tokens of history. None
    allows as many as fit below low water."""
    check_all_answered(engine.window)
    for capability in engine.capabilities:
        engine.hooks.run(f"{capability.name}.before_renewal", capability.before_renewal)
    engine.renew(checked_token_number("history", history))
    engine.workspace.journal.make_durable()


@one_call
def finish_task(engine: Engine, outcome: str) -> None:
    """End the task: save a snapshot, record `outcome` as the task's result, and clear C_working."""
    window = engine.window
    check_all_answered(window)
    said = engine.edits().line(outcome)
    engine.commit(r.Finished(said, *engine.snapshot(window, window, FINISH)))
    engine.workspace.journal.make_durable()


@one_call
def take_summary(engine: Engine, id: str, text: object) -> Summarized:
    """Take in `text` as the answer to the summary request `id`. Return the judgement: accepted, or
    refused with a reason."""
    clean = engine.ingest.clean(text) if isinstance(text, str) else text
    judgement, record = judge_summary_answer(engine.workspace, id, clean)
    if record is not None:
        engine.commit(record)
    return judgement


def close_context(engine: Engine) -> None:
    """Tell every capability of the end, then release the workspace. In a child process, only close
    the open files. A capability's exception is raised last."""
    try:
        engine.workspace.check_process()
    except StoreReplaced:
        engine.workspace.close()
        return
    failed: list[Exception] = []
    try:
        _ask_each_capability(engine, Moments.stopping, failed)
    finally:  # whatever interrupts it: nobody may be left who could close it again
        with engine.guard:
            try:
                with suppress(Reentered):  # whose call is told that the context is closed
                    engine.hooks.admit()
                _ask_each_capability(engine, Moments.closing, failed)
                engine.keep_or_undo_outside_changes()
            finally:
                engine.hooks.regain_lock()
                engine.hooks.forget()
                engine.workspace.close()
        for capability in engine.capabilities:
            capability._released()
    if failed:  # the workspace is free, whatever a capability does
        raise failed[0]


def _ask_each_capability(
    engine: Engine, moment: Callable[[Moments], None], failed: list[Exception]
) -> None:
    """Call a method (`moment`) of every capability. Append exceptions to `failed`."""
    for capability in engine.capabilities:
        try:
            name = moment.__name__
            engine.hooks.run(f"{capability.name}.{name}", getattr(capability, name))
        except Exception as error:
            failed.append(error)


def make_request(engine: Engine, asked_by: object) -> Turn:
    """Return the next request, within the budget. Raises Reentered when a capability calls this
    inside its `before_turn`, and all that `Context.turn` raises."""
    if is_deciding(asked_by):
        raise Reentered()
    do_asked_deeds(engine)
    look_at_world(engine, asked_by)
    with engine.lock, engine.atomic:
        check_turn_budget(engine.workspace, engine.name)
        waiting = engine.window.history.waiting
        if waiting and waiting == engine.left_open:
            give_up_open_calls(engine, LEFT)
        turn = engine.turn()
        engine.workspace.journal.make_durable()
    for capability in engine.capabilities:
        capability.after_turn(turn)
    return on_first_request(turn, partial(_note_sent, engine, turn.number))


def _note_sent(engine: Engine, number: int) -> None:
    """Note that request `number` was sent. If an earlier process sent the same request, commit
    SentAgain. A failed write is ignored."""
    engine.requests.told(number)
    if engine.left_sent == number and engine.guard.acquire(blocking=False):
        try:
            with suppress(LoomError, OSError), engine.lock, engine.atomic:
                engine.left_sent = 0
                if engine.window.sent.turned and engine.window.sent.turn == number:
                    # This process too may end before the reply.
                    engine.commit(SentAgain())
        finally:
            engine.guard.release()


def do_asked_deeds(engine: Engine) -> None:
    """Pin, unpin or compact as the files of `pins.leave_asked_deed` ask: at most `AT_ONCE` files,
    oldest first. A failure becomes an event for the model."""
    folder = engine.folder
    if folder is None:
        return
    try:
        with os.scandir(folder / ASKED) as inside:
            held = [one for one in inside if one.name[0] != "."]
        found = nsmallest(AT_ONCE, (one.path for one in held if _is_asked_file(one)))
    except OSError:
        return
    if (
        not all(map(_is_asked_file, held))
        and ("events", OTHERS) not in engine.workspace.index.items
    ):
        _signal_failed_deed(
            engine, OTHERS, f"{ASKED}/ holds what `loom pin` did not leave: it stays as it is"
        )
    if found and not os.access(folder / ASKED, os.W_OK):  # it would be done at each turn
        _signal_failed_deed(
            engine, f"{ASKED}-locked", f"nothing can be taken out of {ASKED}/: make it writable"
        )
        return
    for path in map(Path, found):
        try:
            asked = read_asked_deed(path)
            if asked.deed == "compact" and engine.window.history.open_calls:
                continue
            _DEEDS[asked.deed](engine, asked.what)
        except (LoomError, ValueError, OSError, RecursionError) as error:  # of no such file, too
            _signal_failed_deed(engine, f"{ASKED}-{path.stem[:40]}", f"{error}")
        with suppress(OSError):
            path.unlink()


def _is_asked_file(found: os.DirEntry[str]) -> bool:
    """Return True for a ".json" file."""
    return found.name.endswith(".json") and not found.is_dir()


def _signal_failed_deed(engine: Engine, id: str, why: str) -> None:
    """Tell the model by an event `why` a deed failed. No more than `TOLD` such events are made."""
    waiting = sum(event.kind == ASKED for event in engine.window.working.events)
    if waiting < TOLD:
        with engine.lock, engine.atomic:
            text = one_line(engine.ingest.clean(f"asked from beside: {why}"), LINE)
            engine.commit(*engine.edits().signal(id, text, ASKED, "high"))


def _compact_if_sent(engine: Engine, what: str) -> None:
    """Begin a fresh window if a request was sent since the last renewal. `what` is unused."""
    # Without a request since then, an earlier file asked for the same compaction.
    sent = engine.window.sent
    if not (sent.renewed and sent.cut_turn == sent.turn):
        renew_window(engine, None)


_DEEDS: dict[str, Callable[[Engine, str], None]] = {
    "pin": pin_entry_or_line, "unpin": unpin_entry_or_line, "compact": _compact_if_sent,
}  # fmt: skip
