"""Checkpoints: what a journal folds to, so that opening need not read it from its first line.

Theory of operation. A checkpoint is derived, never the truth: it may be lost, old or damaged, and
then the journal is read instead. It has two files. `checkpoints/index` is a log of parts; each part
holds what came since the part before, so that a checkpoint writes only what is new.
`checkpoints/state` is replaced each time; it tells which sealed segments are folded, how many bytes
of the index belong to it with their sha256, and ends in the sha256 of its own bytes.

Saving appends the part first and then replaces the state, so a crash between the two leaves the
state before, and bytes of the index that nothing names; the next part is written in their place.
The caller decides what both files hold, and gives `made`: a text that must be equal for today's
program to read what was written. A checkpoint is used only if its hashes verify and the journal
begins with its segments."""

from __future__ import annotations

from contextlib import suppress
from hashlib import sha256
from typing import Any

import msgspec

from loom_paging.errors import MissingPage, OutsideStore
from loom_paging.extent import journal_begins_with
from loom_paging.segments import NONE_SEALED, Sealed
from loom_paging.store import Store

FOLDER = "checkpoints/"
FILES = INDEX, STATE = f"{FOLDER}index", f"{FOLDER}state"
_PAST = f"{FOLDER}at_"
_SEAL = sha256().digest_size
_LENGTH = 8  # bytes before each part that tell its length


class Checkpoint(msgspec.Struct, frozen=True):
    """One checkpoint of a journal. `sealed` describes the segments it covers. `state` and `parts`
    are the caller's bytes in the state file and in the index file. The first `size` bytes of the
    index file belong to this checkpoint; `hashed` is the sha256 object over these bytes."""

    sealed: Sealed = NONE_SEALED
    state: bytes = b""
    parts: tuple[bytes, ...] = ()
    size: int = 0
    hashed: Any = msgspec.field(default_factory=sha256)


class _State(msgspec.Struct, frozen=True, array_like=True):
    """The content of the state file, except for the sha256 of this content at its end."""

    made: str
    sealed: Sealed
    size: int
    sha256: bytes
    state: bytes


def load(store: Store, made: str) -> Checkpoint | None:
    """Return the newest checkpoint of a store. Return None when it is missing or damaged, was saved
    with another `made`, or belongs to another journal."""
    held = _read_state(store, STATE, made)
    if held is None:
        return None
    try:
        index = store.read(INDEX, 0, held.size) if held.size else b""
    except (MissingPage, OutsideStore, OSError):
        return None
    hashed = sha256(index)
    if len(index) != held.size or hashed.digest() != held.sha256:
        return None
    parts, at = list[bytes](), 0
    while at < len(index):
        start = at + _LENGTH
        at = start + int.from_bytes(index[at:start], "little")
        parts.append(index[start:at])
    return Checkpoint(held.sealed, held.state, tuple(parts), held.size, hashed)


def save(
    store: Store, before: Checkpoint, made: str, sealed: Sealed, state: bytes, part: bytes
) -> Checkpoint:
    """Write the checkpoint that follows `before`, and return it with empty `state` and `parts`.
    `state` replaces the state of `before`; `part` is appended to the index file. Raises the store's
    errors."""
    framed = len(part).to_bytes(_LENGTH, "little") + part
    held = store.size(INDEX) if store.has(INDEX) else 0
    if held > before.size:  # of a save that was cut short, or of a checkpoint nobody could use
        store.truncate(INDEX, before.size)
    elif held < before.size:
        raise MissingPage(INDEX, f"its first {before.size:,} bytes: it has {held:,}")
    store.append(INDEX, framed)
    hashed = before.hashed.copy()
    hashed.update(framed)
    size = before.size + len(framed)
    _write_state(store, STATE, _State(made, sealed, size, hashed.digest(), state))
    return Checkpoint(sealed, size=size, hashed=hashed)


def forget(store: Store) -> None:
    """Remove the checkpoint of a store, with the older states of an earlier version of Loom."""
    for name in (STATE, INDEX, *store.names(_PAST)):
        with suppress(MissingPage):
            store.delete(name)


def _write_state(store: Store, name: str, state: _State) -> None:
    data = msgspec.msgpack.encode(state)
    store.sketch(name, data + sha256(data).digest())


def _read_state(store: Store, name: str, made: str) -> _State | None:
    """Return the content of the state file `name`. Return None when it is missing or damaged, was
    saved with another `made`, or has segments with which the journal does not begin."""
    try:
        data = store.get(name)
        if sha256(data[:-_SEAL]).digest() != data[-_SEAL:]:
            return None
        held = msgspec.msgpack.decode(data[:-_SEAL], type=_State)
        return held if held.made == made and journal_begins_with(store, held.sealed) else None
    except (MissingPage, OutsideStore, OSError, msgspec.MsgspecError):
        return None
