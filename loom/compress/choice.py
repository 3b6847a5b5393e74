"""The options each entry can be lowered to, and the ones the knapsack takes.

Theory of operation
-------------------
The options of an entry, from dear to cheap, are: as it stands, or what of it is not superseded; of
a user's message what the user typed; its line at REDUCED, at COMPACT; out, into the digest. Sizes
fall strictly, and each option's worth is the sum of what it shows, so the multiple-choice knapsack
weighs one file against another.

Lines are cheap and many: together they take at most a share of the window, the worthiest first;
the others have no line to stand on.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from loom.compress.entry_line import SAID, line, texts_of
from loom.compress.knapsack import ascent, choose
from loom.compress.scene import Scene
from loom.compress.slicing import current_units, differs, numbered, outdated, sliced
from loom.compress.worth.ahead import FRAME
from loom.compress.worth.units import Key, Unit, by_place
from loom_partitions.edits import Edit, Lowered
from loom_partitions.message import Detail, Step, Text, UserTurn

UNKNOWN = 0.05  # worth of an entry the catalog has forgotten
LINE = 25  # tokens of a usual line
ELIDED = 16  # tokens of the words for what is left out of one text
DROPPED = 12  # … of one argument


class Option(Struct, frozen=True):
    """One way an entry can stand: its size and worth, and the units it shows (`keep`).

    `keep` None: as it stands. `line` set: as a line. Neither units nor line: out.
    """

    tokens: int
    worth: float
    keep: frozenset[Key] | None = frozenset()
    line: Lowered | None = None

    @property
    def out(self) -> bool:
        """True when the entry leaves."""
        return self.keep is not None and not self.keep and self.line is None


class Chosen(Struct, frozen=True):
    """The edits of the entries that stay, those that leave the window, and the tokens that are left
    for what left it before and is worth more now.
    """

    edits: tuple[Edit, ...]
    out: tuple[int, ...]
    back: int = 0


class Choices:
    """The best options of some entries, for one room after another; they are worked out once."""

    def __init__(self, scene: Scene, entries: Sequence[UserTurn | Step]) -> None:
        self._scene = scene
        self._entries = entries
        self._current = {entry.id: current_units(scene, entry) for entry in entries}
        lines = _lines(scene, entries)
        self._options = [
            _options(scene, entry, self._current[entry.id], lines.get(entry.id))
            for entry in entries
        ]
        for key in scene.returning:  # a unit that left the window may come back, or not
            tokens = scene.catalog.units[key].tokens + FRAME
            back = Option(tokens, scene.worths.value(key), None)
            self._options.append([back, Option(0, 0.0)])
        self._ascents = [
            ascent([one.tokens for one in options], [one.worth for one in options])
            for options in self._options
        ]

    def within(self, room: int) -> Chosen:
        """The best options within `room` tokens."""
        places = choose(self._ascents, room)
        taken = [options[at] for options, at in zip(self._options, places, strict=True)]
        mine, back = taken[: len(self._entries)], taken[len(self._entries) :]
        gone = _gone(self._entries, mine)
        edits: list[Edit] = []
        for entry, option in zip(self._entries, mine, strict=True):
            if entry.id in gone or option.keep is None:
                continue
            if option.line is not None:
                edits.append(option.line)
            else:
                may = self._current[entry.id]
                edits += [edit for edit, _ in sliced(self._scene, entry, may)]
        out = tuple(entry.id for entry in self._entries if entry.id in gone)
        return Chosen(tuple(edits), out, sum(option.tokens for option in back))


def _gone(entries: Sequence[UserTurn | Step], taken: Sequence[Option]) -> set[int]:
    """The entries that leave. What the user said leaves in order: else what was taken back later
    would stand as if it were the last word.
    """
    out = {e.id for e, option in zip(entries, taken, strict=True) if option.out}
    newest = max((entry.id for entry in entries if entry.id in out and _speech(entry)), default=0)
    return out | {entry.id for entry in entries if entry.id < newest and _speech(entry)}


def _long(entry: UserTurn) -> bool:
    """True for a message of the user's that is more than a line can say."""
    whole = entry.typed and entry.detail < Detail.REDUCED
    return whole and entry.text.size > SAID[Detail.REDUCED]


