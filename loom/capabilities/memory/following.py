"""What a project's AGENTS.md files say, kept in C_memory while they change.

Each guide stands under its name. Before a turn the files are looked at: what changed, came or went
is a record of that turn, says which it is, and joins the head at the next cut. A guide of a folder
deeper down comes when a call first names something there. Excerpts are made when a guide comes or
changes, and again for the goal of the hour when a renewal writes the head anyway. Guides that have
no room are named, each with the page that holds it. Opened again over the same files, the shelf
stays as it is: what had no room before has none now, though other partitions have moved since.
"""

from __future__ import annotations

from collections.abc import Mapping

from loom.capabilities.memory import guide_news as news
from loom.capabilities.memory.conflicts import GuideConflict, conflicts, told
from loom.capabilities.memory.fitting import FittedGuide, fitted, misordered, misplaced, page_of
from loom.capabilities.memory.guide_key import key_of
from loom.capabilities.memory.guide_order import Guide
from loom.capabilities.memory.merging import GuidePart
from loom.capabilities.memory.project_guides import ProjectGuides
from loom.capabilities.memory.room import room_of
from loom.capabilities.memory.unshown import NAMED, UNSHOWN, named_in, unshown
from loom.compress.worth.units import path_of
from loom.engine import Engine
from loom.engine.archive.reading import standing
from loom.engine.head import drop, put
from loom.errors import OverCapacity
from loom.providers.render.wording import News, weight
from loom.reduce.entities import paths
from loom_partitions.message import Step, Text

PARTITION = "memory"
CONFLICTS = "where guides differ"  # the key under which the model is told of conflicts
TOLD = frozenset((CONFLICTS, UNSHOWN))  # keys of what is said about guides


