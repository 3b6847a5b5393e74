"""What comes in while an agent runs: users, replies, streams, results, usage.

Every method is one commit, or none when it raises.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from operator import index
from threading import RLock
from typing import TypeVar, overload

from msgspec import json
from msgspec.structs import replace

from loom.archive.restore import reply_of
from loom.desk import Desk
from loom.engine import Engine
from loom.errors import AnsweredCall, BadResult, OpenCalls, UnknownCall
from loom.formats import decode
from loom.formats.stream.collected import Collected, closing, collecting
from loom.ingest import room_left
from loom.inputs import Reply, Result, ToolCall
from loom.reduce import meant
from loom.render.dashboard import known
from loom.render.wording import INTERRUPTED
from loom.text import tool_name
from loom.tools.own import answer
from loom.tools.toolbox import passes
from partitions import records as r
from partitions.message import Call, Step
from partitions.window import Window

Chunk = TypeVar("Chunk")


class Arrivals:
    """What a Context offers to take things in."""

    _engine: Engine
    _lock: RLock
    _given: dict[str, str]  # arguments of open calls, as the model gave them
    own: set[str]

    def user(self, text: str) -> None:
        """Add a message of the user."""
        with self._lock:
            window = self._engine.window
            turn = self._engine.ingest.user(text, window.next_id, self._engine.share())
            self._engine.commit(r.Heard(turn))

    def reply(self, reply: object) -> None:
        """Take the model's reply: an SDK object or dict of any known provider, or `loom.Reply`.

        Loom's own calls in it are answered at once. Raises UnknownReply, and OpenCalls while
        results of the reply before are missing.
        """
        with self._lock:
            check_answered(self._engine.window)
            decoded = self._named(decode(reply))
            given = _with_ids(self._engine.ingest.cleaned(decoded))
            window = self._engine.window
            step = self._engine.ingest.reply(given, window.next_id, self._engine.share())
            report = self._engine.metered(given.prompt_tokens, given.model)
            records: list[r.Record] = [report] if report else []
            records.append(r.Replied(step, given.model))
            desk = self._engine.desk().after(records)
            before = desk.window
            for call in given.calls:
                if call.name in self.own and not passes(desk, call):
                    answered = self._answer(desk, step, call)
                    step = _closed(step, answered[0])
                    records += answered
                    desk = desk.after(answered)
            if desk.window.working != before.working:
                mark = known(before.mark, before.working, desk.window.working)
                records.append(r.Marked(mark))
            self._engine.commit(*records)
            raw = [call.arguments for call in decoded.calls]
            self._given = dict(zip((call.id for call in given.calls), raw, strict=True))

    @overload
    def collect(self, stream: AsyncIterable[Chunk]) -> AsyncIterator[Chunk]: ...
    @overload
    def collect(self, stream: Iterable[Chunk]) -> Iterator[Chunk]: ...

    def collect(
        self, stream: Iterable[Chunk] | AsyncIterable[Chunk]
    ) -> Iterator[Chunk] | AsyncIterator[Chunk]:
        """Pass a provider's stream on, chunk by chunk, and take the reply when it has ended.

        A stream that is left early, or raises, leaves no record: ask again with the same turn.
        Raises BrokenStream when the stream ends before the reply does, StreamFailed when the
        provider reports a failure in it, and what `reply` raises.
        """
        if isinstance(stream, AsyncIterable):
            return self._awaited(stream)
        return self._passed(stream)

    def _passed(self, stream: Iterable[Chunk]) -> Iterator[Chunk]:
        check_answered(self._engine.window)
        collected = Collected()
        with closing(stream):
            for chunk in stream:
                collected.take(chunk)
                yield chunk
        self.reply(collected.reply())

    async def _awaited(self, stream: AsyncIterable[Chunk]) -> AsyncIterator[Chunk]:
        check_answered(self._engine.window)
        async with collecting(stream) as collected:
            async for chunk in stream:
                collected.take(chunk)
                yield chunk
        self.reply(collected.reply())

    def metered(self, prompt_tokens: int, model: str = "") -> None:
        """Tell the size of the last request as the provider counted it, cached tokens included.

        Only needed where `reply` is not given the provider's own object.
        """
        with self._lock:
            report = self._engine.metered(index(prompt_tokens), model)
            if report:
                self._engine.commit(report)

    def result(self, call: Call | ToolCall | str, value: object, *, error: bool = False) -> None:
        """Give the result of an open call: a text, bytes, or anything JSON can hold.

        The result of a call that was given up is appended where the session stands now. Raises
        UnknownCall and AnsweredCall; what is stored stays as it is.
        """
        with self._lock:
            id = self._engine.ingest.clean(call if isinstance(call, str) else call.id)
            window = self._engine.window
            step = window.waiting_step
            if step is not None and id in step.open:
                text, data = as_text(value, id)
                given = Result(id, text, error, data=data)
                room = room_left(step, self._engine.share())
                self._engine.commit(self._engine.ingest.result(step, given, room))
            elif id in window.interrupted:
                text, data = as_text(value, id)
                late = Result(id, text, error, data=data)
                turn = self._engine.ingest.late(late, window.next_id, self._engine.share())
                self._engine.commit(r.Belated(id, turn))
            else:
                self._refuse(id)

    def abandon(self, why: str = "interrupted") -> None:
        """Give up waiting: every open call gets an error result that is marked as Loom's own.

        A real result that comes later is appended. A no-op without open calls.
        """
        with self._lock:
            step = self._engine.window.waiting_step
            records: list[r.Record] = []
            while step is not None and step.open:
                room = room_left(step, self._engine.share())
                said = Result(step.open[0], INTERRUPTED.format(why=why), error=True)
                stand_in = self._engine.ingest.result(step, said, room)
                outcome = replace(stand_in.outcome, stand_in=True)
                returned = replace(stand_in, outcome=outcome)
                records.append(returned)
                step = _closed(step, returned)
            if records:
                self._engine.commit(*records)

    @property
    def calls(self) -> tuple[Call, ...]:
        """The host's calls that wait for a result, with their arguments exactly as they came.

        One made by `call_tool` is shown as the call it stands for.
        After a reopen they come from the journal, where secrets are redacted.
        """
        with self._lock:
            step = self._engine.window.waiting_step
            if step is None:
                return ()
            given = reply_of(self._engine.workspace, step) if step.page else None
            whole = {call.id: call.arguments for call in given.calls} if given else {}
            return tuple(
                self._meant(call, self._given.get(call.id, whole.get(call.id, call.arguments)))
                for call in step.calls
                if call.id in step.open
            )

    def _meant(self, call: Call, arguments: str) -> Call:
        """A call as the host is to run it: the one within, when it came through the gateway."""
        name = call.name
        if name in self.own:
            name, arguments = meant(name, arguments)
            box = self._engine.at_hand.toolbox
            name = box.get(name).descriptor.name if box is not None and name in box else name
        return replace(call, name=name, arguments=arguments)

    def _named(self, reply: Reply) -> Reply:
        """The reply with tools under the names they were declared with."""
        keys = (held.key for held in self._engine.window.tools.current)
        names = {tool_name(key): key for key in keys if tool_name(key) != key}
        parts = (
            replace(part, name=names.get(part.name, part.name))
            if names and isinstance(part, ToolCall)
            else part
            for part in reply.parts
        )
        return replace(reply, parts=tuple(parts))

    def _answer(
        self, desk: Desk, step: Step, call: ToolCall
    ) -> tuple[r.Returned, *tuple[r.Record, ...]]:
        """The records of one of Loom's own calls: its result, and what it wrote."""
        room = room_left(step, self._engine.share())
        made = answer(desk, call, room * 3)
        result = Result(call.id, made.text, made.error)
        returned = self._engine.ingest.answer(step, result, made.reduction, room)
        tokens = returned.outcome.text.tokens
        written = (
            replace(record, tokens=tokens) if isinstance(record, r.Faulted) else record
            for record in made.records
        )
        return (returned, *written)

    def _refuse(self, id: str) -> None:
        if id in self._engine.workspace.index.calls:
            raise AnsweredCall(id)
        raise UnknownCall(id, self._engine.window.open_calls)