def _speech(entry: UserTurn | Step) -> bool:
    return isinstance(entry, UserTurn) and not entry.source and entry.text.media is None


def _options(
    scene: Scene, entry: UserTurn | Step, units: Sequence[Unit], lowered: Lowered | None
) -> list[Option]:
    """The ways an entry can stand, from dear to cheap; `units` are those it may show."""
    if entry.detail >= Detail.REDUCED and not lowered:
        return [Option(0, 0.0)]
    here = scene.catalog.shown(entry).available
    worth = {u.key: scene.worths.valued(scene.worths.of(u.key), u.tokens) for u in units}
    best = _best(scene, entry)
    floor = scene.worths.valued(best * scene.fitted.reduced, LINE)
    mark = scene.window.config.mark
    places = by_place(units)
    texts = [(text, places.get(place, ())) for place, text in _texts(entry, units).items()]
    old = differs(here, units) or any(outdated(text, mine, mark) for text, mine in texts)
    bare = max(entry.tokens - _shown(entry, here), 30) + _elision(here)
    size = bare + sum(unit.tokens for unit in units)
    # What shows a file as it is no longer may not stay as it stands.
    options = [] if old else [Option(entry.tokens, floor + sum(worth.values()), None)]
    shorter = units and (old or any(numbered(text, mine) for text, mine in texts))
    value = floor + sum(worth[unit.key] for unit in units)
    cheaper = [Option(size, value, frozenset(worth))] if shorter else []
    cheaper += [Option(lowered.tokens, floor, line=lowered)] if lowered else []
    for option in cheaper:
        if not options or option.tokens < options[-1].tokens:
            options.append(option)
    return [*options, Option(0, 0.0)]


def _texts(entry: UserTurn | Step, units: Sequence[Unit]) -> dict[tuple[str, int], Text]:
    """The texts in lines that units are of, and all that stand beside."""
    places = {(unit.where, unit.at) for unit in units if unit.where != "said"}
    return {
        (where, at): text
        for where, at, text in texts_of(entry)
        if where == "beside" or (where, at) in places
    }


def _shown(entry: UserTurn | Step, units: Sequence[Unit]) -> int:
    """Tokens of the texts and arguments that the units are cut from."""
    texts = _texts(entry, units)
    others = (unit.tokens for unit in units if (unit.where, unit.at) not in texts)
    return sum(text.tokens for text in texts.values()) + sum(others)


def _best(scene: Scene, entry: UserTurn | Step) -> float:
    return max((scene.worths.of(unit.key) for unit in scene.catalog.of(entry)), default=UNKNOWN)


def _elision(units: Sequence[Unit]) -> int:
    texts = {(unit.where, unit.at) for unit in units if unit.where != "call"}
    return ELIDED * len(texts) + DROPPED * sum(unit.where == "call" for unit in units)


def _lines(scene: Scene, entries: Sequence[UserTurn | Step]) -> dict[int, Lowered]:
    """The lines entries may stand as, the worthiest entries first, within the lines' share.

    An entry that is a line already is among them when it may stay one.
    """
    room = int(scene.window.limits.capacity * scene.policy.line_share)
    mine = [e for e in entries if isinstance(e, Step) or e.call or not (e.source or _long(e))]
    details = [max(Detail.REDUCED, entry.detail) for entry in mine]
    texts = [line(entry, detail, scene.read) for entry, detail in zip(mine, details, strict=True)]
    sizes = scene.sizes.count.many([text + "\n" for text in texts])
    found = {
        entry.id: Lowered(entry.id, detail, text, tokens)
        for entry, detail, text, tokens in zip(mine, details, texts, sizes, strict=True)
    }
    allowed: dict[int, Lowered] = {}
    for entry in sorted(mine, key=lambda entry: (-_best(scene, entry), -entry.id)):
        if found[entry.id].tokens <= room:
            room -= found[entry.id].tokens
            allowed[entry.id] = found[entry.id]
    return allowed
