"""Reading chunks, be they dicts or objects of a provider's library.

A chunk is looked into field by field and only what a collector keeps is copied: the events of
streaming helpers carry the whole reply so far, and copying that with every delta is quadratic. An
object that comes in fragments grows in a `Growing`. Where a streamed reply goes wrong, the request
may be sent again as it was.
"""

from __future__ import annotations

from collections.abc import Collection, KeysView
from typing import Any

from loom.errors import BrokenStream
from loom.providers.formats.wire import Wire, whole

_USUAL = frozenset({str, int, float, bool, bytes, type(None)})


def field(value: object, name: str) -> Any:
    """Return a field of a dict or an object as it stands; None when there is none."""
    return value.get(name) if isinstance(value, dict) else getattr(value, name, None)


def filled(value: object) -> Wire:
    """Return the fields of a dict or an object that are not null, as plain values."""
    if isinstance(value, dict):
        # What is null is not looked into: most fields of most chunks are.
        return {
            str(key): item if type(item) in _USUAL else whole(item)
            for key, item in value.items()
            if item is not None
        }
    fields = whole(value)
    if not isinstance(fields, dict):
        return {}
    return {name: item for name, item in fields.items() if item is not None}


def items(value: object) -> list[Any]:
    """Return a list as it stands; none for anything else."""
    return list(value) if isinstance(value, list | tuple) else []


class Growing:
    """Texts named in `joined` grow with each fragment, any other field is set anew.

    The pieces of a text are joined when the value is asked for, so the work is linear in its
    length. Nulls set nothing. Fields keep the order in which they first came.
    """

    def __init__(self, joined: Collection[str] = ()) -> None:
        self._joined = joined
        self._fields: Wire = {}
        self._pieces: dict[str, list[str]] = {}

    @property
    def names(self) -> KeysView[str]:
        """The fields that have come."""
        return self._fields.keys()

    def take(self, fragment: Wire) -> None:
        """Add a fragment's fields to those there are."""
        for name, value in fragment.items():
            if value is None:
                continue
            if name in self._joined and isinstance(value, str):
                self._fields.setdefault(name, "")
                self._pieces.setdefault(name, []).append(value)
            else:
                self._fields[name] = value
                self._pieces.pop(name, None)

    def get(self, name: str) -> Any:
        """Return one field; None when it has not come."""
        pieces = self._pieces.get(name)
        return self._fields.get(name) if pieces is None else "".join(pieces)

    def value(self) -> Wire:
        """Return the object as it is so far."""
        return {name: self.get(name) for name in self._fields}


def stream_failed(error: object) -> BrokenStream:
    """The error where the provider broke a reply off and said why."""
    body = whole(error)
    code = str(field(body, "code") or field(body, "type") or "")
    said = str(field(body, "message") or body)
    kind = f" ({code})" if code else ""
    message = (
        f"the provider broke the reply off{kind}: {said}; nothing was recorded: ask again when the"
        " cause is gone"
    )
    return BrokenStream(message, code, said, body)


def ended_early(chunks: int) -> BrokenStream:
    """The error for a stream that ended before the provider said the reply was complete."""
    return BrokenStream(
        f"the stream ended after {chunks:,} chunks, before the reply was complete: nothing was"
        " recorded, ask again"
    )
