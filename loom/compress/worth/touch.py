"""The files, names and places an entry speaks of."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from loom.compress.worth.identifiers import identifiers
from loom.compress.worth.slices import whole_of
from loom.compress.worth.units import Read, path_of, tool_of
from loom.lazy import lazy_re
from loom.reduce.aliases import EDIT, SEARCH, SHELL
from loom.reduce.arguments import object_of, path_in, swap_in
from loom.reduce.entities import is_path, paths
from loom_partitions.message import Call, Said, Step, UserTurn

# A match begins where a run begins and is bounded, so a search is linear in the text.
PLACE = lazy_re(r"(?<![\w./\\@+-])([\w./\\@+-]{1,200}\.\w{1,8}):(\d{1,7})\b")
PLACES = 60  # places of one result
TAIL = 4_000  # characters of a result that are listened to
FILE = lazy_re(r"(?<![\w-])[\w-]{1,80}\.\w{1,8}\b")


class Touching(Struct, frozen=True, gc=False):
    """The files, names and places one entry speaks of.

    `said` are the terms of what the model or the user said and asked for, `heard` those of the end
    of a command's output. `names` are words that may name a file or a definition. `edited` are
    files with a line of what was replaced in them.
    """

    entry: int
    user: bool
    paths: tuple[str, ...]
    names: frozenset[str]
    places: tuple[tuple[str, int], ...]
    said: frozenset[str]
    heard: frozenset[str] = frozenset()
    edited: tuple[tuple[str, str], ...] = ()


def touching(entry: UserTurn | Step, read: Read) -> Touching:
    """Collect what an entry touches."""
    if isinstance(entry, UserTurn):
        text = whole_of(entry.text, read)
        if entry.call:  # a result that came late
            return _made(entry.id, False, "", (), text[-TAIL:], text[: 5 * TAIL])
        return _made(entry.id, True, text[: 5 * TAIL], (), "", "")
    calls = entry.calls
    said = " ".join(part.text.body or "" for part in entry.parts if isinstance(part, Said))
    asked = "\n".join(call.arguments.replace("\\n", "\n").replace("\\t", "\t") for call in calls)
    named = tuple(path for call in calls if (path := path_of(call)))
    kinds = {call.id: tool_of(call) for call in calls}
    output = found = ""
    for outcome in entry.outcomes:
        if kinds[outcome.call_id] in (SHELL, SEARCH):
            text = whole_of(outcome.text, read)
            found += text[: 5 * TAIL] + "\n"
            if kinds[outcome.call_id] == SHELL:
                output += text[-TAIL:] + "\n"
    made = _made(entry.id, False, f"{said}\n{asked}"[: 10 * TAIL], named, output, found)
    return replace(made, edited=tuple(edit for call in calls if (edit := _edited(call))))


def _edited(call: Call) -> tuple[str, str] | None:
    """The file of an edit, and the longest line it replaces."""
    members = object_of(call.arguments) if tool_of(call) == EDIT else {}
    old, _ = swap_in(members) or ("", "")
    line = max(old.split("\n"), key=len).strip() if old else ""
    path = path_in(members)
    return (path, line) if path and line else None


def _made(
    entry: int, user: bool, text: str, named: tuple[str, ...], output: str, found: str
) -> Touching:
    said = identifiers(text)
    mentioned = tuple(paths(text))
    return Touching(
        entry,
        user,
        tuple(dict.fromkeys((*named, *mentioned))),
        said | frozenset(FILE.findall(text)),
        tuple(_places(found)),
        said,
        identifiers(output),
    )


def _places(text: str) -> Iterator[tuple[str, int]]:
    """`path:line`, as search results and stack traces name places."""
    for count, match in enumerate(PLACE.finditer(text)):
        if count == PLACES:
            return
        if is_path(match[1]):
            yield match[1], int(match[2])
