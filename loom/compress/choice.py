"""Which entries stay under a token target, and what they show.

An entry stands as it is or, where that is less or newer, as the slices of it that no later call
superseded; else it leaves, into the digest. What it shows is worth the sum of its slices. The
entries of the highest worth a token stay while they fit, a tie goes to the newest; slices that
left the window before compete as entries do.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from loom.compress.cut_input import CutInput
from loom.compress.entry_line import texts_by_place
from loom.compress.slicing import current_units_of, edits_to_show_only, has_line_numbers, hides_some
from loom.compress.worth.ahead import FRAME
from loom.compress.worth.entry_units import EntryUnit, units_by_place
from loom_partitions.edits import Edit
from loom_partitions.message import Detail, Step, Text, UserTurn

UNKNOWN = 0.05  # worth of an entry the catalog has forgotten
LINE = 25  # tokens of a usual line
ELIDED = 16  # tokens of the words for what is left out of one text
DROPPED = 12  # … of one argument


class Option(Struct, frozen=True):
    """How an entry can stay: its size, its worth, and whether it is cut to its `slices`."""

    tokens: int
    worth: float
    slices: bool = False

    @property
    def gain(self) -> float:
        """Worth a token."""
        return self.worth / max(self.tokens, 1)


class Choice(Struct, frozen=True):
    """The edits of the entries that stay, those that leave the window, and the tokens that are left
    for what left it before and is worth more now.
    """

    edits: tuple[Edit, ...]
    out: tuple[int, ...]
    back: int = 0


class Choices:
    """How some entries and what may return can stay, for one room after another; the options are
    worked out once."""

    def __init__(self, scene: CutInput, entries: Sequence[UserTurn | Step]) -> None:
        self._scene = scene
        self._entries = entries
        self._current = [current_units_of(scene, entry) for entry in entries]
        self._cut: dict[int, list[Edit]] = {}  # the edits of entries that stay as slices
        self._options = [
            *map(_option_to_stay, [scene] * len(entries), entries, self._current),
            *(
                Option(scene.catalog.units[key].tokens + FRAME, scene.worths.value(key))
                for key in scene.returning
            ),
        ]
        worthy = [at for at, one in enumerate(self._options) if one is not None and one.worth > 0]
        gains = [0.0 if one is None else one.gain for one in self._options]
        self._order = sorted(worthy, key=lambda at: (-gains[at], -at))

    def within(self, room: int) -> Choice:
        """The choice of what stays within `room` tokens."""
        taken: dict[int, Option] = {}
        for at in self._order:
            option = self._options[at]
            if option is not None and option.tokens <= room:
                taken[at] = option
                room -= option.tokens
        gone = _leaving_ids(self._entries, taken)
        edits: list[Edit] = []
        for at, entry in enumerate(self._entries):
            if entry.id not in gone and taken[at].slices:
                if at not in self._cut:
                    cut = edits_to_show_only(self._scene, entry, self._current[at])
                    self._cut[at] = [edit for edit, _ in cut]
                edits += self._cut[at]
        back = sum(one.tokens for at, one in taken.items() if at >= len(self._entries))
        return Choice(tuple(edits), tuple(e.id for e in self._entries if e.id in gone), back)


def _leaving_ids(entries: Sequence[UserTurn | Step], taken: dict[int, Option]) -> set[int]:
    """The entries that leave. What the user said leaves in order: else what was taken back later
    would stand as if it were the last word.
    """
    out = {entry.id for at, entry in enumerate(entries) if at not in taken}
    newest = max(
        (entry.id for entry in entries if entry.id in out and _is_user_speech(entry)), default=0
    )
    return out | {entry.id for entry in entries if entry.id < newest and _is_user_speech(entry)}


def _is_user_speech(entry: UserTurn | Step) -> bool:
    return isinstance(entry, UserTurn) and not entry.source and entry.text.media is None


def _option_to_stay(
    scene: CutInput, entry: UserTurn | Step, units: Sequence[EntryUnit]
) -> Option | None:
    """How an entry can stay, showing these units; None where it can only leave."""
    if entry.detail >= Detail.REDUCED:
        return None
    known, _, here = scene.catalog.shown(entry)
    worths = {unit.key: scene.worths.of(unit.key) for unit in known}
    worth = scene.worths.valued(max(worths.values(), default=UNKNOWN) * scene.fitted.reduced, LINE)
    worth += sum(scene.worths.valued(worths[unit.key], unit.tokens) for unit in units)
    places = units_by_place(units)
    texts = [(text, places.get(place, ())) for place, text in _texts_by_place(entry, units).items()]
    size = max(entry.tokens - _tokens_cut_from(entry, here), 30) + _elision_tokens(here)
    size += sum(unit.tokens for unit in units)
    # What shows a file as it is no longer may not stay as it stands.
    if hides_some(here, units):
        return Option(size, worth, slices=True)
    cut = size < entry.tokens and any(has_line_numbers(text, mine) for text, mine in texts)
    return Option(size if cut else entry.tokens, worth, slices=cut)


def _texts_by_place(
    entry: UserTurn | Step, units: Sequence[EntryUnit]
) -> dict[tuple[str, int], Text]:
    """The texts in lines that units are of, and all that stand beside."""
    places = {(unit.where, unit.at) for unit in units if unit.where != "said"}
    return {
        (where, at): text
        for where, at, text in texts_by_place(entry)
        if where == "beside" or (where, at) in places
    }


def _tokens_cut_from(entry: UserTurn | Step, units: Sequence[EntryUnit]) -> int:
    """Tokens of the texts and arguments that the units are cut from."""
    texts = _texts_by_place(entry, units)
    others = (unit.tokens for unit in units if (unit.where, unit.at) not in texts)
    return sum(text.tokens for text in texts.values()) + sum(others)


def _elision_tokens(units: Sequence[EntryUnit]) -> int:
    texts = {(unit.where, unit.at) for unit in units if unit.where != "call"}
    return ELIDED * len(texts) + DROPPED * sum(unit.where == "call" for unit in units)
