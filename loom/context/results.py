"""The results a host gives for its calls, late ones too, and how values become texts.

A public method here commits once, or, when it raises, nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple
from warnings import warn

from msgspec import json
from msgspec.structs import replace

from loom.context.open_calls import answer_unkept_calls, unkept_call_ids
from loom.errors import LoomError, NoRunner, answered_call, bad_result, undone_call, unknown_call
from loom.inputs import Result, ToolCall
from loom.lazy import lazy_re
from loom.reduce.arguments import call_behind_gateway
from loom.reduce.preview import Shortening
from loom.session import Engine
from loom.session.archive.page_reader import readable_text
from loom.session.archive.restore import entry_as_arrived, whole_reply
from loom.session.head import own_tool_names
from loom.session.locking import one_call
from loom.session.moments import Executed
from loom.session.tools.answer import host_call
from loom.session.window_room import LEAST_RESULT, next_result_room, waiting_media_tokens
from loom.text import clip_text, encodable, one_line
from loom_partitions import records as r
from loom_partitions.message import Call, Step, UserTurn, name_of

if TYPE_CHECKING:
    from loom.session.attachments import Piece

OBJECTIVE = 1_000  # characters of what results are reduced for
NAMED = 80  # characters that name the page below a summary
WHY = 2_000  # characters of what a tool raised
# What a value raises that JSON cannot hold, or not this deep; bytes with gaps, that are no text.
_AT = lazy_re(r"^<.{1,300} at 0x[0-9a-fA-F]+>$")
UNWRITABLE = (TypeError, ValueError, RecursionError, OverflowError, BufferError)


class GivenReply(NamedTuple):
    """The model's last reply with its secrets, which the journal does not hold. `arguments` maps a
    call's id to its arguments; `said` holds the reply's texts."""

    arguments: dict[str, str]
    said: tuple[str, ...]


class HostCalls:
    """The calls of the last reply that the host has to run. `reply` is this reply with its secrets.
    `executed` is the function that runs a call through a capability."""

    def __init__(self, engine: Engine, executed: Callable[[Call], Executed]) -> None:
        self._engine = engine
        self._executed = executed
        self.reply = GivenReply({}, ())
        self._unkept = unkept_call_ids(engine)

    @one_call
    def waiting(self) -> tuple[Call, ...]:
        """Return the calls that wait for a result, with their arguments as the model wrote them.
        After a reopen, a call whose arguments held a secret is left out."""
        engine = self._engine
        step = engine.window.history.waiting_step
        if step is None:
            return ()
        stored = whole_reply(engine.workspace, step) if step.page else None
        whole = {call.id: call.arguments for call in stored.calls} if stored else {}
        tools, mine = engine.tools, own_tool_names(engine)
        found, given = [], self.reply.arguments
        for call in step.calls:
            if call.id in step.open and (call.id in given or call.id not in self._unkept):
                arguments = given.get(call.id, whole.get(call.id, call.arguments))
                call = replace(call, arguments=arguments, redacted=False)
                within = host_call(call, tools) if call.name in mine else None
                if within is not None:
                    call = replace(call, name=within.name, arguments=within.arguments)
                found.append(call)
        return tuple(found)

    def result(
        self, call: Call | ToolCall | str, value: object, error: bool, format: str = ""
    ) -> None:
        """Take in the result of a call that is open or was given up. `format` is the provider
        format of the host's list that holds the result, "" if no list holds it."""
        from loom.session.attachments import result_pieces

        engine, id = self._engine, self._journal_id(call)
        try:
            found = () if isinstance(value, str) else result_pieces(value, format)
        except UNWRITABLE as bad:
            raise bad_result(id, bad) from bad
        shortening = self._shortening(id, value, bool(found))
        with engine.lock, engine.atomic:
            window = engine.window
            step = window.history.waiting_step
            if step is not None and id in step.open:
                room = next_result_room(
                    step, engine.room.results(window, step), waiting_media_tokens(window)
                )
                next_id = window.history.next_id
                given, sent = _text_and_attachments(engine, id, value, found, error, room, next_id)
                room = max(room - sum(told.text.tokens for told in sent), LEAST_RESULT)
                whole = self._whole_arguments(step, id)
                returned = engine.ingest.result(step, given, room, shortening, whole)
                engine.commit(_with_named_attachment(returned, sent), *map(r.Brought, sent))
            elif id in window.history.interrupted:
                room, next_id = engine.room.results(window), window.history.next_id
                given, sent = _text_and_attachments(
                    engine, id, value, found, error, room, next_id + 1
                )
                made = entry_as_arrived(engine.workspace, engine.workspace.index.calls[id])
                assert isinstance(made, Step)
                asked = whole_reply(engine.workspace, made).calls
                call = next(one for one in asked if one.id == id)
                mark = window.config.mark
                turn = engine.ingest.late(given, call, name_of(made), next_id, room, mark)
                engine.commit(r.Heard(turn, call=id), *map(r.Brought, sent))
            elif engine.workspace.index.is_undone(engine.workspace.index.calls.get(id, 0)):
                raise undone_call(id)
            elif id in engine.workspace.index.calls:
                raise answered_call(id)
            else:
                raise unknown_call(id, window.history.open_calls)

    def _journal_id(self, call: Call | ToolCall | str) -> str:
        """Return the id that a call, or the id of a call, has in the journal."""
        id = call if isinstance(call, str) else call.id
        known = id in self._engine.window.history.open_calls
        return id if known else self._engine.ingest.clean(id)

    def _whole_arguments(self, step: Step, id: str) -> str:
        """Return the arguments of call `id` in full if its step in the window has them shortened,
        else ""."""
        if not step.page:
            return ""
        if id in self.reply.arguments:
            return self._engine.ingest.arguments(self.reply.arguments[id])
        calls = whole_reply(self._engine.workspace, step).calls
        return next((call.arguments for call in calls if call.id == id), "")

    def _shortening(self, id: str, value: object, attached: bool) -> Shortening:
        """Return how the result of call `id` is to be shortened if it is long. A capability may ask
        a model for this, which takes long: hold no lock. Results with images or documents
        (`attached`) are not given to capabilities."""
        engine = self._engine
        above = engine.compact_above
        plain = Shortening(above, lambda: _reduction_objective(engine))
        if not engine.summarizes or attached:
            return plain
        step = engine.window.history.waiting_step
        call = next((one for one in step.calls if one.id == id), None) if step else None
        if call is None:
            return plain
        with engine.lock, engine.atomic:
            text = engine.ingest.clean(result_as_text(value, id)[0])
            engine.redactor.take()  # it is counted when it is taken in
            objective = _reduction_objective(engine)
        if len(text) <= above:
            return plain
        tool, _ = call_behind_gateway(call.name, call.arguments)
        limit = max(above - NAMED, 1)
        for one in engine.capabilities:
            try:
                made = one.shortened(text, tool=tool, objective=objective, limit=limit)
            except Exception as error:
                warn(f"{one.name} could not shorten a result: {error!r}", stacklevel=2)
                continue
            if made:
                return Shortening(above, plain.objective, encodable(str(made)))
        return plain

    @one_call
    def resumed(self) -> None:
        """Answer open calls whose arguments held secrets with an error: the journal lacks the
        secrets. Called when a workspace is opened again."""
        answer_unkept_calls(self._engine, self._unkept)

    def run(self, call: Call | ToolCall | str) -> object:
        """Run an open call through a capability, take in its result, and return the tool's value.
        No lock is held while the tool runs."""
        id = self._journal_id(call)
        waiting = {one.id: one for one in self.waiting()}
        if id not in waiting:
            raise unknown_call(id, self._engine.window.history.open_calls)
        found, redact = waiting[id], self._engine.redactor
        try:
            done = self._executed(found)
        except NoRunner:
            raise
        except LoomError as error:  # it may repeat what was called, cut
            done = Executed(error, redact.message(str(error), found.arguments), error=True)
        except Exception as error:  # a tool may raise anything, and the model must be told
            said = redact.message(f"{type(error).__name__}: {error}", found.arguments)
            why = one_line(encodable(said), WHY)  # cut, a secret may no longer be known
            done = Executed(error, f"{found.name} failed: {why}", error=True)
        self.result(found, done.told, done.error)
        return done.value


