"""Context: the live object a host drives. One workspace, one window, one turn after another."""

from __future__ import annotations

from threading import RLock
from types import TracebackType
from typing import Self

from msgspec import json
from msgspec.structs import replace

from loom.archive.lookup import fault
from loom.archive.recall import recall
from loom.archive.restore import Restored, entry_of, reply_of, restore
from loom.config import resized
from loom.engine import Engine
from loom.errors import AnsweredCall, BadResult, OpenCalls, OverCapacity, UnknownCall
from loom.formats import decode
from loom.ingest import room_left
from loom.inputs import Reply, Result, ToolCall
from loom.overflow import overflow
from loom.pressure import Pressure
from loom.shelves import Shelves
from loom.surfaces import Surfaces
from loom.text import printable
from loom.tools.own import answer
from loom.turn import Turn
from paging import Slice
from partitions import records as r
from partitions.message import Call, Step
from partitions.window import Window

RECALL_CHARS = 4_000


class Context(Shelves, Surfaces):
    """A window that does not end. Make one with `loom.open`; methods are thread-safe."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._lock = RLock()
        self._given: dict[str, str] = {}  # arguments of open calls, as the model gave them

    # What came in

    def user(self, text: str) -> None:
        """Add a message of the user."""
        with self._lock:
            turn = self._engine.ingest.user(text, self.window.next_id, self._engine.share())
            self._engine.commit(r.Heard(turn))

    def reply(self, reply: object) -> None:
        """Take the model's reply: an SDK object or dict of any known provider, or `loom.Reply`.

        Loom's own calls in it are answered at once. Raises UnknownReply, and OpenCalls while
        results of the reply before are missing.
        """
        with self._lock:
            if self.window.open_calls:
                raise OpenCalls(self.window.open_calls)
            decoded = decode(reply)
            given = _with_ids(self._engine.ingest.cleaned(decoded))
            step = self._engine.ingest.reply(given, self.window.next_id, self._engine.share())
            records: list[r.Record] = [r.Replied(step, given.model)]
            if given.prompt_tokens:
                records.insert(0, r.Metered(given.prompt_tokens, given.model))
            for call in given.calls:
                if call.name in self.own:
                    answered, *faulted = self._answer(step, call)
                    step = _closed(step, answered)
                    records += [answered, *faulted]
            self._engine.commit(*records)
            raw = [call.arguments for call in decoded.calls]
            self._given = dict(zip((call.id for call in given.calls), raw, strict=True))

    def result(self, call: Call | ToolCall | str, value: object, *, error: bool = False) -> None:
        """Give the result of an open call: a text, bytes, or anything JSON can hold.

        Raises UnknownCall and AnsweredCall; what is stored stays as it is.
        """
        with self._lock:
            id = printable(call if isinstance(call, str) else call.id)
            step = self.window.waiting_step
            if step is None or id not in step.open:
                self._refuse(id)
            assert step is not None
            room = room_left(step, self._engine.share())
            text, data = as_text(value, id)
            given = Result(id, text, error, data=data)
            self._engine.commit(self._engine.ingest.result(step, given, room))

    def overflowed(self, error: BaseException) -> None:
        """Learn from a provider's "too long": compress at reactive level, once per request.

        The next `turn()` is smaller. A second refusal raises OverCapacity; an error of any other
        kind is raised again.
        """
        limit = overflow(error)
        if limit is None:
            raise error
        with self._lock:
            window = self.window
            if window.overflowed:
                raise OverCapacity(
                    "history",
                    window.tokens.total,
                    window.limits.capacity,
                    "the provider refused the compressed request too: resize to its real window",
                ) from error
            self._engine.react(r.Overflowed(limit))

    def resize(self, window: int, reply: int | None = None, model: str | None = None) -> None:
        """Move to a smaller or larger window; the next turn fits it. Raises OverCapacity."""
        with self._lock:
            limits = resized(self.window.limits, window, reply)
            known = self.window.model if model is None else model
            self._checked(r.Resized(limits, known))

    def finish(self, outcome: str) -> None:
        """End the task: C_working is cleared, its snapshot kept. Raises OpenCalls."""
        with self._lock:
            if self.window.open_calls:
                raise OpenCalls(self.window.open_calls)
            working = json.format(json.encode(self.window.working), indent=1)
            name = self._engine.workspace.snapshot(self.window.generation, working)
            self._engine.commit(r.Finished(self._line(outcome), name))

    # What goes out

    def turn(self) -> Turn:
        """The next request, within budget; the same one again until something comes in.

        Raises OpenCalls, OverCapacity, Vetoed.
        """
        with self._lock:
            return self._engine.turn()

    @property
    def calls(self) -> tuple[Call, ...]:
        """The host's calls that wait for a result, with their arguments exactly as they came.

        After a reopen they come from the journal, where secrets are redacted.
        """
        with self._lock:
            step = self.window.waiting_step
            if step is None:
                return ()
            given = reply_of(self._engine.workspace, step) if step.page else None
            whole = {call.id: call.arguments for call in given.calls} if given else {}
            return tuple(
                replace(
                    call, arguments=self._given.get(call.id, whole.get(call.id, call.arguments))
                )
                for call in step.calls
                if call.id in step.open
            )

    @property
    def done(self) -> bool:
        """Whether the model has answered without calls, or the task was finished."""
        last = next(self._engine.window.stream.entries_back, None)
        answered = isinstance(last, Step) and not last.calls
        return self.window.finished or answered

    @property
    def window(self) -> Window:
        """The window as it stands, a value."""
        return self._engine.window

    @property
    def pressure(self) -> Pressure:
        """How full the request is."""
        return self._engine.pressure()

    # What comes back

    def page_in(self, ref: str, **ways: str) -> Slice:
        """A page or an entry, whole or by `lines`, `grep` or `pointer`. For the host; see `turn`.

        Raises MissingPage, CorruptPage, BadLookup, UnknownEntry.
        """
        with self._lock:
            return fault(self._engine.workspace, ref, **ways)[0]

    def recall(self, query: str, chars: int = RECALL_CHARS) -> str:
        """Names of pages and entries that hold the words of a query, with the matching lines."""
        with self._lock:
            return recall(self._engine.workspace, query, chars)[0]

    def restore(self, entry: int | str) -> Restored:
        """An entry of the history, every byte of it. Raises UnknownEntry."""
        with self._lock:
            id = entry if isinstance(entry, int) else entry_of(entry)
            return restore(self._engine.workspace, -1 if id is None else id)

    def close(self) -> None:
        """Release the workspace; everything acknowledged is on disk already."""
        with self._lock:
            self._engine.workspace.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # How

    def _answer(self, step: Step, call: ToolCall) -> tuple[r.Returned, *tuple[r.Faulted, ...]]:
        room = room_left(step, self._engine.share())
        made = answer(self._engine.workspace, call, room * 3)
        result = Result(call.id, made.text, made.error)
        returned = self._engine.ingest.answer(step, result, made.reduction, room)
        if not made.faulted:
            return (returned,)
        return (returned, r.Faulted(made.faulted, call.arguments, returned.outcome.text.tokens))

    def _refuse(self, id: str) -> None:
        for item in self.window.stream.entries_back:
            if isinstance(item, Step) and any(call.id == id for call in item.calls):
                raise AnsweredCall(id)
        raise UnknownCall(id, self.window.open_calls)


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
