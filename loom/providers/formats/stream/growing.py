"""An object that comes in fragments."""

from __future__ import annotations

from collections.abc import Collection, KeysView
from typing import Any

from loom.providers.formats.wire import Wire


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