def _reduction_objective(engine: Engine) -> str:
    """Return what a long result is needed for: the goal and the user's last message, each cut to
    `OBJECTIVE` characters."""
    from loom.providers.media import is_payload_page

    window = engine.window
    goal = window.working.goal
    said = (
        item.text.body or ""
        for item in window.history.stream.entries_back
        if isinstance(item, UserTurn) and not item.source and not is_payload_page(item.text.page)
    )
    parts = (readable_text(engine.workspace, goal) if goal is not None else "", next(said, ""))
    return "\n".join(clip_text(part, OBJECTIVE) for part in parts if part)


def _text_and_attachments(
    engine: Engine,
    id: str,
    value: object,
    found: tuple[Piece, ...],
    error: bool,
    room: int,
    next_id: int,
) -> tuple[Result, list[UserTurn]]:
    """Return (a result as text, the entries of its images and documents). Attachments that do not
    fit get only a line in the text. `found` are the parts of `value`, () for a plain value. `room`
    is in tokens. `next_id` is the id of the first entry."""
    from loom.session.attachments import OwnPart, own_result_json

    if not found:
        text, data = result_as_text(value, id)
        return Result(id, text, error, data=data), []
    attach = engine.attach()
    room = max(room, attach.room(engine.window))
    sent: list[UserTurn] = []
    texts = []
    for piece in found:
        if isinstance(piece, str | OwnPart):
            texts.append(piece if isinstance(piece, str) else piece.text)
            continue
        turn = attach.entry(piece, next_id + len(sent), room, own=True)
        texts.append(turn.text.body or "")
        if turn.text.media is not None:
            room -= turn.text.tokens
            sent.append(turn)
    return Result(id, "\n".join(texts), error, own=own_result_json(found, texts)), sent


