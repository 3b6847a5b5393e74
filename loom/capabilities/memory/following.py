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
from itertools import takewhile

from loom.capabilities.memory import guide_news as news
from loom.capabilities.memory.conflicts import GuideConflict, conflicts
from loom.capabilities.memory.fitting import FittedGuide, fitted, misordered, misplaced, page_of
from loom.capabilities.memory.guide_key import key_of
from loom.capabilities.memory.guide_order import Guide
from loom.capabilities.memory.guide_shelf import CONFLICTS, FOUND_CONFLICTS, TOLD, GuideShelf, notes
from loom.capabilities.memory.merging import GuidePart
from loom.capabilities.memory.named_paths import words
from loom.capabilities.memory.project_guides import ProjectGuides
from loom.capabilities.memory.room import room_of
from loom.capabilities.memory.unshown import LISTED, NAMED, UNSHOWN, named_in, unshown
from loom.engine import Engine
from loom.engine.archive.reading import standing
from loom.providers.render.wording import News
from loom_partitions.message import Step


class FollowedGuides:
    """The guides of a `project`, in the memory partition of an engine."""

    def __init__(self, engine: Engine, project: ProjectGuides) -> None:
        self.project = project
        self._engine = engine
        self._shelf = GuideShelf(engine)
        self._guides: dict[str, FittedGuide] = {}
        self._own: tuple[object, ...] = ()  # what the project's own were fitted by
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
            shelf = self._shelf
            shelf.shown = {one.key for one in current if self._is_own(one.key)}
            named = named_in(shelf.standing(UNSHOWN), shelf.page)
            for name in (*(one.key for one in current if one.key in shelf.shown), *named):
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
        shelf = self._shelf
        shown = "" if page else shelf.standing(key_of(path))
        page = page or page_of(shown)
        if (shown or page) and shelf.same(part.text, shelf.page(page) if page else shown):
            if shown:
                self._guides[path] = FittedGuide(path, part.text, shown)
            shelf.pages |= {part.text: page} if page else {}

    def _as_left(self, named: Mapping[str, str]) -> bool:
        """True when the shelf is as this project would have it, and takes no more than it may."""
        merged, shelf = self.project.merged, self._shelf
        every = merged.every
        self.conflicts = conflicts(merged.settled)
        rested = {part.guide.name for part in every if part.text in shelf.pages} & {*named}
        keys = {key_of(path): path in merged.late for path in self._guides}
        keys |= {UNSHOWN: self._is_late(rested)} if rested else {}
        window, policy = self._engine.window, self._engine.policy
        said = notes(self.conflicts, merged)
        if (
            {*self._guides, *rested} != {part.guide.name for part in every}
            or rested != {*named}
            or shelf.shown - TOLD != {*keys} - TOLD
            or shelf.outdated
            or any(shelf.quotes(key) != late for key, late in keys.items())
            or not all(
                shelf.same(text, shelf.standing(key))
                for key, text in said.items()
                if key in shelf.shown or key == CONFLICTS
            )
            or shelf.tokens() > int(window.limits.capacity * policy.memory_share)
        ):
            return False
        self._own = self._own_now()
        self._sources = {part.guide.name: part.text for part in every}
        return True

    def look(self) -> None:
        """Look before a turn: at what the calls named, then at the files."""
        engine = self._engine
        with engine.lock, engine.atomic:
            self._touch(self.project)
            before = {*self._sources}
            if self.project.look():
                self._fit()
                keys, every = self._shelf.keys, self.project.merged.every
                if {*self._sources} - before and misordered(keys, every):
                    self._order()
            if engine.relief.rho(engine.window) >= engine.policy.renew_at:
                self.refit()

    def refit(self) -> None:
        """Make every excerpt anew, in their order: a renewal is about to write the head."""
        self._guides, self._own = {}, ()
        self._fit()
        self._order()

    def _order(self) -> None:
        """Put guides that came before one further up behind it: the closest is read last."""
        late = misplaced(self._shelf.keys, self._guides)
        for one in late:
            self._shelf.drop(key_of(one.path), news.MOVED)
        for one in late:
            self._show(one, news.MOVED)

    def _touch(self, project: ProjectGuides) -> None:
        """Tell the project which paths the calls since the last look have named.

        A call that is open is looked at again: what it names may be about to be made.
        """
        history = self._engine.window.history
        new = takewhile(lambda entry: entry.id > self._read_to, history.stream.entries_back)
        for entry in reversed([one for one in new if isinstance(one, Step)]):
            for call in entry.calls:
                self._work = project.touch_named(words(call), self._work)
        self._read_to = (history.waiting or history.next_id) - 1

    def _fit(self) -> None:
        """Bring the shelf up to the files, within the partition's room."""
        engine, merged, shelf = self._engine, self.project.merged, self._shelf
        before, self.conflicts = self.conflicts, conflicts(merged.settled)
        room = room_of(engine, shelf.tokens())
        said = notes(self.conflicts, merged)
        made = self._fitted(room, said)
        if not made:
            said = dict.fromkeys(said, "")
        shed = {name.partition(":")[2] for name in engine.window.sent.shed}
        self._guides = {one.path: one for one in made}
        self._own = self._own_now()
        wanted = {*map(key_of, self._guides), *(key for key, text in said.items() if text)}
        named = {key_of(name): name for name in self._sources}
        for key in sorted(shelf.shown - wanted - {UNSHOWN}):
            told = key in TOLD and news.settled(self.project, before)
            shelf.drop(key, told or news.departure(self.project, named.get(key, key)))
        guides = {part.guide.name: part.guide for part in merged.every}
        # What gives room comes before what takes it: a guide found later never keeps one of the
        # project's own from growing.
        for one in sorted(made, key=self._grows):
            if key_of(one.path) not in shed:
                self._show(one, self._news(one, guides[one.path]))
        for key, text in self._with_room(said, room).items():
            if text and key not in shed:
                first = engine.window.memory.get(key) is None
                said_of = News("new" if first else "changed")
                shelf.put(key, text, said_of, quoted=key == FOUND_CONFLICTS)
        if UNSHOWN not in shed:
            self._name(room)
        self._sources = {part.guide.name: part.text for part in merged.every}

    def _with_room(self, said: Mapping[str, str], room: int) -> dict[str, str]:
        """What is said of conflicts, less what is said of guides found later where it has no room
        in what all guides leave, and the list of those without."""
        shelf = self._shelf
        left = room - shelf.tokens(frozenset((UNSHOWN, FOUND_CONFLICTS)))
        left -= LISTED if len(self._guides) < len(self.project.merged.every) else 0
        if shelf.cost(FOUND_CONFLICTS, said[FOUND_CONFLICTS], quoted=True) <= left:
            return {**said}
        if FOUND_CONFLICTS in shelf.shown:
            shelf.drop(FOUND_CONFLICTS, news.NO_ROOM)
        return {**said, FOUND_CONFLICTS: ""}

    def _grows(self, one: FittedGuide) -> bool:
        """False for a guide found later that takes less than it did."""
        key, late = key_of(one.path), one.path in self.project.merged.late
        cost = self._shelf.cost(key, one.shown, quoted=late)
        return not late or cost >= self._shelf.taken(key)

    def _own_now(self) -> tuple[object, ...]:
        """What the project's own guides are fitted by, but for the goal and the other partitions:
        where it is the same they stay as they stand."""
        own = tuple((part.guide.name, part.text) for part in self.project.merged.own)
        return (self._engine.window.limits.capacity, own)

    def _fitted(self, room: int, said: Mapping[str, str]) -> tuple[FittedGuide, ...]:
        """The guides in the room that is left by what is `said` of their conflicts, and by the
        names of those without any."""
        engine, merged, shelf = self._engine, self.project.merged, self._shelf
        goal, late = engine.window.working.goal, merged.late
        differ = shelf.cost(FOUND_CONFLICTS, said[FOUND_CONFLICTS], quoted=True)
        room -= shelf.cost(CONFLICTS, said[CONFLICTS])
        stays = self._own == self._own_now()
        without: set[str] = set()
        for _ in range(NAMED + 2):  # after so many the list grows no more, but by its number
            aside = self._named_cost(without - late)
            made = fitted(
                merged.every,
                standing(engine.workspace, goal) if goal else "",
                max(room, 0),
                self._cost_of,
                shelf.rested,
                self._guides,
                merged.joined,
                self._work,
                self.project.budget,
                aside,
                self._named_cost(without) - aside + differ if late else 0,
                stays=stays,
            )
            lost = {part.guide.name for part in merged.every} - {one.path for one in made}
            if lost <= without:
                break
            without |= lost
        return made

    def _name(self, room: int) -> None:
        """Name the guides that have no room, in what the others leave of it."""
        every, shelf = self.project.merged.every, self._shelf
        used = shelf.tokens(frozenset((UNSHOWN,)))
        without = [part.guide for part in every if part.guide.name not in self._guides]
        said = self._unshown({guide.name for guide in without}, room - used)
        if said:
            new = [guide for guide in without if guide.name not in self._sources]
            first = self._engine.window.memory.get(UNSHOWN) is None
            told_of = () if self._opening else new
            shelf.put(
                UNSHOWN,
                said,
                news.without_room(self.project, told_of, first=first, opening=self._opening),
                quoted=self._is_late({guide.name for guide in without}),
            )
        elif UNSHOWN in shelf.shown:
            shelf.drop(UNSHOWN, news.departure(self.project, UNSHOWN))

    def _unshown(self, names: set[str], room: int | None = None) -> str:
        """What names guides; those found last come first, as the work is nearest to them."""
        every, rested = reversed(self.project.merged.every), self._shelf.rested
        pages = {p.guide.name: rested(p.text) for p in every if p.guide.name in names}
        late = self._is_late(names)
        return unshown(
            pages,
            rested,
            lambda text: room is None or self._shelf.cost(UNSHOWN, text, quoted=late) <= room,
        )

    def _named_cost(self, names: set[str]) -> int:
        late = self._is_late(names)
        return self._shelf.cost(UNSHOWN, self._unshown(names), quoted=late)

    def _is_late(self, names: set[str]) -> bool:
        return not names.isdisjoint(self.project.merged.late)

    def _cost_of(self, path: str, text: str) -> int:
        late = path in self.project.merged.late
        return self._shelf.cost(key_of(path), text, quoted=late)

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
        late = one.path in self.project.merged.late
        if not self._shelf.put(key_of(one.path), one.shown, said, quoted=late):
            self._guides.pop(one.path, None)