class FollowedGuides:
    """The guides of a `project`, in the memory partition of an engine."""

    def __init__(self, engine: Engine, project: ProjectGuides) -> None:
        self.project = project
        self._engine = engine
        self._guides: dict[str, FittedGuide] = {}
        self._pages: dict[str, str] = {}  # where the whole text of an excerpt rests
        self._shown: set[str] = set()  # the keys of the memory partition that are guides
        self._read_to = 0  # the newest entry whose calls were looked at
        self._sources: dict[str, str] = {}  # what the guides said at the last fit, by name
        self._work = "."  # the folder the newest call worked in
        self._opening = True
        self.conflicts: tuple[GuideConflict, ...] = ()

    def begin(self) -> None:
        """Take the guides as an earlier life left them, and bring the partition up to the files."""
        project = self.project
        with self._engine.lock, self._engine.atomic:
            current = self._engine.window.memory.current
            self._shown = {one.key for one in current if self._is_own(one.key)}
            named = named_in(self._standing(UNSHOWN), self._page)
            for name in (*(one.key for one in current if one.key in self._shown), *named):
                if project.is_guide(name):  # by its folder, as the file may be a link
                    project.touch(str((project.root / name).parent), told=False)
            self._touch(project)  # an earlier life may have ended before it looked
            project.look()
            for part in project.merged.every:
                self._known(part, named.get(part.guide.name, ""))
            if not self._as_left(named):
                self._fit()
            self._opening = False

    def _is_own(self, key: str) -> bool:
        return key in TOLD or self.project.names_one(key)

    def _known(self, part: GuidePart, page: str) -> None:
        """Take a guide as an earlier life left it, when the file still says the same.

        `page` is where it rests when it had no room.
        """
        path = part.guide.name
        shown = "" if page else self._standing(key_of(path))
        page = page or page_of(shown)
        if (shown or page) and self._same(part.text, self._page(page) if page else shown):
            if shown:
                self._guides[path] = FittedGuide(path, part.text, shown)
            self._pages |= {part.text: page} if page else {}

    def _as_left(self, named: Mapping[str, str]) -> bool:
        """True when the shelf is as this project would have it, and takes no more than it may."""
        every = self.project.merged.every
        self.conflicts = conflicts(self.project.merged.settled)
        rested = {part.guide.name for part in every if part.text in self._pages} & {*named}
        keys = {key_of(path) for path in self._guides}
        window, policy = self._engine.window, self._engine.policy
        if (
            {*self._guides, *rested} != {part.guide.name for part in every}
            or rested != {*named}
            or self._shown - TOLD != keys
            or not self._same(told(self.conflicts), self._standing(CONFLICTS))
            or self._own() > int(window.limits.capacity * policy.memory_share)
        ):
            return False
        self._sources = {part.guide.name: part.text for part in every}
        return True

    def _standing(self, key: str) -> str:
        """A text of the shelf; "" for none."""
        held = self._engine.window.memory.get(key)
        return "" if held is None else standing(self._engine.workspace, held)

    def _page(self, page: str) -> str:
        return standing(self._engine.workspace, Text(0, 0, None, page))

    def _same(self, text: str, held: str) -> bool:
        """True when a text, less its secrets, is what is held."""
        same = self._engine.redactor(text) == held
        self._engine.redactor.take()
        return same

    def look(self) -> None:
        """Look before a turn: at what the calls named, then at the files."""
        engine = self._engine
        with engine.lock, engine.atomic:
            self._touch(self.project)
            before = {*self._sources}
            if self.project.look():
                self._fit()
                if {*self._sources} - before and misordered(
                    self._keys(), self.project.merged.every
                ):
                    self._order()
            if engine.relief.rho(engine.window) >= engine.policy.renew_at:
                self.refit()

    def refit(self) -> None:
        """Make every excerpt anew, in their order: a renewal is about to write the head."""
        self._guides = {}
        self._fit()
        self._order()

    def _order(self) -> None:
        """Put guides that came before one further up behind it: the closest is read last."""
        late = misplaced(self._keys(), self._guides)
        for one in late:
            drop(self._engine, PARTITION, key_of(one.path), news.MOVED)
        for one in late:
            self._show(one, news.MOVED)

    def _keys(self) -> list[str]:
        """The keys of the guides that stand, in their order."""
        mine = self._shown - TOLD
        return [one.key for one in self._engine.window.memory.current if one.key in mine]

    def _touch(self, project: ProjectGuides) -> None:
        """Tell the project which paths the calls since the last look have named.

        A call that is open is looked at again: what it names may be about to be made.
        """
        history = self._engine.window.history
        newest = (history.waiting or history.next_id) - 1
        work = ""
        for entry in self._engine.window.history.stream.entries_back:
            if entry.id <= self._read_to:
                break
            for call in entry.calls if isinstance(entry, Step) else ():
                for path in (path_of(call), *(path for _, path in paths(call.arguments))):
                    folder = project.touch(path)
                    work = work or folder
        self._work = work or self._work
        self._read_to = newest

    def _fit(self) -> None:
        """Bring the shelf up to the files, within the partition's room."""
        engine, merged = self._engine, self.project.merged
        self.conflicts = conflicts(merged.settled)
        differ = told(self.conflicts)
        room = room_of(self._engine, self._own())
        made = self._fitted(room - (self._cost(CONFLICTS, differ) if differ else 0))
        if not made:
            differ = ""
        shed = {name.partition(":")[2] for name in engine.window.sent.shed}
        self._guides = {one.path: one for one in made}
        wanted = {*map(key_of, self._guides), *([CONFLICTS] if differ else [])}
        named = {key_of(name): name for name in self._sources}
        for key in sorted(self._shown - wanted - {UNSHOWN}):
            drop(engine, PARTITION, key, news.departure(self.project, named.get(key, key)))
            self._shown.discard(key)
        guides = {part.guide.name: part.guide for part in merged.every}
        for one in made:
            if key_of(one.path) not in shed:
                self._show(one, self._news(one, guides[one.path]))
        if differ and CONFLICTS not in shed:
            first = engine.window.memory.get(CONFLICTS) is None
            self._put(CONFLICTS, differ, News("new" if first else "changed"))
        if UNSHOWN not in shed:
            self._name(room)
        self._sources = {part.guide.name: part.text for part in merged.every}

    def _fitted(self, room: int) -> tuple[FittedGuide, ...]:
        """The guides in the room that is left when those without any are named."""
        engine, merged = self._engine, self.project.merged
        goal = engine.window.working.goal
        without: set[str] = set()
        for _ in range(NAMED + 2):  # after so many the list grows no more, but by its number
            made = fitted(
                merged.every,
                standing(engine.workspace, goal) if goal else "",
                max(room, 0),
                self._cost_of,
                self._rested,
                self._guides,
                merged.joined,
                self._work,
                self.project.budget,
                self._cost(UNSHOWN, self._unshown(without)),
            )
            lost = {part.guide.name for part in merged.every} - {one.path for one in made}
            if lost <= without:
                break
            without |= lost
        return made

    def _name(self, room: int) -> None:
        """Name the guides that have no room, in what the others leave of it."""
        engine, every = self._engine, self.project.merged.every
        held = engine.window.memory.current
        used = sum(one.text.tokens for one in held if one.key in self._shown - {UNSHOWN})
        without = [part.guide for part in every if part.guide.name not in self._guides]
        said = self._unshown({guide.name for guide in without}, room - used)
        if said:
            new = [guide for guide in without if guide.name not in self._sources]
            first = engine.window.memory.get(UNSHOWN) is None
            told_of = () if self._opening else new
            self._put(
                UNSHOWN,
                said,
                news.without_room(self.project, told_of, first=first, opening=self._opening),
            )
        elif UNSHOWN in self._shown:
            drop(engine, PARTITION, UNSHOWN, news.departure(self.project, UNSHOWN))
            self._shown.discard(UNSHOWN)

    def _unshown(self, names: set[str], room: int | None = None) -> str:
        """What names guides; those found last come first, as the work is nearest to them."""
        every = reversed(self.project.merged.every)
        pages = {p.guide.name: self._rested(p.text) for p in every if p.guide.name in names}
        return unshown(
            pages,
            self._rested,
            lambda text: room is None or self._cost(UNSHOWN, text) <= room,
        )

    def _cost_of(self, path: str, text: str) -> int:
        return self._cost(key_of(path), text)

    def _cost(self, key: str, text: str) -> int:
        """Tokens of a text of the partition; none for a note that says nothing."""
        silent = key in TOLD and not text
        return 0 if silent else self._engine.sizes.count(weight(PARTITION, key, text))

    def _news(self, one: FittedGuide, guide: Guide) -> News:
        """What the notice says of a guide that is about to be put on the shelf."""
        if self._engine.window.memory.get(key_of(one.path)) is not None:
            before = self._sources.get(one.path, "")
            if before == one.source:
                return news.ANOTHER_PART
            return news.change(before, one.source) if page_of(one.shown) else news.CHANGED
        if one.path in self._sources:
            return news.BACK
        return news.arrival(self.project, guide, opening=self._opening, before=self._sources)

    def _show(self, one: FittedGuide, said: News) -> None:
        if not self._put(key_of(one.path), one.shown, said):
            self._guides.pop(one.path, None)

    def _put(self, key: str, text: str, said: News) -> bool:
        """Put a text on the shelf; False where other partitions have left no room for it.

        The next renewal tries again.
        """
        try:
            put(self._engine, PARTITION, key, text, said)
        except OverCapacity:
            return False
        self._shown.add(key)
        return True

    def _rested(self, text: str) -> str:
        """The page a whole guide rests on."""
        if text not in self._pages:
            data = self._engine.redactor(text).encode("utf-8", "replace")
            self._pages[text] = self._engine.workspace.rest(PARTITION, ".md", data)
        return self._pages[text]

    def _own(self) -> int:
        """Tokens of what stands in the partition of guides, and about them."""
        current = self._engine.window.memory.current
        return sum(one.text.tokens for one in current if one.key in self._shown)