def check_answered(window: Window) -> None:
    """Raise OpenCalls while results of the last reply are missing."""
    if window.open_calls:
        raise OpenCalls(window.open_calls)


def as_text(value: object, call: str) -> tuple[str, bytes | None]:
    """A result as text, and its bytes when they are no text. Anything but text becomes JSON.

    Raises BadResult for what JSON cannot hold.
    """
    if isinstance(value, str):
        return value, None
    if isinstance(value, bytes | bytearray | memoryview):
        data = bytes(value)
        try:
            return data.decode(), None
        except UnicodeDecodeError:
            return data.decode("utf-8", "surrogateescape"), data
    try:
        return json.encode(value, enc_hook=str).decode(), None
    except (TypeError, ValueError, RecursionError, OverflowError) as error:
        raise BadResult(call, error) from error


def _with_ids(reply: Reply) -> Reply:
    """The reply with every call under an id of its own."""
    seen: set[str] = set()
    parts = []
    for number, part in enumerate(reply.parts):
        if isinstance(part, ToolCall):
            id = part.id or f"call_{number}"
            while id in seen:
                id = f"{id}_{number}"
            seen.add(id)
            part = replace(part, id=id)
        parts.append(part)
    return replace(reply, parts=tuple(parts))


def _closed(step: Step, returned: r.Returned) -> Step:
    outcome = returned.outcome
    left = tuple(id for id in step.open if id != outcome.call_id)
    return replace(step, outcomes=(*step.outcomes, outcome), open=left, facts=returned.facts)
