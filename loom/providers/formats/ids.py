"""The ids of calls: derived where a provider gave none, lawful and unique where one asks."""

from __future__ import annotations

from hashlib import blake2b

from loom.lazy import lazy_re

ID_CHARS = 64  # the longest call id OpenAI's and Anthropic's servers take

_BAD_IN_ID = lazy_re(r"[^A-Za-z0-9_-]")
_DERIVED = lazy_re(r"call_[0-9a-f]{16}")


def derived_id(seed: str) -> str:
    """Return the id of a call that came without one, from what it says and where it stands."""
    return "call_" + blake2b(seed.encode("utf-8", "replace"), digest_size=8).hexdigest()


def is_derived(call_id: str) -> bool:
    """Tell whether an id looks like one `derived_id` makes: no provider knows it."""
    return _DERIVED.fullmatch(call_id) is not None


def lawful_id(call_id: str, most: int = ID_CHARS) -> str:
    """Return an id providers accept: itself, or its letters and a short hash of it.

    It has at most `most` characters.
    """
    if call_id and len(call_id) <= most and not _BAD_IN_ID.search(call_id):
        return call_id
    digest = blake2b(call_id.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    letters = _BAD_IN_ID.sub("_", call_id)[: most - len(digest) - 1]
    return f"{letters}_{digest}"


class Ids:
    """The ids calls have on the wire: lawful, and unique even where a provider repeats its own."""

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._repeats: dict[str, int] = {}
        self._current: dict[str, str] = {}

    def call(self, call_id: str) -> str:
        """Return the wire id of a new call."""
        lawful = lawful_id(call_id)
        wire_id = lawful
        while wire_id in self._used:
            self._repeats[lawful] = self._repeats.get(lawful, 1) + 1
            suffix = f"_{self._repeats[lawful]}"
            wire_id = lawful[: ID_CHARS - len(suffix)] + suffix
        self._used.add(wire_id)
        self._current[call_id] = wire_id
        return wire_id

    def result(self, call_id: str) -> str:
        """Return the wire id of the last call made under an id."""
        return self._current.get(call_id) or lawful_id(call_id)
