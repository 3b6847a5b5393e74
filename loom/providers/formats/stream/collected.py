"""A stream that is collected while it is passed on to the host, and closed at the end.

Theory of operation. Reasoning that the model put between tags is taken out of the chunks passed on.
A chunk whose texts need no change is passed on as it came; else a changed copy is. A chunk holds
either a piece of a text, which goes through a `Separator`, or the whole text so far, as the last
events of a text and those of helpers do. The end of a text may be held back, since a tag may begin
in it. It comes with the chunk that ends the text, or just before in a copy of an earlier chunk."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from copy import copy
from inspect import isawaitable
from typing import Any

from loom.errors import LoomError
from loom.providers.formats import Collector, collector_for, decode_with_tags
from loom.providers.formats.envelope import tags_are_content
from loom.providers.formats.format import unknown_reply_error
from loom.providers.formats.stream.chunks import ended_early_error, field_of, list_or_empty
from loom.providers.reasoning import Separator, separate

STREAMED = "the chunks of one stream, each as the provider's library yields it"


class CollectedStream:
    """The chunks of a stream that have come so far. `model` is the model that was asked, used if
    the reply names no model. If `reasoning` is False, the host gets the chunks without reasoning
    between tags."""

    def __init__(self, model: str = "", reasoning: bool = False) -> None:
        self._model = model
        self._reasoning = reasoning
        self._collector: Collector | None = None
        self._chunks = 0
        self._spoken = SpokenChunks(self._tags_are_content)

    def take(self, chunk: object) -> None:
        """Add a chunk. Raises BadInput if no format knows the stream."""
        with _refuse_bad_chunks(chunk):
            self._collector = self._collector or collector_for(chunk)
            self._collector.take(chunk)
        self._chunks += 1

    def passed(self, chunk: object) -> Iterator[Any]:
        """Add a chunk. Return an iterator over the chunks that the host gets for it."""
        self.take(chunk)
        done = self._collector is not None and self._collector.done
        return iter((chunk,)) if self._reasoning else self._spoken.chunks_to_pass(chunk, done)

    def _tags_are_content(self) -> bool:
        assert self._collector is not None
        return tags_are_content(decode_with_tags(self._collector.reply()), self._model)

    def reply(self) -> object:
        """Return the whole reply, as a dict. Raises BrokenStream if the reply is incomplete."""
        if self._collector is None or not self._collector.done:
            raise ended_early_error(self._chunks)
        with _refuse_bad_chunks(self._collector):
            return self._collector.reply()


@contextmanager
def _refuse_bad_chunks(given: object) -> Iterator[None]:
    """Turn errors that a malformed chunk causes in the `with` block into BadInput. The error
    message describes `given`."""
    try:
        yield
    except LoomError:
        raise
    except (TypeError, AttributeError, LookupError, ValueError, RecursionError) as error:
        raise unknown_reply_error(given, STREAMED) from error


@contextmanager
def closing_stream(stream: object) -> Iterator[None]:
    """Close a stream when the `with` block ends."""
    try:
        yield
    finally:
        close = getattr(stream, "close", None)  # an open stream keeps its connection
        if callable(close):
            close()


@asynccontextmanager
async def collecting_stream(
    stream: AsyncIterable[object], model: str = "", reasoning: bool = False
) -> AsyncIterator[CollectedStream]:
    """Yield a CollectedStream for an asynchronous stream, and close `stream` when the `async with`
    block ends. `model` and `reasoning` are those of `CollectedStream`."""
    try:
        yield CollectedStream(model, reasoning)
    finally:
        close = getattr(stream, "aclose", None) or getattr(stream, "close", None)
        done = close() if callable(close) else None
        if isawaitable(done):
            await done


Path = tuple[str | int, ...]

# By the type of a chunk, where it has pieces of a text, and where the text so far ("*": of every
# item of a list); chunks of Chat Completions and of Gemini have no type. The helpers of openai and
# anthropic are among them (SDKs of November 2026).
_CHUNK, _OUTPUT = "choices.*.delta.content", "response.output.*.content.*.text"
KINDS: dict[str | None, tuple[str, str]] = {
    None: (f"{_CHUNK} candidates.*.content.parts.*.text", ""),
    "chunk": (f"chunk.{_CHUNK}", "snapshot.choices.*.message.content"),
    "content.delta": ("delta", "snapshot"),
    "content.done": ("", "content"),
    "content_block_delta": ("delta.text", ""),
    "text": ("text", "snapshot"),
    "content_block_stop": ("", "content_block.text"),
    "message_stop": ("", "message.content.*.text"),
    "response.output_text.delta": ("delta", "snapshot"),
    "response.output_text.done": ("", "text"),
    "response.content_part.done": ("", "part.text"),
    "response.output_item.done": ("", "item.content.*.text"),
    "response.completed": ("", _OUTPUT),
    "response.incomplete": ("", _OUTPUT),
}
ENDS = frozenset({"content.done", "content_block_stop", "response.output_text.done"})  # of a text


class SpokenChunks:
    """Removes reasoning between tags from the chunks of a stream. `content`, called once after the
    first tag, returns True if tags are ordinary text in this stream."""

    def __init__(self, content: Callable[[], bool]) -> None:
        self._content = content
        self._plain: bool | None = None  # what it said
        self._readers: dict[Path, Separator] = {}
        self._last: dict[Path, tuple[object, Path]] = {}  # the last chunk of a text, and where

    def chunks_to_pass(self, chunk: object, done: bool) -> Iterator[Any]:
        """Yield the chunks that the host gets for `chunk`: first copies of earlier chunks with text
        that was held back, last `chunk` without reasoning. `done` says that `chunk` completes the
        reply."""
        kind = field_of(chunk, "type")
        kind = kind if isinstance(kind, str) else None
        pieces, so_far = KINDS.get(kind, ("", ""))
        said: dict[Path, str] = {}
        for path, text in _texts_at_paths(chunk, pieces):
            name = (str(kind), *path[:2])
            said[path] = self._answer_piece(name, text)
            self._last[name] = chunk, path
        for name in list(self._readers) if done or kind in ENDS else ():
            rest = self._readers.pop(name).close()
            last, path = self._last[name]
            if rest and last is chunk:
                said[path] += rest
            elif rest:
                yield _with_text_at(last, path, rest, alone=True)
        if self._plain is False:
            said |= {at: separate(text).answer for at, text in _texts_at_paths(chunk, so_far)}
        changed: Any = chunk
        for path, text in said.items():
            changed = _with_text_at(changed, path, text)
        yield changed

    def _answer_piece(self, name: Path, text: str) -> str:
        """Return the part of the answer that a piece of a text adds, which may be "". `name`
        identifies the text within the stream."""
        if self._plain and name not in self._readers:
            return text
        reader = self._readers.setdefault(name, Separator())
        waiting, said = reader.waiting, reader.feed(text)
        if reader.tagged and self._plain is None:
            self._plain = self._content()
        if self._plain:
            del self._readers[name]
            return waiting + text
        return said


def _texts_at_paths(chunk: object, paths: str) -> Iterator[tuple[Path, str]]:
    """Yield (path, text) for each text of a chunk at a path in `paths`, dotted paths between
    blanks."""
    for path in paths.split():
        yield from _texts_below(chunk, path.split("."), ())


def _texts_below(value: object, path: Sequence[str], done: Path) -> Iterator[tuple[Path, str]]:
    """Yield (path, text) for each text at `path` in a value. A step "*" means every item of a list.
    `done` is the path from the chunk to the value."""
    if not path:
        if isinstance(value, str):
            yield done, value
    elif path[0] == "*":
        for at, item in enumerate(list_or_empty(value)):
            yield from _texts_below(item, path[1:], (*done, at))
    elif not (path[0] == "text" and field_of(value, "thought")):
        yield from _texts_below(field_of(value, path[0]), path[1:], (*done, path[0]))


def _with_text_at(value: Any, path: Path, text: str, alone: bool = False) -> Any:
    """Return a copy of a value with `text` at `path`; only the objects on the path are copied. With
    `alone`, a list on the path keeps only the item on the path."""
    if not path:
        return text
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        item = _with_text_at(value[step], rest, text, alone)
        if alone:
            return [item]
        return value if item is value[step] else [*value[:step], item, *value[step + 1 :]]
    before = field_of(value, step)
    after = _with_text_at(before, rest, text, alone)
    if after == before if not rest else after is before:
        return value
    made = copy(value)
    if isinstance(made, dict):
        made[step] = after
    else:
        setattr(made, step, after)
    return made
