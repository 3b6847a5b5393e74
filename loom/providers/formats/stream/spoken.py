"""A stream without the reasoning that its model put between tags.

Theory of operation. A chunk is passed on as it came unless a text in it has to change; then a copy
of it is. It says its text in pieces, which go through a `Separator`, or says again all of it so
far, as the last events of a text and those of helpers do. What was held back of a text comes with
the chunk that ends it, or directly before that in a copy of the last chunk that had some.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from typing import Any, NamedTuple

from loom.providers.formats.stream.chunks import field, items
from loom.providers.reasoning import Separator, separate

Path = tuple[str | int, ...]  # "*": every item of a list


class SpokenPlaces(NamedTuple):
    """Where chunks of a kind have pieces of a text, and where the text so far; whether one ends."""

    pieces: tuple[Path, ...] = ()
    so_far: tuple[Path, ...] = ()
    ends: bool = False


# By the type of a chunk, that of the helpers of openai and anthropic too (SDKs of November 2026);
# chunks of Chat Completions and of Gemini have none.
CHUNK = ("choices", "*", "delta", "content")
KINDS: dict[str | None, SpokenPlaces] = {
    None: SpokenPlaces((CHUNK, ("candidates", "*", "content", "parts", "*", "text"))),
    "chunk": SpokenPlaces(
        (("chunk", *CHUNK),), (("snapshot", "choices", "*", "message", "content"),)
    ),
    "content.delta": SpokenPlaces((("delta",),), (("snapshot",),)),
    "content.done": SpokenPlaces((), (("content",),), ends=True),
    "content_block_delta": SpokenPlaces((("delta", "text"),)),
    "text": SpokenPlaces((("text",),), (("snapshot",),)),
    "content_block_stop": SpokenPlaces((), (("content_block", "text"),), ends=True),
    "message_stop": SpokenPlaces((), (("message", "content", "*", "text"),)),
    "response.output_text.delta": SpokenPlaces((("delta",),), (("snapshot",),)),
    "response.output_text.done": SpokenPlaces((), (("text",),), ends=True),
    "response.content_part.done": SpokenPlaces((), (("part", "text"),)),
    "response.output_item.done": SpokenPlaces((), (("item", "content", "*", "text"),)),
    "response.completed": SpokenPlaces((), (("response", "output", "*", "content", "*", "text"),)),
    "response.incomplete": SpokenPlaces((), (("response", "output", "*", "content", "*", "text"),)),
}


class Spoken:
    """Chunks less the reasoning between tags.

    `content` is asked once, when the first tag has come: whether tags are content in this stream.
    """

    def __init__(self, content: Callable[[], bool]) -> None:
        self._content = content
        self._plain: bool | None = None  # what it said
        self._readers: dict[Path, Separator] = {}
        self._last: dict[Path, tuple[object, Path]] = {}  # the last chunk of a text, and where

    def passed(self, chunk: object, done: bool) -> Iterator[Any]:
        """What is handed on for a chunk; `done`: with it the reply is complete."""
        kind = KINDS.get(_type(chunk), SpokenPlaces())
        said: dict[Path, str] = {}
        for path, text in _texts(chunk, kind.pieces):
            name = (str(_type(chunk)), *path[:2])
            said[path] = self._read(name, text)
            self._last[name] = chunk, path
        for name in list(self._readers) if done or kind.ends else ():
            rest = self._readers.pop(name).close()
            last, path = self._last[name]
            if rest and last is chunk:
                said[path] += rest
            elif rest:
                yield _with(last, path, rest, alone=True)
        if self._plain is False:
            said |= {at: separate(text).answer for at, text in _texts(chunk, kind.so_far)}
        changed: Any = chunk
        for path, text in said.items():
            changed = _with(changed, path, text)
        yield changed

    def _read(self, name: Path, text: str) -> str:
        """What a piece adds to the answer."""
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


def _type(chunk: object) -> str | None:
    kind = field(chunk, "type")
    return kind if isinstance(kind, str) else None


def _texts(chunk: object, paths: tuple[Path, ...]) -> Iterator[tuple[Path, str]]:
    for path in paths:
        yield from _walk(chunk, path, ())


def _walk(value: object, path: Path, done: Path) -> Iterator[tuple[Path, str]]:
    """The texts at a path, each with its own; a part that is a thought is none."""
    if not path:
        if isinstance(value, str):
            yield done, value
    elif path[0] == "*":
        for at, item in enumerate(items(value)):
            yield from _walk(item, path[1:], (*done, at))
    elif not (path[0] == "text" and field(value, "thought")):
        yield from _walk(field(value, str(path[0])), path[1:], (*done, path[0]))


def _with(value: Any, path: Path, text: str, alone: bool = False) -> Any:
    """A value with that text at a path: itself where it has it, else a copy of what leads there;
    `alone`: of lists on the way only the item that does."""
    if not path:
        return text
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        item = _with(value[step], rest, text, alone)
        if alone:
            return [item]
        return value if item is value[step] else [*value[:step], item, *value[step + 1 :]]
    before = field(value, step)
    after = _with(before, rest, text, alone)
    if after == before if not rest else after is before:
        return value
    made = copy(value)
    if isinstance(made, dict):
        made[step] = after
    else:
        setattr(made, step, after)
    return made
