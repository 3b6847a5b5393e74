"""The catalog: every unit of the recent session, resident or not, and when each was last in use.

Theory of operation
-------------------
Entries are noted in order, each once, as they came in. An entry brings its own units, and it
*touches* older ones: those of a file its calls name, those that define a name it speaks of, those
whose line a search result points at. It also *supersedes* some: a slice that a later read of the
same lines covers, whatever was known of a file that is then written whole, an edit's old text, the
new text of an edit that a later edit replaces, the answer to the same question asked again.

Age is measured in tokens that came in since, so it does not depend on how a window was cut. The
catalog is derived: it is rebuilt from the journal when a session is opened, and holds the newest
units only, so that it is the same however often the session was opened before.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from loom.compress.entry_memo import EntryMemo
from loom.compress.worth.acts import Touching, acts, as_made, touching
from loom.compress.worth.columns import DEFINED, NAMED
from loom.compress.worth.edited import Change, changes_of
from loom.compress.worth.residency import Shown, pages_in, shown_of
from loom.compress.worth.superseded import by_edit, by_read, in_call
from loom.compress.worth.unit_index import UnitIndex
from loom.compress.worth.units import (
    Count,
    Key,
    Read,
    Unit,
    path_of,
    refused,
    tool_of,
    units_of,
)
from loom.reduce.aliases import EDIT, READ, SHELL, WRITE
from loom.reduce.arguments import object_of
from loom.reduce.commands import is_checking, parsed
from loom.reduce.effects import touched_paths
from loom.reduce.shell import command_of
from loom_partitions.message import Call, Outcome, Step, Text, UserTurn

MOST = 6_000  # units kept


class Catalog:
    """Units by key and by entry, when they were touched last, and which are superseded.

    `clock` is tokens that have come in, `steps` the steps among them. `columns`
    hold sizes, terms and last uses of units, `stale` has the superseded
    ones and which entry each was superseded by, `tokens` is what all
    units take, `looked` remembers what entries show. A result of more than
    `above` characters (0: of any number) came in short because it was to.
    """

    def __init__(self, count: Count, above: int = 0) -> None:
        self._count = count
        self._above = above
        self.newest = 0
        self.clock = 0
        self.steps = 0
        self.of_entry: dict[int, tuple[Unit, ...]] = {}
        self.recent: deque[Touching] = deque(maxlen=8)
        self._index = UnitIndex()
        self.units, self.stale = self._index.units, self._index.stale
        self.columns = self._index.columns
        self._asked: dict[tuple[str, int, int], tuple[Key, ...]] = {}  # answers, by question
        self._entry: dict[Key, int] = {}  # the entry that showed a unit last
        self.looked = EntryMemo()
        self.scored: tuple[object, Any] | None = None  # what `worth.scored` made last, of what
        self.window: Iterable[object] = ()  # what stands in it, as far as it is known

    @property
    def tokens(self) -> int:
        """Tokens of all units."""
        return self._index.tokens

    def note(self, entry: UserTurn | Step, read: Read) -> None:
        """Take in an entry as it came in; one that is known already is passed over."""
        if entry.id <= self.newest:
            return
        self.newest = self._index.entry = entry.id
        units = units_of(entry, read, self._count)
        self.clock += sum(unit.tokens for unit in units)
        self.steps += isinstance(entry, Step)
        touch = touching(entry, read)
        self.recent.append(touch)
        now = entry.id, self.clock, self.steps
        self.columns.use(self._touched(touch), *now)
        self.of_entry[entry.id] = units
        for call, outcome, mine in acts(entry, units):
            if call is not None and outcome is not None:
                self._supersede(as_made(call, read), outcome, mine)
            short = outcome is not None and 0 < self._above < outcome.text.size
            for unit in mine:
                self._index.add(unit)
                self._entry[unit.key] = entry.id
                # A preview for want of room may come back whole.
                waits = short and unit.where == "result"
                self.columns.arrive(unit.key, *now, waits=waits)
        while len(self.units) > MOST and len(self.of_entry) > 1:
            for unit in self.of_entry.pop(next(iter(self.of_entry))):  # the oldest
                if self._index.forget(unit):
                    self._entry.pop(unit.key, None)

    def ahead(self, entry: UserTurn) -> None:
        """Take in an entry that shows known units again, or none."""
        self.newest = max(self.newest, entry.id)

    def of(self, entry: UserTurn | Step) -> tuple[Unit, ...]:
        """The units of an entry: its own, and those that were read ahead into it.

        What a step shows both in its result and beside it is its result's.
        """
        return self.shown(entry).units

    @property
    def present(self) -> Iterator[Key]:
        """The units that entries of the window show, or could."""
        for entry in self.window:
            if isinstance(entry, UserTurn | Step):
                yield from (unit.key for unit in self.of_entry.get(entry.id, ()))
                yield from (unit.key for ref in _refs(entry) for unit in self._index.of_ref(ref))

    def shown(self, entry: UserTurn | Step) -> Shown:
        """The units of an entry, and which of them stand in the window."""
        own, refs = self.of_entry.get(entry.id, ()), _refs(entry)
        made_of = own, [*map(self._index.of_ref, refs)]  # the same objects are soon compared
        return self.looked.of(entry, "", lambda: shown_of(entry, self._units(entry, own)), made_of)

    def _units(self, entry: UserTurn | Step, own: tuple[Unit, ...]) -> tuple[Unit, ...]:
        if isinstance(entry, UserTurn):
            if not entry.ahead:
                return own
            back = self._shown_in(entry.source, entry.field, entry.text)
            return tuple(replace(unit, where="user", at=0) for unit in back)
        mine = {unit.key for unit in own}
        return own + tuple(
            replace(unit, where="beside", at=at)
            for at, paged in enumerate(entry.beside)
            for unit in self._shown_in(paged.ref, paged.field, paged.text)
            if unit.key not in mine
        )

    def _shown_in(self, ref: str, field: str, text: Text) -> tuple[Unit, ...]:
        """The known units of a page or a part of an entry that a text shows."""
        known = self._index.of_ref(ref)
        return tuple(unit for unit in known if unit.key[1] == field and pages_in(text, unit))

    # Touches

    def _touched(self, touch: Touching) -> dict[Key, float]:
        """The units an entry touches, each with the weight of that use."""
        known, used = self._index, dict[Key, float]()
        for file in (*map(known.files.name, touch.paths), *known.files.among(touch.names)):
            used |= dict.fromkeys(known.by_file.get(file, ()), NAMED)
        for name in known.defining.keys() & touch.names:
            used |= dict.fromkeys(known.defining[name], DEFINED)
        return used

    # Supersession

    def _supersede(self, call: Call, outcome: Outcome, mine: Sequence[Unit]) -> None:
        """Let what was known before a call be as the call left it; `mine` are the call's units."""
        tool = tool_of(call)
        asked = call.arguments
        if tool == SHELL:
            command = command_of(object_of(asked))
            self._doubt(command)
            run = parsed(command)
            if any(map(is_checking, run.programs)):
                asked = run.key  # a check is outdated by its next run, whatever cuts its output
        if refused(outcome, tool):
            self._index.outdate(unit.key for unit in mine if in_call(unit))  # it is in no file
            return
        question = (tool, hash(asked), len(asked))  # arguments may be a whole file
        answers = self._asked.pop(question, ())
        if tool in (EDIT, WRITE, READ):  # a reading's answer may be "unchanged"
            self._asked[question] = ()
        else:
            self._index.outdate(k for k in answers if k in self.units)
            self._asked[question] = tuple(unit.key for unit in mine)
        if len(self._asked) > MOST:
            del self._asked[next(iter(self._asked))]
        if tool == EDIT:
            for path, change in changes_of(call):
                self._change(path, change)
        elif path := path_of(call):
            self._supersede_file(tool, call, path, mine)

    def _doubt(self, command: str) -> None:
        """Outdate the slices of each file that a command may have changed."""
        known = self._index
        for path in touched_paths(command):
            if file := known.files.known(path):
                known.outdate([*known.current(file)])
                continue
            for file in known.files.within(path):  # what was only read may be as it was
                units = map(self.units.__getitem__, known.current(file))
                known.outdate([unit.key for unit in units if in_call(unit)])

    def _change(self, path: str, change: Change | None) -> None:
        """Let the slices of a file that an edit changes leave; the others stand at other lines."""
        known = self._index.current_of(path)
        if change is None:
            self._index.outdate(unit.key for unit in known)
            return
        self._index.outdate(by_edit(known, change))
        if change.old.count("\n") == change.new.count("\n"):
            return
        entries: dict[int, set[Key]] = {}
        for unit in self._index.current_of(path):
            if unit.line:
                self._index.move(unit)
                entries.setdefault(self._entry[unit.key], set()).add(unit.key)
        for id, keys in entries.items():
            units = self.of_entry.get(id, ())
            self.of_entry[id] = tuple(self.units[u.key] if u.key in keys else u for u in units)

    def _supersede_file(self, tool: str, call: Call, path: str, mine: Sequence[Unit]) -> None:
        known = self._index.current_of(path)
        if tool == WRITE:
            self._index.outdate(unit.key for unit in known)
        elif tool == READ:
            read = [unit for unit in mine if unit.kind == "read"]
            if read:
                self._index.outdate(by_read(call, known, read))


def _refs(entry: UserTurn | Step) -> list[str]:
    """Return the names of what was read ahead into an entry."""
    if isinstance(entry, UserTurn):
        return [entry.source] if entry.ahead else []
    return [paged.ref for paged in entry.beside]
