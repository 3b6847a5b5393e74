"""The loop a host drives. One workspace, one window, one turn after another."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Self, TypeVar, overload

from loom.context.history import Archive, recall_passages
from loom.context.open_calls import give_up_open_calls
from loom.context.results import HostCalls
from loom.context.tools import DeclaredTools
from loom.context.working import WorkingSurfaces
from loom.lazy import lazy_modules
from loom.session import Engine
from loom.session.head import put_text
from loom.session.locking import one_call
from loom.session.moments import Executed
from loom.session.turn import Turn, with_cache_lifetime
from loom.typed import check_arguments
from loom_paging import Slice
from loom_partitions.message import Call, Step
from loom_partitions.window import Window

if TYPE_CHECKING:
    from loom.context import changes, inputs, pins
    from loom.context.synced.sync import HostListSync
    from loom.inputs import ToolCall
    from loom.reduce.summary.judge import Summarized
    from loom.session.pressure import Pressure
else:
    lazy_modules("loom.context", "changes inputs pins", globals())

StreamChunk = TypeVar("StreamChunk")
RECALL_CHARS = 4_000


@check_arguments
class Loop:
    """A context without the namespaces of capabilities, which stand above it (`loom.Context`)."""

    def __init__(self, engine: Engine, executed: Callable[[Call], Executed]) -> None:
        self._engine = engine
        self._calls = HostCalls(engine, executed)
        self.working = WorkingSurfaces(engine)
        self.tools = DeclaredTools(engine)
        self.history = Archive(engine)

    def __repr__(self) -> str:
        return f"<loom.Context turn {self.window.sent.turn}: {self.pressure}>"

    @cached_property
    def _list(self) -> HostListSync:
        """The host's own list of messages, where it keeps one."""
        from loom.context.synced.sync import HostListSync

        return HostListSync(self._engine, self._calls)

    # What comes in

    def system(self, text: str, key: str = "instructions") -> None:
        """Give instructions, or an example under another key. A no-op when unchanged.

        Raises OverCapacity when they leave no room for a history, or are over their part of
        the eager layout, examples being what a key says that begins so; then nothing is stored.
        """
        put_text(self._engine, "system", key, text)

    def user(self, content: object, kind: str = "", *, key: str = "") -> str:
        """Add a message of the user: a text, or texts, images and documents in their order.

        Returns the name of its first entry, as `pin` takes it. With a `key` that a message which
        was not undone has, a no-op, whatever the content: after a crash it can be given again.

        Images and documents are bytes, paths of files, or parts of a request as any provider has
        them. Each stands as an entry of its own, with a line that names its page; together they
        take no more than one text may, the rest enter as their lines alone. Raises BadInput for
        what JSON cannot hold, and for None. `kind` says whose words they are when the user
        did not type them: "observation" a tool's result that the host gives as a message: it stands
        quoted; "summary" one of what went before; "instructions" the host's own. Raises LoomError
        for any other.
        """
        return inputs.take_user_message(self._engine, content, kind, key)

    @one_call
    def reply(self, reply: object) -> None:
        """Take the model's reply: an SDK object or dict of any known provider, or `loom.Reply`.

        Loom's own calls in it are answered at once. Raises BadInput, OpenCalls, BudgetSpent.
        """
        engine = self._engine
        records, given = inputs.reply_records(engine, reply)
        engine.commit(*records)
        self._calls.reply = given

    @overload
    def collect(
        self, stream: AsyncIterable[StreamChunk], *, reasoning: bool = ...
    ) -> AsyncIterator[StreamChunk]: ...
    @overload
    def collect(
        self, stream: Iterable[StreamChunk], *, reasoning: bool = ...
    ) -> Iterator[StreamChunk]: ...

    def collect(
        self, stream: Iterable[StreamChunk] | AsyncIterable[StreamChunk], *, reasoning: bool = False
    ) -> Iterator[StreamChunk] | AsyncIterator[StreamChunk]:
        """Pass a provider's stream on, chunk by chunk, and take the reply when it has ended.

        What is reasoned between tags is passed on only with `reasoning`. A stream that is left
        early, or raises, leaves no record: ask again with the same turn. Raises BrokenStream when
        the stream ends before the reply does or the provider reports a failure in it, and what
        `reply` raises.
        """
        return inputs.passed_stream_chunks(self._engine, stream, self.reply, reasoning)

    @one_call
    def metered(self, prompt_tokens: int, model: str = "") -> None:
        """Tell the size of the last request as the provider counted it, cached tokens included.

        Only needed where `reply` is not given the provider's own object.
        """
        engine = self._engine
        engine.commit(*inputs.usage_records(engine, prompt_tokens, model))

    @property
    def calls(self) -> tuple[Call, ...]:
        """The host's calls that wait for a result, with their arguments exactly as they came.

        One made by `call_tool` is shown as the call it stands for.
        After a reopen one that held a secret is not among them: the journal holds none, so it is
        answered with a marked error that tells the model to make it again.
        """
        return self._calls.waiting()

    def result(self, call: Call | ToolCall | str, value: object, *, error: bool = False) -> None:
        """Give the result of an open call: a text, bytes, or anything JSON can hold.

        The result of a call that was given up is appended where the session stands now. Raises
        BadInput; what is stored stays as it is.
        """
        self._calls.result(call, value, bool(error))

    def run(self, call: Call | ToolCall | str) -> object:
        """Run an open call by the toolbox, take its result, and return what the tool gave.

        What the tool refuses or raises is the call's result, as an error the model can act on; what
        is returned then is the exception. Raises NoRunner for a tool that is the
        host's to run, or that the model was not told of; BadInput when no such call waits, for what
        JSON cannot hold, and when another gave a result while the tool ran: what this one gave is
        dropped.
        """
        return self._calls.run(call)

    @one_call
    def abandon(self, why: str = "interrupted") -> None:
        """Give up waiting: every open call gets an error result that is marked as Loom's own.

        A real result that comes later is appended. A no-op without open calls.
        """
        give_up_open_calls(self._engine, why)

    def answer(self, id: str, text: object) -> Summarized:
        """Give a summary that was asked for (`Turn.asks`); it stands from the next cut on.

        One that names what the texts do not is refused, and what is returned says why: the extract
        stands. Raises LoomError when nothing asks under that id.
        """
        return changes.take_summary(self._engine, id, text)

    def overflowed(self, error: BaseException) -> None:
        """Learn from a provider's "too long": compress at reactive level, once per request.

        The next `turn()` is smaller. A second refusal raises OverCapacity; an error of any other
        kind is raised again.
        """
        changes.compress_after_error(self._engine, error)

    def resize(self, window: int, reply: int | None = None, model: str | None = None) -> None:
        """Move to a smaller or larger window, or to another model, before anything is sent.

        What no longer fits is compressed at once; while calls are open, by the next turn. Raises
        OverCapacity, and then everything is as it was.
        """
        changes.resize_window(self._engine, window, reply, model)

    def renew(self, history: int | None = None) -> None:
        """Snapshot C_working and start a fresh window now, with at most `history` tokens of it.

        Without one, down to low water. Raises OpenCalls, OverCapacity, BadInput, with nothing done.
        """
        changes.renew_window(self._engine, history)

    def finish(self, outcome: str) -> None:
        """End the task: C_working is cleared, its snapshot kept. Raises OpenCalls."""
        changes.finish_task(self._engine, outcome)

    # What goes out

    def look(self) -> None:
        """Look at the world now, as each turn does: events, the project's files, other agents.

        Raises StoreReplaced in a child process and Closed, before anything looks or waits.
        """
        changes.look_at_world(self._engine, self)

    def turn(self) -> Turn:
        """The next request, within budget; the same one again until something comes in.

        Calls that a session left open when it ended, and nobody has answered since, are given up.
        Raises OpenCalls, OverCapacity, BadInput, BudgetSpent for a child out of steps or time.
        """
        return changes.make_request(self._engine, self)

    def sync(
        self,
        messages: object,
        format: str = "openai",
        *,
        system: object = None,
        compacted: bool | None = None,
    ) -> Turn:
        """The next request of a host that keeps its own list of messages, in a provider's `format`.

        The list is given whole each time; what is new is taken in, each message one commit. Where
        it was edited or cut short what followed is undone; where a client put a summary in the
        place of messages the window is renewed, and they can still be recalled: `compacted` says
        which it was, where the host knows. Leading system messages are instructions after `system`.

        Raises BadInput, with nothing changed, and what `turn` raises.
        """
        lasting = self._list.take(messages, format, system, compacted)
        return with_cache_lifetime(self.turn(), lasting)

    @property
    def done(self) -> bool:
        """True once the model has answered without calls, or the task was finished. A reply cut off
        at its limit is no answer: the next turn asks to go on. One withheld, or empty, is one."""
        last = next(self.window.history.stream.entries_back, None)
        whole = isinstance(last, Step) and not (last.calls or last.cut or last.paused)
        return self.window.sent.finished or whole

    @property
    def text(self) -> str:
        """The text of the model's last reply: once `done`, its answer; "" before any. After a
        reopen from the journal, where secrets are redacted."""
        return inputs.last_reply_text(self._engine, self._calls.reply.said)

    @property
    def window(self) -> Window:
        """The window as the last call that returned left it, a value."""
        return self._engine.workspace.shown

    @property
    def pressure(self) -> Pressure:
        """How full the request is."""
        return self._engine.pressure()

    def pin(self, what: int | str) -> None:
        """Keep an entry (its id, or its name as `step_0007`) as it stands, or a text as a line.

        A no-op when it is pinned. Raises MissingPage for one that has left the window (page it in,
        and pin what came), LoomError while it waits for results, OverCapacity for too much.
        """
        pins.pin_entry_or_line(self._engine, what)

    def unpin(self, what: int | str) -> None:
        """Let go of a pinned entry or line; a no-op when it is not pinned."""
        pins.unpin_entry_or_line(self._engine, what)

    @one_call
    def page_in(self, ref: str, **ways: str) -> Slice:
        """A page or an entry, whole or by `lines`, `grep` or `pointer`; its `note` says what befell
        the file it shows since. Raises MissingPage, CorruptPage, BadInput."""
        from loom.session.archive.page_in_by_name import slice_by_name

        return slice_by_name(self._engine.workspace, ref, None, **ways)[0]

    def recall(self, query: str, chars: int = RECALL_CHARS, *, tokens: int | None = None) -> str:
        """The best passages that hold the words of a query, each under the name of its page or
        entry, then names of further places with a matching line.

        Saved memories that match stand behind them, as the model's tool tells them. The text has at
        most so many `chars`, or `tokens`; where there is nothing it says so.
        """
        return recall_passages(self._engine, query, chars, tokens)

    def close(self) -> None:
        """Release the workspace; everything acknowledged is on disk already. Closing again does
        what an interrupt left. A child process closes its own copies of files."""
        changes.close_context(self._engine)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()
