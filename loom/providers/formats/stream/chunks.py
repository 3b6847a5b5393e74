"""Functions that read chunks, which are dicts or objects of a provider's library.

Only fields that a collector keeps are copied: the events of streaming helpers carry the whole reply
so far, and copying it with every delta is quadratic. An object that comes in fragments is joined in
a `GrowingObject`. If a streamed reply fails, nothing was recorded and the same request may be sent
again."""

from __future__ import annotations

from collections.abc import Callable, Collection, KeysView, Mapping
from typing import Any

from loom.errors import BrokenStream
from loom.providers.formats.wire import Wire, plain_value

_USUAL = frozenset({str, int, float, bool, bytes, type(None)})


def field_of(value: object, name: str) -> Any:
    """Return a dict's field or an object's attribute, without copying it; None if it is missing."""
    return value.get(name) if isinstance(value, dict) else getattr(value, name, None)


def filled_fields(value: object) -> Wire:
    """Return a dict of the fields of a dict or an object that are not null, as plain values."""
    if isinstance(value, dict):
        # What is null is not looked into: most fields of most chunks are.
        return {
            str(key): item if type(item) in _USUAL else plain_value(item)
            for key, item in value.items()
            if item is not None
        }
    fields = plain_value(value)
    if not isinstance(fields, dict):
        return {}
    return {name: item for name, item in fields.items() if item is not None}


def list_or_empty(value: object) -> list[Any]:
    """Return a list or tuple as a new list; [] for any other value."""
    return list(value) if isinstance(value, list | tuple) else []


class GrowingObject:
    """An object that comes in fragments. Texts of the fields named in `joined` are joined, objects
    in the fields named in `inner` are merged. Any other field is replaced when it comes again; null
    changes nothing."""

    def __init__(
        self, joined: Collection[str] = (), inner: Mapping[str, Collection[str]] | None = None
    ) -> None:
        """`inner` maps the name of a field that holds an object to the `joined` of that object."""
        self._joined, self._inner = joined, inner or {}
        self._fields: Wire = {}
        self._pieces: dict[str, list[str]] = {}
        self._objects: dict[str, GrowingObject] = {}

    @property
    def names(self) -> KeysView[str]:
        """The names of the fields that have come so far."""
        return self._fields.keys()

    def take(self, fragment: Wire) -> None:
        """Add the fields of a fragment."""
        for name, value in fragment.items():
            if value is None:
                continue
            if name in self._inner and isinstance(value, dict):
                self._fields.setdefault(name, {})
                self._objects.setdefault(name, GrowingObject(self._inner[name])).take(value)
            elif name in self._joined and isinstance(value, str):
                if name == "name" and value == self.get(name):
                    continue
                self._fields.setdefault(name, "")
                self._pieces.setdefault(name, []).append(value)
            else:
                self._fields[name] = value
                self._pieces.pop(name, None)

    def get(self, name: str) -> Any:
        """Return the value of one field so far; None if it has not come."""
        if name in self._objects:
            return self._objects[name].value()
        pieces = self._pieces.get(name)
        return self._fields.get(name) if pieces is None else "".join(pieces)

    def value(self) -> Wire:
        """Return the object so far, as a new dict."""
        return {name: self.get(name) for name in self._fields}


class GrowingBlocks:
    """A list of objects that come in fragments. A fragment continues the newest object with its
    index; it starts a new object, made by `new`, if there is no such object or `begins(fragment,
    object)` is True. `rows` holds (index, object) in the order in which the objects began."""

    def __init__(
        self, new: Callable[[], GrowingObject], begins: Callable[[Wire, GrowingObject], bool]
    ) -> None:
        self.rows: list[tuple[Any, GrowingObject]] = []
        self._open: dict[object, GrowingObject] = {}
        self._new, self._begins = new, begins

    def take(self, index: object, fragment: Wire) -> GrowingObject:
        """Add a fragment. Return the object that it was added to."""
        block = self._open.get(index)
        if block is None or self._begins(fragment, block):
            block = self._open[index] = self._new()
            self.rows.append((index, block))
        block.take(fragment)
        return block


def stream_failed_error(error: object) -> BrokenStream:
    """Return the error for a stream that the provider ended with `error`."""
    body = plain_value(error)
    code = str(field_of(body, "code") or field_of(body, "type") or "")
    said = str(field_of(body, "message") or body)
    kind = f" ({code})" if code else ""
    message = (
        f"the provider broke the reply off{kind}: {said}; nothing was recorded: ask again when the"
        " cause is gone"
    )
    return BrokenStream(message, code, said, body)


def ended_early_error(chunks: int) -> BrokenStream:
    """Return the error for a stream that ended after `chunks` chunks, before the reply was
    complete."""
    return BrokenStream(
        f"the stream ended after {chunks:,} chunks, before the reply was complete: nothing was"
        " recorded, ask again"
    )
