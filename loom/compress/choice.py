"""Choose which entries stay under a token target, and what each of them shows.

An entry stays as it stands, or it stays with only those of its units that no later call superseded
(where that is smaller, or where the others are out of date), or it leaves into the digest. What an
entry shows is worth the sum of its units. Entries of the highest worth per token stay while they
fit; of equals the newer stays. Units that left the window earlier compete with entries."""

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

UNKNOWN = 0.05  # worth of an entry the working set has forgotten
LINE = 25  # tokens of a usual line
ELIDED = 16  # tokens of the words for what is left out of one text
DROPPED = 12  # … of one argument


class Option(Struct, frozen=True):
    """One way to use room in the window: an entry that stays, or a unit (a piece of an entry) that
    returns. `tokens` is the room taken, `worth` the score. With `slices` True the entry shows only
    units that are not outdated."""

    tokens: int
    worth: float
    slices: bool = False

    @property
    def gain(self) -> float:
        """Return the worth per token."""
        return self.worth / max(self.tokens, 1)


class Choice(Struct, frozen=True):
    """The decision of a cut on what stays. `edits` shorten entries that stay. `out` has the ids of
    the entries that leave. `back` is the number of tokens reserved for text that returns to the
    window."""

    edits: tuple[Edit, ...]
    out: tuple[int, ...]
    back: int = 0


class Choices:
    """What could stay in the window after a cut: old entries, and units (pieces of entries) that
    could return."""

    def __init__(self, cut_input: CutInput, entries: Sequence[UserTurn | Step]) -> None:
        self._cut_input = cut_input
        self._entries = entries
        self._current = [current_units_of(cut_input, entry) for entry in entries]
        self._cut: dict[int, list[Edit]] = {}  # the edits of entries that stay as slices
        self._options = [
            *map(_option_to_stay, [cut_input] * len(entries), entries, self._current),
            *(
                Option(cut_input.catalog.units[key].tokens + FRAME, cut_input.worths.value(key))
                for key in cut_input.returning
            ),
        ]
        worthy = [at for at, one in enumerate(self._options) if one is not None and one.worth > 0]
        gains = [0.0 if one is None else one.gain for one in self._options]
        self._order = sorted(worthy, key=lambda at: (-gains[at], -at))

    def fit(self, room: int) -> Choice:
        """Return the choice for `room` tokens, by worth per token."""
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
                    cut = edits_to_show_only(self._cut_input, entry, self._current[at])
                    self._cut[at] = [edit for edit, _ in cut]
                edits += self._cut[at]
        back = sum(one.tokens for at, one in taken.items() if at >= len(self._entries))
        return Choice(tuple(edits), tuple(e.id for e in self._entries if e.id in gone), back)


def _leaving_ids(entries: Sequence[UserTurn | Step], taken: dict[int, Option]) -> set[int]:
    """Return the ids of the entries that leave. The keys of `taken` are indexes of entries to keep.
    If a message of the user leaves, all older messages of the user leave too: an older message that
    the user later took back must not look like the latest message."""
    out = {entry.id for at, entry in enumerate(entries) if at not in taken}
    newest = max(
        (entry.id for entry in entries if entry.id in out and _is_user_speech(entry)), default=0
    )
    return out | {entry.id for entry in entries if entry.id < newest and _is_user_speech(entry)}


def _is_user_speech(entry: UserTurn | Step) -> bool:
    """Return True for a user turn with the user's own words."""
    return isinstance(entry, UserTurn) and not entry.source and entry.text.media is None


def _option_to_stay(
    cut_input: CutInput, entry: UserTurn | Step, units: Sequence[EntryUnit]
) -> Option | None:
    """Return the option to keep an entry, whole or with only `units` (pieces of the entry) shown.
    Return None if the entry is already one line."""
    if entry.detail >= Detail.REDUCED:
        return None
    known, _, here = cut_input.catalog.shown(entry)
    worths = {unit.key: cut_input.worths.of(unit.key) for unit in known}
    worth = cut_input.worths.valued(
        max(worths.values(), default=UNKNOWN) * cut_input.fitted.reduced, LINE
    )
    worth += sum(cut_input.worths.valued(worths[unit.key], unit.tokens) for unit in units)
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
    """Return the texts of an entry that contain one of `units` (pieces of the entry), and all texts
    read ahead beside results. The keys are (kind of place, index)."""
    places = {(unit.where, unit.at) for unit in units if unit.where != "said"}
    return {
        (where, at): text
        for where, at, text in texts_by_place(entry)
        if where == "beside" or (where, at) in places
    }


def _tokens_cut_from(entry: UserTurn | Step, units: Sequence[EntryUnit]) -> int:
    """Return the total tokens of the texts and call arguments that contain these units."""
    texts = _texts_by_place(entry, units)
    others = (unit.tokens for unit in units if (unit.where, unit.at) not in texts)
    return sum(text.tokens for text in texts.values()) + sum(others)


def _elision_tokens(units: Sequence[EntryUnit]) -> int:
    """Return an estimate of the tokens of the notes that replace these units."""
    texts = {(unit.where, unit.at) for unit in units if unit.where != "call"}
    return ELIDED * len(texts) + DROPPED * sum(unit.where == "call" for unit in units)
