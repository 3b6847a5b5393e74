"""YAML as text: mappings, lists and scalars as they are written, nothing resolved.

Theory of operation
-------------------
PyYAML's parser gives events; they are built into nodes here, because its own constructors would
turn `yes` into a truth value, share what aliases name (a few lines can stand for gigabytes) and
recurse as deep as a file asks them to. A scalar is what stands there, the empty one "". Nesting is
bounded, aliases are refused.

The *strict* dialect is that of the reference library, which reads headers with StrictYAML: no flow
collections, no tags, no anchors, sibling mappings indented alike, keys once. Keys met twice are
left in the pairs, for the reader to judge.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

if TYPE_CHECKING:
    from yaml.events import Event

DEEPEST = 64  # nested collections
PRIVATE = range(0xE000, 0xF900)  # signs that mean nothing to anyone


class Pairs(Struct, frozen=True):
    """A mapping, its pairs as they stand there; a key may stand twice."""

    items: tuple[tuple[str, Node], ...]


Node: TypeAlias = str | tuple["Node", ...] | Pairs


class NotRead(Exception):
    """A text the dialect does not have; the text says what and, where known, in which line."""


def tree(text: str, *, strict: bool = False) -> Node:
    """The one document of `text`, "" when it holds none; raises NotRead and nothing else."""
    import yaml

    text, back = _unbroken(text)
    try:
        events = yaml.parse(text, Loader=yaml.BaseLoader)
        return _Builder(events, back, strict).document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 1}: " if mark else ""
        raise NotRead(f"{where}{error.problem or error.context}") from None
    except yaml.YAMLError as error:
        raise NotRead(str(error).split("\n", 1)[0]) from None
    except (ValueError, OverflowError) as error:  # of escapes that name no character
        raise NotRead(str(error)) from None


def _unbroken(text: str) -> tuple[str, dict[int, str]]:
    """(the text with a stand-in for each sign that breaks lines in YAML 1.1 alone, how to undo it).

    PyYAML reads YAML 1.1; skills are YAML 1.2, where a U+2028 inside a value is a sign like others.
    """
    if text.isascii():
        return text, {}
    free = (sign for sign in map(chr, PRIVATE) if sign not in text)
    pairs = list(zip("\x85\u2028\u2029", free, strict=False))
    instead = {ord(sign): stand_in for sign, stand_in in pairs}
    return text.translate(instead), {ord(stand_in): sign for sign, stand_in in pairs}


class _Builder:
    """Nodes out of events, each taken once."""

    def __init__(self, events: Iterator[Event], back: dict[int, str], strict: bool) -> None:
        self._events = events
        self._back = back
        self._strict = strict

    def document(self) -> Node:
        """The one document of the stream."""
        import yaml

        found: Node = ""
        documents = 0
        for event in self._events:
            if isinstance(event, yaml.NodeEvent):
                found = self._node(event, 0)
            elif isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise NotRead(f"{_line(event)}a second document")
        return found

    def _node(self, event: Event, depth: int) -> Node:
        """The node `event` begins, with everything up to its end taken from the events."""
        import yaml

        if depth > DEEPEST:
            raise NotRead(f"{_line(event)}nested deeper than {DEEPEST}")
        if isinstance(event, yaml.AliasEvent):
            raise NotRead(f"{_line(event)}an alias (*): write the value out")
        if self._strict:
            _checked(event)
        if isinstance(event, yaml.ScalarEvent):
            return str(event.value).translate(self._back)
        below = list(self._children(depth + 1))
        if isinstance(event, yaml.SequenceStartEvent):
            return tuple(node for _, node in below)
        return self._pairs(event, below)

    def _children(self, depth: int) -> Iterator[tuple[Event, Node]]:
        import yaml

        for event in self._events:
            if isinstance(event, yaml.CollectionEndEvent):
                return
            yield event, self._node(event, depth)

    def _pairs(self, event: Event, below: list[tuple[Event, Node]]) -> Pairs:
        """A mapping of keys and values in turn."""
        import yaml

        made: list[tuple[str, Node]] = []
        indents: set[int] = set()
        for (begun, key), (child, value) in zip(below[::2], below[1::2], strict=True):
            if not isinstance(key, str):
                raise NotRead(f"{_line(begun)}a key that is no text")
            if isinstance(child, yaml.MappingStartEvent) and child.start_mark:
                indents.add(child.start_mark.column)
            made.append((key, value))
        if self._strict and len(indents) > 1:
            raise NotRead(f"{_line(event)}mappings side by side are indented differently")
        return Pairs(tuple(made))


def _checked(event: Event) -> None:
    """Refuse what StrictYAML refuses of a node by its looks."""
    if getattr(event, "anchor", None) is not None:
        raise NotRead(f"{_line(event)}an anchor (&): write the value out")
    if getattr(event, "tag", None) is not None:
        raise NotRead(f"{_line(event)}a tag (!): put the value in quotes")
    if getattr(event, "flow_style", None):
        raise NotRead(f"{_line(event)}a list or mapping in brackets: put one item on a line")


def _line(event: Event) -> str:
    return f"line {event.start_mark.line + 1}: " if event.start_mark else ""
