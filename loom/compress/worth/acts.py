"""What an entry did: its calls as the model made them, and the files and names it speaks of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import DecodeError, Struct
from msgspec.json import Decoder
from msgspec.structs import replace

from loom.compress.worth.entry_units import EntryUnit, Read, path_of_call, units_by_place
from loom.compress.worth.identifiers import identifiers
from loom.compress.worth.slices import whole_text_of
from loom.inputs import Reply
from loom.lazy import lazy_re
from loom.reduce.entities import paths_in
from loom_partitions.message import Call, Outcome, Said, Step, UserTurn

LISTENED = 20_000  # characters of a message that are listened to
FILE = lazy_re(r"(?<![\w-])[\w-]{1,80}\.\w{1,8}\b")
_REPLY = Decoder(Reply)


def call_as_made(call: Call, read: Read) -> Call:
    """Return the call with all arguments the model gave, read from the page of a shortened call. If
    the page is gone, the call is returned unchanged."""
    if not call.page:
        return call
    try:
        made = _REPLY.decode(read(call.page).encode("utf-8", "replace"))
    except DecodeError:
        return call
    whole = next((one for one in made.calls if one.id == call.id), None)
    return call if whole is None else replace(call, arguments=whole.arguments, page="")


def calls_with_units(
    entry: UserTurn | Step, units: Sequence[EntryUnit]
) -> Iterator[tuple[Call | None, Outcome | None, list[EntryUnit]]]:
    """Yield (call, result, units) for each answered call of an entry, in order. Units are the
    pieces of the call and its result. The first tuple is (None, None, units that belong to no
    call)."""
    places = units_by_place(units)
    made: list[tuple[Call | None, Outcome | None, list[EntryUnit]]] = []
    if isinstance(entry, Step):
        answers = {outcome.call_id: at for at, outcome in enumerate(entry.outcomes)}
        for at, part in enumerate(entry.parts):
            if isinstance(part, Call) and part.id in answers:
                answer = answers[part.id]
                mine = [*places.pop(("call", at), ()), *places.pop(("result", answer), ())]
                made.append((part, entry.outcomes[answer], mine))
    yield None, None, [unit for mine in places.values() for unit in mine]
    yield from made


class TouchedNames(Struct, frozen=True, gc=False):
    """The files and names that one entry mentions.

    `user` is True for a message of the user. `paths` are the files. `said` has the identifiers in
    written text and call arguments, `names` also all words that look like file names."""

    user: bool
    paths: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()
    said: frozenset[str] = frozenset()


def touched_names(entry: UserTurn | Step, read: Read) -> TouchedNames:
    """Return the files and names that an entry mentions; empty for a result that came late."""
    if isinstance(entry, UserTurn):
        text = whole_text_of(entry.text, read)
        if entry.call:  # a result that came late
            return TouchedNames(False)
        return _names_in_text(True, text[:LISTENED])
    calls = entry.calls
    said = " ".join(part.text.body or "" for part in entry.parts if isinstance(part, Said))
    asked = "\n".join(call.arguments.replace("\\n", "\n").replace("\\t", "\t") for call in calls)
    named = tuple(path for call in calls if (path := path_of_call(call)))
    return _names_in_text(False, f"{said}\n{asked}"[: 2 * LISTENED], named)


def _names_in_text(user: bool, text: str, named: tuple[str, ...] = ()) -> TouchedNames:
    """Return the files and names in a text, with the files in `named` added. `user` is True if the
    user wrote the text."""
    said = identifiers(text)
    every = tuple(dict.fromkeys((*named, *paths_in(text))))
    return TouchedNames(user, every, said | frozenset(FILE.findall(text)), said)
