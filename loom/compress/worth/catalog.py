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

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from loom.compress.worth.acts import acts, as_made
from loom.compress.worth.edited import Change, changed, changes_of
from loom.compress.worth.file_names import FileNames, may_be_same
from loom.compress.worth.hits import Hits
from loom.compress.worth.reruns import Reruns
from loom.compress.worth.residency import pages_in
from loom.compress.worth.superseded import by_command, by_edit, by_read, in_call
from loom.compress.worth.touch import Touching, touching
from loom.compress.worth.units import (
    Count,
    Key,
    Read,
    Unit,
    path_of,
    refused,
    tool_of,
    units_of,
    weighed,
)
from loom.reduce.aliases import EDIT, READ, SHELL, WRITE
from loom.reduce.arguments import object_of
from loom.reduce.shell import command_of
from loom_partitions.message import Call, Outcome, Step, Text, UserTurn

MOST = 6_000  # units kept
USES = 16  # uses of one unit remembered
# How much a use says: it came in, its file was named, a name it defines was spoken of, the very
# lines were edited or pointed at.
CREATED, NAMED, DEFINED, POINTED = 1.5, 1.0, 1.5, 2.0
WHOLE_STATE = {"todowrite", "updateplan", "writetodos", "settodolist", "plan", "todo"}


