"""Guides in the room C_memory has for them: whole where they fit, as excerpts where not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil

from msgspec import Struct

from loom.capabilities.memory.excerpt import excerpt
from loom.capabilities.memory.guide_key import key_of
from loom.capabilities.memory.merging import BUDGET, GuidePart
from loom.capabilities.memory.shares import FREE, byte_shares, far, lessened, shares
from loom.lazy import lazy_re
from loom.providers.render.naming import keyed
from loom.text import size_of

WHOLE = "[{path}, in part: the headings, and what is near the goal; whole in {page}]"
READ = (
    "[{path}, in part: the headings, and what is near the goal; the file holds more than was read,"
    " which is whole in {page}]"
)
EACH = 2  # a guide found later has at most a part of the room in so many
SERVED = 256  # guides found later that are weighed, the nearest: no window has room for more
COUNTED = 50  # tokens of a line that tells how many guides have no room, and where they are listed
_PAGE = lazy_re(r" whole in (\S+)\]\Z")


def page_of(shown: str) -> str:
    """The page an excerpt says the whole rests on; "" for a guide that is shown whole."""
    found = _PAGE.search(shown)
    return found[1] if found else ""


class FittedGuide(Struct, frozen=True):
    """A guide as it is shown: its name, the text it was made from, and what stands for it."""

    path: str
    source: str
    shown: str


def misplaced(keys: Sequence[str], guides: Mapping[str, FittedGuide]) -> list[FittedGuide]:
    """The guides, by name in their order, from the first on that does not stand so by its key."""
    wanted = {key_of(name): one for name, one in guides.items()}
    apart = [at for at, pair in enumerate(zip(keys, wanted, strict=False)) if len({*pair}) > 1]
    return [*wanted.values()][apart[0] :] if apart else []


def misordered(keys: Sequence[str], parts: Sequence[GuidePart]) -> bool:
    """True when guides, by their keys, do not stand in the order of the folders they are for."""
    scopes = {key_of(part.guide.name): part.guide.scope for part in parts}
    stand = [scopes[key] for key in keys if key in scopes]
    return stand != [scope for key, scope in scopes.items() if key in {*keys}]


def fitted(
    parts: Sequence[GuidePart],
    goal: str,
    room: int,
    count: Callable[[str, str], int],
    rest: Callable[[str], str],
    known: Mapping[str, FittedGuide],
    joined: int = 0,
    work: str = ".",
    most_bytes: int = BUDGET,
    aside: int = 0,
    beside: int = 0,
    *,
    stays: bool = False,
) -> tuple[FittedGuide, ...]:
    """The guides in at most `room` tokens, in their order; the last `joined` were found later.

    `count(path, text)` is what a text takes under its heading, `rest(text)` puts a whole one on a
    page and gives its name, `work` is the folder worked in, and the others than those found later
    have at most `most_bytes` of UTF-8. What each may take, `loom.capabilities.memory.shares` says.
    What is `known` and made from the same text stays as it stands, as an excerpt that follows every
    word of the goal would cost the provider's cache; what changed of another
    is served first. Only where another of its kind lacks its share are those that take more than
    theirs made anew, the last served first. One that no room is left for is left out. `aside`
    tokens are for the names of those of the chain: one that fits takes them too, but for COUNTED.
    `beside` more are for what is said of guides found later, which take half of what the chain
    leaves. Of these nothing is asked until the chain is served: what it shows is the same whatever
    joins, and where it `stays`, it is as it was, whatever the room.
    """
    of = {part.guide.name: part for part in parts}
    chain, later = parts[: len(parts) - joined], parts[len(parts) - joined :]
    most_of = byte_shares(chain, most_bytes)
    texts = {name: part.text for name, part in of.items()}
    found = sorted((part.guide for part in later), key=lambda guide: far(guide, work))[:SERVED]
    asked = [part.guide.name for part in chain] + [guide.name for guide in found]
    whole = {name: count(name, texts[name]) for name in asked}
    each = room // EACH
    whole |= {one.name: min(whole[one.name], each) for one in found}
    sizes = {name: size_of(texts[name]) for name in most_of}
    whole |= {at: ceil(whole[at] * min(most / sizes[at], 1)) for at, most in most_of.items()}

    def shown(name: str, room: int) -> str:
        text, most = texts[name], most_of.get(name)
        if count(name, text) <= room and (most is None or sizes[name] <= most):
            return text
        heading = count(name, "")

        def inside(some: str) -> int:
            tokens = count(name, some) - heading
            return max(tokens, ceil(size_of(some) * (room - heading) / most)) if most else tokens

        more = (WHOLE if of[name].guide.whole else READ).format(path=keyed(name), page=rest(text))
        last = known[name].source.split("\n") if name in known else []
        return excerpt(text, goal, room - heading, inside, more, last)

    def served(names: Sequence[str], room: int, most: int, free: int = 0) -> dict[str, FittedGuide]:
        """Fitted guides by name, the first first, each in at `most` so much; those made now leave
        something `free`."""
        needs = [whole[name] for name in names]
        free = free if sum(needs) > room else 0
        share = dict(zip(names, lessened(shares(needs, room), free), strict=True))
        made = {at: known[at] for at in names if at in known and known[at].source == texts[at]}
        taken = {name: count(name, one.shown) for name, one in made.items()}
        spent = sum(taken.get(name, share[name]) for name in names)
        for name in reversed(names):
            if spent > room and taken.get(name, 0) > share[name]:
                spent -= taken.pop(name) - share[name]
                del made[name]
        waiting = [name for name in names if name not in made]
        kept = sum(share[name] for name in waiting)
        left = room - sum(taken.values()) if made else kept
        for name in waiting:
            kept -= share[name]
            if text := shown(name, min(left - kept, most)):
                made[name] = FittedGuide(name, texts[name], text)
                left -= count(name, text)
        return made

    first = [part.guide.name for part in reversed(chain)]
    if stays:
        made = {name: known[name] for name in first if name in known}
    else:
        made = served(first, room - min(aside, COUNTED), room, max(room // FREE, aside))
    left = room - sum(count(name, one.shown) for name, one in made.items())
    left -= min(aside + beside, max(left * 3 // 4, COUNTED))
    made |= served([guide.name for guide in found], left, each)
    return tuple(made[name] for name in texts if name in made)
