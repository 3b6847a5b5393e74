"""What a project's AGENTS.md files say, kept in C_memory while they change.

Each guide stands under its name. Before a turn the files are looked at: what changed, came or went
is a record of that turn, says which it is, and joins the head at the next cut. A guide of a folder
deeper down comes when a call first names something there. Excerpts are made when a guide comes or
changes, and again when a renewal writes the head anyway. Guides that have no room are named, each
with the page that holds it. Opened again over the same files, the shelf stays as it is: what
had no room before has none now, though other partitions have moved since.

Guides of the project itself, from its root to the working folder, stand in the system message; what
was found while working is quoted behind it, and so is what Loom tells of it, as names of such files
are in it.
"""

from __future__ import annotations

from itertools import takewhile
from typing import Final

from loom.capabilities.memory.fitting import UNSHOWN, fitted, list_of, named_in, page_of, unshown
from loom.capabilities.memory.guide import Guide, is_guide, key_of, names_one
from loom.capabilities.memory.named_paths import words
from loom.capabilities.memory.project_guides import ProjectGuides
from loom.errors import OverCapacity
from loom.providers.render.naming import named
from loom.providers.render.wording import News
from loom.session import Engine
from loom.session.archive.reading import standing
from loom.session.head import drop, put
from loom_partitions.message import Step, Text

PARTITION: Final = "memory"
CHANGED = News("changed")
ANOTHER_PART = News("shown anew", ", the file is as it was")
LEFT_OUT = News("left out", ", no room for it; the file stands")
MOVED = News("moved", ", its text stands below")
HINT = "; trust="  # from here on a reason is for the host