def _with_named_attachment(returned: r.Returned, sent: Sequence[UserTurn]) -> r.Returned:
    """Return the record of a result with the page of its first image or document noted in it."""
    outcome = returned.outcome
    if not sent or outcome.reduction.outcome_ref:
        return returned
    reduction = replace(outcome.reduction, outcome_ref=sent[0].text.page)
    return replace(returned, outcome=replace(outcome, reduction=reduction))


def result_as_text(value: object, call: str) -> tuple[str, bytes | None]:
    """Return (the result as text, None), or (text, the bytes) for bytes that are no UTF-8 text or
    hold a NUL. Any other value becomes JSON. `call` is the call's id for errors. Raises BadInput
    for a value JSON cannot hold."""
    if isinstance(value, str):
        return value, None
    if isinstance(value, bytes | bytearray | memoryview):
        data = bytes(value)
        try:
            # With a NUL in them they may be UTF-16, which is looked into as such.
            return data.decode(), data if b"\0" in data else None
        except UnicodeDecodeError:
            return data.decode("utf-8", "surrogateescape"), data
    try:
        return json.encode(value, enc_hook=_text_for_json).decode(), None
    except UNWRITABLE as error:
        raise bad_result(call, error) from error


def _text_for_json(value: object) -> str:
    """Return `str(value)` for a value that JSON has no form for, such as a path. Raises TypeError
    if this text is only a type and an address in memory."""
    said = str(value)
    if type(value).__str__ is object.__str__ and _AT.search(said):
        raise TypeError(f"JSON holds nothing of type {type(value).__name__}")
    return said
