"""What each entry may be lowered to, and which of it the knapsack takes.

Theory of operation
-------------------
An entry's units are ordered by worth per token^γ. Its options, from dear to cheap, are: as it
stands; its best n − 1 units, its best n − 2, … its best one; its line at REDUCED, at COMPACT; out,
into the digest. Sizes fall strictly, and each option's worth is the sum of what it shows, so the
multiple-choice knapsack weighs one more slice of this file against one more of that.

Lines are cheap and many: together they take at most a share of the window, the worthiest first;
the others have no line to stand on.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from loom.compress.knapsack import choose
from loom.compress.lines import line
from loom.compress.scene import Scene
from loom.compress.slicing import numbered, sliced
from loom.residency.shown import available
from loom.residency.units import Key, Unit
from partitions.edits import Edit, Lowered
from partitions.message import Detail, Step, Text, UserTurn

UNKNOWN = 0.05  # worth of an entry the catalog has forgotten
LINE = 25  # tokens of a usual line
ELIDED = 14  # tokens of the words for what is left out of one text
DROPPED = 12  # … of one argument


class Option(Struct, frozen=True):
    """One way an entry can stand: its size and worth, and what it shows.

    `keep` None: as it stands. `line` set: as a line. Neither units nor line: out.
    """

    tokens: int
    worth: float
    keep: frozenset[Key] | None = frozenset()
    line: Lowered | None = None


class Chosen(Struct, frozen=True):
    """The edits of the entries that stay, and those that leave the window."""

    edits: tuple[Edit, ...]
    out: tuple[int, ...]
    tokens: int  # planned size of what stays


def chosen(scene: Scene, entries: Sequence[UserTurn | Step], room: int, *, out: bool) -> Chosen:
    """The best options of these entries within `room` tokens; `out` allows to fold them."""
    lines = _lines(scene, entries)
    options = [_options(scene, entry, lines.get(entry.id, ()), out=out) for entry in entries]
    sizes = [[option.tokens for option in each] for each in options]
    worths = [[option.worth for option in each] for each in options]
    taken = choose(sizes, worths, room)
    edits: list[Edit] = []
    gone: list[int] = []
    for entry, each, at in zip(entries, options, taken, strict=True):
        option = each[at]
        if option.line is not None:
            edits.append(option.line)
        elif option.keep is None:
            continue
        elif option.keep:
            units = scene.catalog.of_entry.get(entry.id, ())
            edits += [edit for edit, _ in sliced(scene, entry, units, option.keep)]
        else:
            gone.append(entry.id)
    spent = sum(each[at].tokens for each, at in zip(options, taken, strict=True))
    return Chosen(tuple(edits), tuple(gone), spent)


def _options(
    scene: Scene, entry: UserTurn | Step, lines: Sequence[Lowered], *, out: bool
) -> list[Option]:
    if entry.detail >= Detail.REDUCED and not lines and out:
        return [Option(0, 0.0)]
    known = scene.catalog.of_entry.get(entry.id, ())
    units = available(entry, known)
    worth = {unit.key: scene.worths.value(unit.key) for unit in units}
    best = _best(scene, entry)
    floor = scene.worths.valued(best * scene.fitted.reduced, LINE)
    options = [Option(entry.tokens, floor + sum(worth.values()), None)]
    for option in _partial(entry, units, worth, floor):
        if option.tokens < options[-1].tokens:
            options.append(option)
    shares = {Detail.REDUCED: scene.fitted.reduced, Detail.COMPACT: scene.fitted.compact}
    for lowered in lines:
        if lowered.tokens < options[-1].tokens:
            kept = scene.worths.valued(best * shares[lowered.detail], LINE)
            options.append(Option(lowered.tokens, kept, line=lowered))
    if out:
        options.append(Option(0, 0.0))
    return options


def _partial(
    entry: UserTurn | Step, units: Sequence[Unit], worth: dict[Key, float], floor: float
) -> list[Option]:
    """All of an entry's units when they say it shorter, then the best n − 1, n − 2, … one."""
    if isinstance(entry, UserTurn) and len(units) < 2:
        return []
    order = sorted(units, key=lambda unit: -worth[unit.key] / max(unit.tokens, 1))
    shorter = _unnumbered(entry, units)
    tokens = max(entry.tokens - _shown(entry, units), 30) + _elision(units)
    made: list[Option] = []
    keep: set[Key] = set()
    total = floor
    for unit in order if shorter else order[: len(units) - 1]:
        keep.add(unit.key)
        tokens += unit.tokens
        total += worth[unit.key]
        made.append(Option(tokens, total, frozenset(keep)))
    return made[::-1]


def _texts(entry: UserTurn | Step, units: Sequence[Unit]) -> dict[tuple[str, int], Text]:
    """The texts in lines that units are of."""
    if isinstance(entry, UserTurn):
        return {("user", 0): entry.text} if units else {}
    places = {unit.at for unit in units if unit.where == "result"}
    return {("result", at): entry.outcomes[at].text for at in sorted(places)}


def _unnumbered(entry: UserTurn | Step, units: Sequence[Unit]) -> bool:
    """Whether a text of the entry stands with line numbers."""
    return any(
        numbered(text, [unit for unit in units if (unit.where, unit.at) == place])
        for place, text in _texts(entry, units).items()
    )


def _shown(entry: UserTurn | Step, units: Sequence[Unit]) -> int:
    """Tokens of what the units are of, as it stands: its texts in lines, and the other units."""
    texts = _texts(entry, units)
    others = (unit.tokens for unit in units if (unit.where, unit.at) not in texts)
    return sum(text.tokens for text in texts.values()) + sum(others)


def _best(scene: Scene, entry: UserTurn | Step) -> float:
    known = scene.catalog.of_entry.get(entry.id, ())
    return max((scene.worths.of(unit.key) for unit in known), default=UNKNOWN)


def _elision(units: Sequence[Unit]) -> int:
    texts = {(unit.where, unit.at) for unit in units if unit.where != "call"}
    return ELIDED * len(texts) + DROPPED * sum(unit.where == "call" for unit in units)


def _lines(scene: Scene, entries: Sequence[UserTurn | Step]) -> dict[int, tuple[Lowered, ...]]:
    """The lines entries may stand as, the worthiest entries first, within the lines' share.

    An entry that is a line already is among them when it may stay one.
    """
    room = int(scene.window.limits.capacity * scene.policy.line_share)
    mine = [entry for entry in entries if not (isinstance(entry, UserTurn) and entry.source)]
    texts = [(entry, d, line(entry, d, scene.read)) for entry in mine for d in _levels(entry)]
    sizes = scene.sizes.count.many([text + "\n" for _, _, text in texts])
    found: dict[int, list[Lowered]] = {}
    for (entry, detail, text), tokens in zip(texts, sizes, strict=True):
        found.setdefault(entry.id, []).append(Lowered(entry.id, detail, text, tokens))
    order = sorted(mine, key=lambda entry: (-_best(scene, entry), -entry.id))
    allowed: dict[int, tuple[Lowered, ...]] = {}
    for entry in order:
        lines = found.get(entry.id, [])
        least = min((each.tokens for each in lines), default=entry.tokens)
        if least > room:
            continue
        room -= least
        allowed[entry.id] = tuple(lines)
    return allowed


def _levels(entry: UserTurn | Step) -> list[Detail]:
    return [detail for detail in (Detail.REDUCED, Detail.COMPACT) if detail >= entry.detail]