class FollowedGuides:
    """The guides of a `project`, in the memory partition of an engine."""

    def __init__(self, engine: Engine, project: ProjectGuides) -> None:
        self.project = project
        self._engine = engine
        self._keys: set[str] = set()  # of the texts that stand
        self._pages: dict[str, str] = {}  # where the whole text of an excerpt rests
        self._shown: dict[str, str] = {}  # what stands of each guide, by name
        self._sources: dict[str, str] = {}  # what each said at the last fit, by name
        self._own: tuple[object, ...] = ()  # what the project's own were fitted by
        self._read_to = 0  # the newest entry whose calls were looked at
        self._work = "."  # the folder the newest call worked in

    def begin(self) -> None:
        """Take the guides as an earlier life left them, and bring the partition up to the files."""
        project = self.project
        with self._engine.lock, self._engine.atomic:
            keys = [one.key for one in self._engine.window.memory.current]
            self._keys = {key for key in keys if key == UNSHOWN or names_one(key)}
            others = self._standing(UNSHOWN)
            without = named_in(others, self._page)
            if page := list_of(others):
                self._pages[self._page(page)] = page
            for name in (*(key for key in keys if key in self._keys), *reversed(without)):
                if is_guide(name):  # by its folder, as the file may be a link
                    project.touch(str((project.root / name).parent), told=False)
            self._touch()  # an earlier life may have ended before it looked
            project.look()
            for guide in project.merged.guides:
                shown = "" if guide.name in without else self._standing(key_of(guide.name))
                page = without.get(guide.name) or page_of(shown)
                held = self._page(page) if page else shown
                if held and self._engine.redactor(guide.text) == held:
                    self._sources[guide.name] = guide.text
                    self._pages |= {guide.text: page} if page else {}
                    self._shown |= {guide.name: shown} if shown else {}
                self._engine.redactor.take()
            if self._tokens() > self._share:
                self._shown = {}
            elif all(guide.name in self._sources for guide in project.merged.own):
                self._own = self._own_now()
            if not (self._own and self._as_left({*without})):
                self._fit()

    def look(self) -> None:
        """Look before a turn: at what the calls named, then at the files."""
        engine = self._engine
        with engine.lock, engine.atomic:
            self._touch()
            before = {*self._sources}
            changed = self.project.look()
            if changed or self._own != self._own_now():  # the window was resized: now, and not
                self._fit()  # when a guide is found, which must take nothing from those that stand
                if {*self._sources} - before:
                    self._order()
            if engine.relief.fullness(engine.window) >= engine.policy.renew_at:
                self.refit()

    def refit(self) -> None:
        """Make every excerpt anew, in their order: a renewal is about to write the head."""
        self._shown, self._own = {}, ()
        self._fit()
        self._order()

    def _as_left(self, without: set[str]) -> bool:
        """True when the shelf holds every guide there is, and no other: nothing is to be counted.

        `without` are those that it only names.
        """
        keys = {key_of(name): self._is_late(name) for name in self._shown}
        keys |= {UNSHOWN: self._is_late(*without)} if without else {}
        quotes, every = self._engine.window.memory.quotes, self.project.merged.guides
        stands = self._keys == {*keys} and all(quotes(key) == late for key, late in keys.items())
        return stands and without <= {*self._sources} == {one.name for one in every}

    def _touch(self) -> None:
        """Tell the project which paths the calls since the last look have named.

        A call that is open is looked at again: what it names may be about to be made.
        """
        history = self._engine.window.history
        new = takewhile(lambda entry: entry.id > self._read_to, history.stream.entries_back)
        for entry in reversed([one for one in new if isinstance(one, Step)]):
            for call in entry.calls:
                self._work = self.project.touch_named(words(call), self._work)
        self._read_to = (history.waiting or history.next_id) - 1

    def _fit(self) -> None:
        """Bring the shelf up to the files, within the partition's room."""
        engine, merged = self._engine, self.project.merged
        guides, own = {guide.name: guide for guide in merged.guides}, self._own_now()
        free = engine.room.free(engine.window) + self._tokens()  # less than nothing is lacking
        room = max(min(self._share, free), 0)
        stay = (*(merged.own if self._own == own else ()), *merged.late)
        known = {
            one.name: self._shown[one.name] for one in stay
            if one.name in self._shown and self._sources[one.name] == one.text
        }  # fmt: skip
        made = fitted(merged.own, merged.late, room, self._cost_of, self._rested, known)
        shed = {name.partition(":")[2] for name in engine.window.sent.shed}
        old, self._shown, self._own = self._sources, made, own
        self._sources = {name: guide.text for name, guide in guides.items()}
        names = {key_of(name): name for name in old}
        for key in sorted(self._keys - {UNSHOWN, *map(key_of, made)}):
            self._drop(key, self._gone(names.get(key, key)))
        # What gives room comes before what takes it: a guide found later never keeps one of the
        # project's own from growing.
        for name in sorted(made, key=self._grows):
            if key_of(name) not in shed:
                self._show(name, self._news(guides[name], old.get(name)))
        if UNSHOWN not in shed:
            self._name_others(room)

    def _name_others(self, room: int) -> None:
        """Name the guides that have no room, in what the others leave of it.

        Those found last come first, as the work is nearest to them.
        """
        without = [one for one in self.project.merged.guides if one.name not in self._shown]
        late = self._is_late(*(one.name for one in without))
        left, price = room - self._tokens(but=UNSHOWN), self._engine.ingest.in_front
        said = unshown(
            {one.name: self._rested(one.text) for one in reversed(without)},
            self._rested,
            lambda text: price(PARTITION, UNSHOWN, text, quoted=late) <= left,
        )
        if said:
            self._put(UNSHOWN, said, CHANGED if UNSHOWN in self._keys else News("new"), quoted=late)
        elif UNSHOWN in self._keys:
            self._drop(UNSHOWN, News("gone", ", each has room now" if not without else ""))

    def _order(self) -> None:
        """Put guides that came before one further up behind it: the closest is read last."""
        wanted = {key_of(name): name for name in self._shown}
        stand = [one.key for one in self._engine.window.memory.current if one.key in wanted]
        there = [key for key in wanted if key in stand]
        moved = next((at for at, key in enumerate(there) if stand[at] != key), len(there))
        for key in there[moved:]:
            self._drop(key, MOVED)
        for key in there[moved:]:
            self._show(wanted[key], MOVED)

    def _show(self, name: str, said: News) -> None:
        """Put what is shown of a guide on the shelf; it has no room where others left none."""
        if not self._put(key_of(name), self._shown[name], said, quoted=self._is_late(name)):
            del self._shown[name]

    def _cost_of(self, name: str, text: str) -> int:
        late, price = self._is_late(name), self._engine.ingest.in_front
        return price(PARTITION, key_of(name), text, quoted=late)

    def _grows(self, name: str) -> bool:
        """True when a guide costs at least the tokens of its text in the window, or belongs to the
        project itself; false for a guide found while working that became cheaper."""
        held = self._engine.window.memory.get(key_of(name))
        taken = held.tokens if held else 0
        return not self._is_late(name) or self._cost_of(name, self._shown[name]) >= taken

    def _is_late(self, *names: str) -> bool:
        """True when one of the guides was found while working."""
        return any(guide.name in names for guide in self.project.merged.late)

    def _own_now(self) -> tuple[object, ...]:
        """What the project's own guides are fitted by, but for the other partitions: where it is
        the same they stay as they stand."""
        own = tuple((guide.name, guide.text) for guide in self.project.merged.own)
        return (self._engine.window.limits.capacity, own)

    def _news(self, guide: Guide, source: str | None) -> News:
        """The words of the notice about a guide that is about to be put on the shelf, which had
        another `source`, or the same."""
        if key_of(guide.name) in self._keys:
            return ANOTHER_PART if source == guide.text else CHANGED
        because = self.project.found_by(guide)
        return News("new", f", found because of {named(because)}" if because else "")

    def _gone(self, name: str) -> News:
        """The words of the notice about a guide that no longer stands."""
        if name in self._sources:
            return LEFT_OUT
        why = self.project.unused.get(name, "").partition(HINT)[0]
        return News("gone", f", {why}" if why else "")

    # The texts in the partition

    @property
    def _share(self) -> int:
        """Tokens of the capacity that guides may take at most."""
        return int(self._engine.window.limits.capacity * self._engine.policy.tuning.memory_share)

    def _standing(self, key: str) -> str:
        """A text of the partition; "" for none."""
        held = self._engine.window.memory.get(key)
        return "" if held is None else standing(self._engine.workspace, held)

    def _page(self, page: str) -> str:
        """The text of a page."""
        return standing(self._engine.workspace, Text(0, 0, None, page))

    def _tokens(self, but: str = "") -> int:
        """Tokens of what stands of guides, and about them, less that under a key."""
        current = self._engine.window.memory.current
        return sum(one.text.tokens for one in current if one.key in self._keys - {but})

    def _put(self, key: str, text: str, said: News, *, quoted: bool) -> bool:
        """Put a text on the shelf; False where other partitions have left no room for it."""
        try:
            put(self._engine, PARTITION, key, text, said, quoted=quoted)
        except OverCapacity:
            return False
        self._keys.add(key)
        return True

    def _drop(self, key: str, said: News) -> None:
        """Take a text from the shelf."""
        drop(self._engine, PARTITION, key, said)
        self._keys.discard(key)

    def _rested(self, text: str) -> str:
        """The page a whole guide rests on."""
        page = self._pages.get(text)
        if page is None or page in self._engine.workspace.pager.retired:
            data = self._engine.redactor(text).encode("utf-8", "replace")
            self._pages[text] = self._engine.workspace.put_page(PARTITION, ".md", data)
        return self._pages[text]
