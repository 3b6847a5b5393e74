"""The files and names an entry speaks of."""

from __future__ import annotations

from msgspec import Struct

from loom.compress.worth.identifiers import identifiers
from loom.compress.worth.slices import whole_of
from loom.compress.worth.units import Read, path_of
from loom.lazy import lazy_re
from loom.reduce.entities import paths
from loom_partitions.message import Said, Step, UserTurn

LISTENED = 20_000  # characters of a message that are listened to
FILE = lazy_re(r"(?<![\w-])[\w-]{1,80}\.\w{1,8}\b")


class Touching(Struct, frozen=True, gc=False):
    """The files and names one entry speaks of.

    `said` are the terms of what the model or the user said and asked for, `names` words that may
    name a file or a definition.
    """

    user: bool
    paths: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()
    said: frozenset[str] = frozenset()


def touching(entry: UserTurn | Step, read: Read) -> Touching:
    """Collect what an entry touches."""
    if isinstance(entry, UserTurn):
        text = whole_of(entry.text, read)
        if entry.call:  # a result that came late
            return Touching(False)
        return _made(True, text[:LISTENED])
    calls = entry.calls
    said = " ".join(part.text.body or "" for part in entry.parts if isinstance(part, Said))
    asked = "\n".join(call.arguments.replace("\\n", "\n").replace("\\t", "\t") for call in calls)
    named = tuple(path for call in calls if (path := path_of(call)))
    return _made(False, f"{said}\n{asked}"[: 2 * LISTENED], named)


def _made(user: bool, text: str, named: tuple[str, ...] = ()) -> Touching:
    said = identifiers(text)
    every = tuple(dict.fromkeys((*named, *paths(text))))
    return Touching(user, every, said | frozenset(FILE.findall(text)), said)
