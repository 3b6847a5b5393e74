"""The working set: every unit (a piece of an entry that can stay or leave on its own) of the recent
session, in the window or not, and when each was last in use.

Theory of operation. Entries are added in order, each once, as they came in. An
entry brings its own units, and it *touches* older units: those of a file its calls name, those that
define a name it speaks of. It also *supersedes* some: a slice that a later read of the same lines
covers, whatever was known of a file that is then written whole, an edit's old text, the new text of
an edit that a later edit replaces, the answer to the same question asked again.

Age is measured in tokens that came in since, so it does not depend on how a window was cut. The
working set is derived: it is rebuilt from the journal when a session is opened, and holds the
newest units only, so that it is the same however often the session was opened before."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from loom.compress.entry_memo import EntryMemo
from loom.compress.worth.acts import TouchedNames, call_as_made, calls_with_units, touched_names
from loom.compress.worth.edited import Replacement, replacements_by_file
from loom.compress.worth.entry_units import (
    Count,
    EntryUnit,
    Read,
    UnitKey,
    is_failed_result,
    path_of_call,
    tool_of_call,
    units_of,
)
from loom.compress.worth.residency import ShownUnits, read_ahead_shows, shown_units
from loom.compress.worth.superseded import (
    is_file_text_in_call,
    keys_outdated_by_edit,
    keys_outdated_by_read,
)
from loom.compress.worth.unit_columns import DEFINED, NAMED
from loom.compress.worth.unit_index import UnitIndex
from loom.reduce.aliases import EDIT, READ, SHELL, WRITE
from loom.reduce.arguments import json_object
from loom.reduce.effects import touched_paths
from loom.reduce.shell_commands import is_checking_program, parse_command
from loom.reduce.shell_rule import command_of_call
from loom_partitions.message import Call, Outcome, Step, Text, UserTurn

MOST = 6_000  # units kept


class WorkingSet:
    """All known units (pieces of entries), when each was last used, and which are outdated.

    `clock` counts the tokens that have come in, `steps` the steps. `columns` has sizes, terms and
    uses of units. `stale` maps the key of an outdated unit to the id of the entry that outdated the
    unit. `looked` remembers which units entries show. `above` is the number of characters over
    which the policy shows a result as a preview; 0 means never."""

    def __init__(self, count: Count, above: int = 0) -> None:
        self._count = count
        self._above = above
        self.newest = 0
        self.clock = 0
        self.steps = 0
        self.of_entry: dict[int, tuple[EntryUnit, ...]] = {}
        self.recent: deque[TouchedNames] = deque(maxlen=8)
        self._index = UnitIndex()
        self.units, self.stale = self._index.units, self._index.stale
        self.columns = self._index.columns
        self._asked: dict[tuple[str, int, int], tuple[UnitKey, ...]] = {}  # answers, by question
        self._entry: dict[UnitKey, int] = {}  # the entry that showed a unit last
        self.looked = EntryMemo()
        self.scored: tuple[object, Any] | None = None  # what `worth.score_units` made last, of what
        self.window: Iterable[object] = ()  # what stands in it, as far as it is known

    @property
    def tokens(self) -> int:
        """Return the total tokens of all units."""
        return self._index.tokens

    def note(self, entry: UserTurn | Step, read: Read) -> None:
        """Add an entry that came in, unless it is already there. `read` returns a page's text."""
        if entry.id <= self.newest:
            return
        self.newest = self._index.entry = entry.id
        units = units_of(entry, read, self._count)
        self.clock += sum(unit.tokens for unit in units)
        self.steps += isinstance(entry, Step)
        touch = touched_names(entry, read)
        self.recent.append(touch)
        now = entry.id, self.clock, self.steps
        self.columns.use(self._touched_units(touch), *now)
        self.of_entry[entry.id] = units
        for call, outcome, mine in calls_with_units(entry, units):
            if call is not None and outcome is not None:
                self._supersede(call_as_made(call, read), outcome, mine)
            short = outcome is not None and 0 < self._above < outcome.text.size
            for unit in mine:
                self._index.add(unit)
                self._entry[unit.key] = entry.id
                # A preview for want of room may come back whole.
                waits = short and unit.where == "result"
                self.columns.set_first_use(unit.key, *now, waits=waits)
        while len(self.units) > MOST and len(self.of_entry) > 1:
            for unit in self.of_entry.pop(next(iter(self.of_entry))):  # the oldest
                if self._index.forget(unit):
                    self._entry.pop(unit.key, None)

    def ahead(self, entry: UserTurn) -> None:
        """Record that an entry of read-ahead text came in, which has no units of its own."""
        self.newest = max(self.newest, entry.id)

    def of(self, entry: UserTurn | Step) -> tuple[EntryUnit, ...]:
        """Return the units (pieces) of an entry, with the units read ahead into the entry."""
        return self.shown(entry).units

    @property
    def present_keys(self) -> Iterator[UnitKey]:
        """Yield the keys of the units that entries of the window show or could show."""
        for entry in self.window:
            if isinstance(entry, UserTurn | Step):
                yield from (unit.key for unit in self.of_entry.get(entry.id, ()))
                yield from (
                    unit.key
                    for ref in _refs_of_read_ahead(entry)
                    for unit in self._index.of_ref(ref)
                )

    def shown(self, entry: UserTurn | Step) -> ShownUnits:
        """Return the units (pieces) of an entry as a `ShownUnits`."""
        own, refs = self.of_entry.get(entry.id, ()), _refs_of_read_ahead(entry)
        made_of = own, [*map(self._index.of_ref, refs)]  # the same objects are soon compared
        return self.looked.of(
            entry, "", lambda: shown_units(entry, self._units_shown_by(entry, own)), made_of
        )

    def _units_shown_by(
        self, entry: UserTurn | Step, own: tuple[EntryUnit, ...]
    ) -> tuple[EntryUnit, ...]:
        """Return the units in `own` and the units read ahead into the entry."""
        if isinstance(entry, UserTurn):
            if not entry.ahead:
                return own
            back = self._known_units_in(entry.source, entry.field, entry.text)
            return tuple(replace(unit, where="user", at=0) for unit in back)
        mine = {unit.key for unit in own}
        return own + tuple(
            replace(unit, where="beside", at=at)
            for at, paged in enumerate(entry.beside)
            for unit in self._known_units_in(paged.ref, paged.field, paged.text)
            if unit.key not in mine
        )

    def _known_units_in(self, ref: str, field: str, text: Text) -> tuple[EntryUnit, ...]:
        """Return the units (pieces) of the page or entry `ref` that the read-ahead text shows.
        `field` is the part of the entry from which the text was read."""
        known = self._index.of_ref(ref)
        return tuple(
            unit for unit in known if unit.key[1] == field and read_ahead_shows(text, unit)
        )

    # Touches

    def _touched_units(self, touch: TouchedNames) -> dict[UnitKey, float]:
        """Return the weight of this use for each unit (piece of an entry) that is touched, by key.
        A unit is touched if its file, or a name it defines, is in `touch`."""
        known, used = self._index, dict[UnitKey, float]()
        for file in (*map(known.files.name, touch.paths), *known.files.names_among(touch.names)):
            used |= dict.fromkeys(known.by_file.get(file, ()), NAMED)
        for name in known.defining.keys() & touch.names:
            used |= dict.fromkeys(known.defining[name], DEFINED)
        return used

    # Supersession

    def _supersede(self, call: Call, outcome: Outcome, mine: Sequence[EntryUnit]) -> None:
        """Mark the units (pieces of entries) that a call makes outdated. `mine` are the units of
        the call and of its result."""
        tool = tool_of_call(call)
        asked = call.arguments
        if tool == SHELL:
            command = command_of_call(json_object(asked))
            self._outdate_files_of_command(command)
            run = parse_command(command)
            if any(map(is_checking_program, run.programs)):
                asked = run.key  # a check is outdated by its next run, whatever cuts its output
        if is_failed_result(outcome, tool):
            self._index.mark_stale(
                unit.key for unit in mine if is_file_text_in_call(unit)
            )  # it is in no file
            return
        question = (tool, hash(asked), len(asked))  # arguments may be a whole file
        answers = self._asked.pop(question, ())
        if tool in (EDIT, WRITE, READ):  # a reading's answer may be "unchanged"
            self._asked[question] = ()
        else:
            self._index.mark_stale(k for k in answers if k in self.units)
            self._asked[question] = tuple(unit.key for unit in mine)
        if len(self._asked) > MOST:
            del self._asked[next(iter(self._asked))]
        if tool == EDIT:
            for path, change in replacements_by_file(call):
                self._outdate_replaced_text(path, change)
        elif path := path_of_call(call):
            self._supersede_file(tool, call, path, mine)

    def _outdate_files_of_command(self, command: str) -> None:
        """Mark as outdated the units (pieces of entries) of files that a shell command may have
        changed."""
        known = self._index
        for path in touched_paths(command):
            if file := known.files.known(path):
                known.mark_stale([*known.current(file)])
                continue
            for file in known.files.within(path):  # what was only read may be as it was
                units = map(self.units.__getitem__, known.current(file))
                known.mark_stale([unit.key for unit in units if is_file_text_in_call(unit)])

    def _outdate_replaced_text(self, path: str, change: Replacement | None) -> None:
        """Mark as outdated the units (pieces of entries) of a file that an edit changes: all units
        if `change` is None. If the edit shifts lines, the other units of the file are marked as
        moved."""
        known = self._index.current_units(path)
        if change is None:
            self._index.mark_stale(unit.key for unit in known)
            return
        self._index.mark_stale(keys_outdated_by_edit(known, change))
        if change.old.count("\n") == change.new.count("\n"):
            return
        entries: dict[int, set[UnitKey]] = {}
        for unit in self._index.current_units(path):
            if unit.line:
                self._index.move(unit)
                entries.setdefault(self._entry[unit.key], set()).add(unit.key)
        for id, keys in entries.items():
            units = self.of_entry.get(id, ())
            self.of_entry[id] = tuple(self.units[u.key] if u.key in keys else u for u in units)

    def _supersede_file(self, tool: str, call: Call, path: str, mine: Sequence[EntryUnit]) -> None:
        """Mark as outdated the units (pieces of entries) of a file that was written, or whose lines
        were read again. `mine` are the units of the call and of its result."""
        known = self._index.current_units(path)
        if tool == WRITE:
            self._index.mark_stale(unit.key for unit in known)
        elif tool == READ:
            read = [unit for unit in mine if unit.kind == "read"]
            if read:
                self._index.mark_stale(keys_outdated_by_read(call, known, read))


def _refs_of_read_ahead(entry: UserTurn | Step) -> list[str]:
    """Return the pages or entries from which text was read ahead into an entry."""
    if isinstance(entry, UserTurn):
        return [entry.source] if entry.ahead else []
    return [paged.ref for paged in entry.beside]
