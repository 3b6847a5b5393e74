"""What comes in while an agent runs: users, replies, streams, results, usage.

Every method is one commit, or none when it raises.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from operator import index
from threading import RLock
from typing import TypeVar, overload

from msgspec.structs import replace

from loom.capabilities.agents.budget import check_step
from loom.context.results import beside, check_answered, closed
from loom.engine import Engine
from loom.engine.atomic import Atomic
from loom.engine.attach import Piece, pieces
from loom.engine.ingest import room_left
from loom.engine.tools.own import answer
from loom.engine.tools.toolbox import passes
from loom.engine.working import Desk
from loom.errors import BadResult
from loom.inputs import Reply, Result, ToolCall
from loom.providers.formats import decode
from loom.providers.formats.stream.collected import Collected, closing, collecting
from loom.providers.render.dashboard import known
from loom.text import tool_name
from loom_partitions import records as r
from loom_partitions.message import Step

Chunk = TypeVar("Chunk")


class Arrivals:
    """What a Context offers to take things in."""

    _engine: Engine
    _lock: RLock
    _atomic: Atomic
    _given: dict[str, str]  # arguments of open calls, as the model gave them
    own: set[str]

    def user(self, content: object) -> None:
        """Add a message of the user: a text, or texts, images and documents in their order.

        These are bytes, paths of files, or parts of a request as any provider has them. Each stands
        as an entry of its own, with a line that names its page; together they take no more than one
        text may, the rest enter as their lines alone. Raises BadResult for what JSON cannot hold.
        """
        with self._lock, self._atomic:
            engine, records = self._engine, []
            room = engine.share()
            for id, piece in enumerate(self._pieces(content), engine.window.history.next_id):
                if isinstance(piece, str):
                    turn = engine.ingest.user(piece, id, engine.share())
                else:
                    turn = engine.attach().entry(piece, id, room)
                    room -= turn.text.tokens
                records.append(r.Heard(turn))
            engine.commit(*records)

    def _pieces(self, content: object) -> tuple[Piece, ...]:
        try:
            return pieces(content) or ("",)
        except (TypeError, ValueError, RecursionError, OverflowError) as error:
            raise BadResult("user", error) from error

    def reply(self, reply: object) -> None:
        """Take the model's reply: an SDK object or dict of any known provider, or `loom.Reply`.

        Loom's own calls in it are answered at once. Raises UnknownReply, and OpenCalls while
        results of the reply before are missing.
        """
        with self._lock, self._atomic:
            check_answered(self._engine.window)
            check_step(self._engine.window.config.budget, self._engine.workspace.index.steps)
            decoded = self._named(decode(reply))
            given = _with_ids(self._engine.ingest.cleaned(decoded))
            window = self._engine.window
            step = self._engine.ingest.reply(given, window.history.next_id, self._engine.share())
            report = self._engine.metered(given.prompt_tokens, given.model)
            records: list[r.Record] = [report] if report else []
            records.append(r.Replied(step, given.model))
            desk = self._engine.desk().after(records)
            before = desk.window
            for call in given.calls:
                if call.name in self.own and not passes(desk, call):
                    answered = self._answer(desk, step, call)
                    step = closed(step, answered[0])
                    records += answered
                    desk = desk.after(answered)
            if desk.window.working != before.working:
                mark = known(before.sent.mark, before.working, desk.window.working)
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
        self._engine.workspace.check_process()
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
        with self._lock, self._atomic:
            report = self._engine.metered(index(prompt_tokens), self._engine.ingest.clean(model))
            if report:
                self._engine.commit(report)

    def _named(self, reply: Reply) -> Reply:
        """The reply with tools under the names they were declared with."""
        keys = (held.key for held in self._engine.window.skill.tools.current)
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
        room = room_left(step, self._engine.share(), beside(desk.window))
        made = answer(desk, call, room * 3)
        result = Result(call.id, made.text, made.error)
        returned = self._engine.ingest.answer(step, result, made.reduction, room)
        tokens = returned.outcome.text.tokens
        written = (
            replace(record, tokens=tokens) if isinstance(record, r.Faulted) else record
            for record in made.records
        )
        return (returned, *written)


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