class Catalog:
    """Units by key and by entry, when they were touched last, and which are superseded.

    `clock` is tokens that have come in, `steps` the steps among them. `uses` are the clock and
    weight of each unit's last uses, its arrival among them, `used_at` the step and `hit` the entry
    of the last. `stale` are the superseded ones,
    `frequency` counts the units that hold a term, `postings` names them. A result of more than
    `above` characters (0: of any number) came in short because it was to.
    """

    def __init__(self, count: Count, above: int = 0) -> None:
        self._count = count
        self._above = above
        self.newest = 0
        self.clock = 0
        self.steps = 0
        self.units: dict[Key, Unit] = {}
        self.of_entry: dict[int, tuple[Unit, ...]] = {}
        self.uses: dict[Key, deque[tuple[int, float]]] = {}
        self.used_at: dict[Key, int] = {}
        self.stale: set[Key] = set()
        self.reruns = Reruns(MOST)
        self.frequency: Counter[str] = Counter()
        self.postings: dict[str, dict[Key, None]] = {}
        self.recent: deque[Touching] = deque(maxlen=8)
        self.hit: dict[Key, int] = {}
        self._files = FileNames()
        self._by_file: dict[str, dict[Key, None]] = {}
        self._hits = Hits()
        self._failed: dict[tuple[str, str], list[Key]] = {}  # errors, by tool and file
        self._asked: dict[tuple[str, str], list[Key]] = {}
        self._by_ref: dict[str, list[Key]] = {}
        self._by_text: dict[str, Key] = {}
        self._shown: dict[Key, list[int]] = {}  # entries that show a unit, or did
        self._order: deque[int] = deque()

    def note(self, entry: UserTurn | Step, read: Read) -> None:
        """Take in an entry as it came in; one that is known already is passed over."""
        if entry.id <= self.newest:
            return
        self.newest = entry.id
        units = units_of(entry, read, self._count)
        self.clock += sum(unit.tokens for unit in units)
        self.steps += isinstance(entry, Step)
        touch = touching(entry, read)
        self.recent.append(touch)
        self._touch(entry.id, touch)
        self.of_entry[entry.id] = units
        for call, outcome, mine in acts(entry, units):
            if call is not None and outcome is not None:
                self._supersede(as_made(call, read), outcome, mine)
            short = outcome is not None and 0 < self._above < outcome.text.size
            for unit in mine:
                self._add(unit)
                self._shown[unit.key] = [entry.id]
                if not (short and unit.where == "result"):
                    self.hit[unit.key] = entry.id  # a preview for want of room may come back whole
            if call is not None:
                self._hits.add(call, mine)
        self._order.append(entry.id)
        while len(self.units) > MOST and len(self._order) > 1:
            self._forget(self._order.popleft())

    def ahead(self, entry: UserTurn) -> None:
        """Take in an entry that shows known units again, or none."""
        self.newest = max(self.newest, entry.id)

    def of(self, entry: UserTurn | Step) -> tuple[Unit, ...]:
        """The units of an entry: its own, and those that were read ahead into it.

        What a step shows both in its result and beside it is its result's.
        """
        own = self.of_entry.get(entry.id, ())
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
        known = (self.units[key] for key in self._by_ref.get(ref, ()) if key in self.units)
        return tuple(unit for unit in known if unit.key[1] == field and pages_in(text, unit))

    def file(self, path: str) -> Iterable[Key]:
        """The units of a file, oldest first."""
        return self._by_file.get(self._files.name(path), {})

    def _add(self, unit: Unit) -> None:
        self.units[unit.key] = unit
        if unit.where == "result" and unit.kind != "error":
            before = self._by_text.get(unit.text)
            if before in self.units:
                self.stale.add(before)  # it stands here again, word for word
            self._by_text[unit.text] = unit.key
        self._by_ref.setdefault(unit.key[0], []).append(unit.key)
        self.uses[unit.key] = deque([(self.clock, CREATED)], maxlen=USES)
        self.used_at[unit.key] = self.steps
        if unit.kind == "old":
            self.stale.add(unit.key)  # it is what stands there no longer
        self._list(unit)
        if unit.path:
            self._by_file.setdefault(self._files.name(unit.path), {})[unit.key] = None

    def _forget(self, entry: int) -> None:
        for unit in self.of_entry.pop(entry):
            if self.units.pop(unit.key, None) is None:
                continue
            self.uses.pop(unit.key, None)
            self.used_at.pop(unit.key, None)
            self._by_ref.pop(unit.key[0], None)
            self._retext(unit)
            self.hit.pop(unit.key, None)
            self.stale.discard(unit.key)
            self._unlist(unit)
            self._shown.pop(unit.key, None)
            self._hits.forget(unit.key)
            if unit.path:
                self._by_file[self._files.name(unit.path)].pop(unit.key, None)

    def _retext(self, unit: Unit) -> None:
        """Drop the unit from the index of texts."""
        if self._by_text.get(unit.text) == unit.key:
            del self._by_text[unit.text]

    def _list(self, unit: Unit) -> None:
        for term in unit.terms:
            self.frequency[term] += 1
            self.postings.setdefault(term, {})[unit.key] = None

    def _unlist(self, unit: Unit) -> None:
        self.frequency.subtract(unit.terms)
        for term in unit.terms:
            self.postings[term].pop(unit.key, None)
            if not self.postings[term]:
                del self.postings[term], self.frequency[term]

    # Touches

    def _touch(self, entry: int, touch: Touching) -> None:
        used: dict[Key, float] = {}  # a unit that is used in several ways counts by the best
        for path in touch.paths:
            used |= dict.fromkeys(self.file(path), NAMED)
        for word in touch.names:
            for path in self._files.named(word):
                used |= dict.fromkeys(self._by_file.get(path, ()), NAMED)
        for word in touch.names:
            held = (key for key in self.postings.get(word, ()) if word in self.units[key].defines)
            used |= dict.fromkeys(held, DEFINED)
        used |= dict.fromkeys(self._pointed(touch), POINTED)
        for key, weight in used.items():
            self.uses[key].append((self.clock, weight))
            self.used_at[key] = self.steps
            self.hit[key] = entry

    def _pointed(self, touch: Touching) -> Iterator[Key]:
        """The units whose very lines are edited, or pointed at by a search result."""
        for path, line in touch.places:
            for key in self.file(path):
                first, last = self.units[key].file_lines
                if first <= line <= last and self.units[key].kind == "read":
                    yield key
        for path, old in touch.edited:
            yield from (key for key in self.file(path) if old in self.units[key].text)

    # Supersession

    def _supersede(self, call: Call, outcome: Outcome, mine: Sequence[Unit]) -> None:
        """Let what was known before a call be as the call left it; `mine` are the call's units."""
        tool = tool_of(call)
        if tool == SHELL:
            command = command_of(object_of(call.arguments))
            self._doubt(command)
            self.reruns.note(command, outcome, mine)
        tried = (tool, self._files.name(path_of(call)))
        if refused(outcome):
            self.stale.update(unit.key for unit in mine if in_call(unit))  # it is in no file
            said = [unit.key for unit in mine if unit.kind == "error"]
            self._failed.setdefault(tried, []).extend(said if tried[1] else ())
            return
        self.stale.update(k for k in self._failed.pop(tried, ()) if k in self.units)
        state = call.name.casefold().replace("_", "").replace("-", "") in WHOLE_STATE
        question = (tool, "" if state else call.arguments)
        if tool not in (EDIT, WRITE, READ):  # a reading's answer may be "unchanged"
            self.stale.update(k for k in self._asked.get(question, ()) if k in self.units)
        self._asked.pop(question, None)
        self._asked[question] = [unit.key for unit in mine]
        if len(self._asked) > MOST:
            del self._asked[next(iter(self._asked))]
        if tool == EDIT:
            for path, change in changes_of(call):
                self._change(path, change)
        elif path := path_of(call):
            self._supersede_file(tool, call, path, mine)

    def _doubt(self, command: str) -> None:
        """What a command may have changed is known no longer."""
        for word in dict.fromkeys(by_command(command)):  # a long one says few words often
            self.stale.update(self._hits.outdated(word, None))
            if self._files.known(word):
                self.stale.update(unit.key for unit in self._current(word))

    def _current(self, path: str) -> list[Unit]:
        """The units of a file that are not superseded, of no other that only ends alike."""
        known = (self.units[key] for key in self.file(path) if key not in self.stale)
        return [unit for unit in known if may_be_same(unit.path, path)]

    def _change(self, path: str, change: Change | None) -> None:
        """Let the slices of a file show what an edit made of them."""
        known = self._current(path)
        self.stale.update(self._hits.outdated(path, change))
        if change is None:
            self.stale.update(unit.key for unit in known)
            return
        self.stale.update(by_edit(known, change))
        texts = dict(changed(known, change))
        entries: dict[int, set[Key]] = {}
        for (key, text), tokens in zip(texts.items(), self._count([*texts.values()]), strict=True):
            old = self.units[key]
            unit = weighed(replace(old, text=text, edited=True), tokens)
            self._retext(old)
            self._unlist(old)
            self._list(unit)
            self.units[key] = unit
            for id in self._shown[key]:
                entries.setdefault(id, set()).add(key)
        for id, keys in entries.items():
            units = self.of_entry.get(id, ())
            self.of_entry[id] = tuple(self.units[u.key] if u.key in keys else u for u in units)

    def _supersede_file(self, tool: str, call: Call, path: str, mine: Sequence[Unit]) -> None:
        known = self._current(path)
        if tool == WRITE:
            self.stale.update(self._hits.outdated(path, None))
            self.stale.update(unit.key for unit in known)
        elif tool == READ:
            read = [unit for unit in mine if unit.kind == "read"]
            if read:
                self.stale.update(by_read(call, known, read))
