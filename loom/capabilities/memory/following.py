"""What a project's AGENTS.md files say, kept in C_memory while they change.

Each guide stands under its name. Before a turn the files are looked at: what changed, came or went
is a record of that turn, says which it is, and joins the head at the next cut. A guide of a folder
deeper down comes when a call first names something there. Excerpts are made when a guide comes or
changes, and again when a renewal writes the head anyway. Guides that have no room are named, each
with the page that holds it. Opened again over the same files, the shelf stays as it is: what had no
room before has none now, though other partitions have moved since.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile

from loom.capabilities.memory import guide_news as news
from loom.capabilities.memory.fitting import FittedGuide, fitted, page_of
from loom.capabilities.memory.guide_order import Guide, key_of
from loom.capabilities.memory.guide_shelf import RETIRED, GuideShelf
from loom.capabilities.memory.merging import GuidePart
from loom.capabilities.memory.named_paths import words
from loom.capabilities.memory.project_guides import ProjectGuides
from loom.capabilities.memory.unshown import UNSHOWN, named_in, unshown
from loom.engine import Engine
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

    def begin(self) -> None:
        """Take the guides as an earlier life left them, and bring the partition up to the files."""
        project, shelf = self.project, self._shelf
        with self._engine.lock, self._engine.atomic:
            keys = [one.key for one in self._engine.window.memory.current]
            shelf.shown = {key for key in keys if self._is_own(key)}
            named = named_in(shelf.standing(UNSHOWN), shelf.page)
            for name in (*(key for key in keys if key in shelf.shown), *named):
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
        return key == UNSHOWN or key in RETIRED or self.project.names_one(key)

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
        shelf, every = self._shelf, self.project.merged.every
        rested = {part.guide.name for part in every if part.text in shelf.pages} & {*named}
        keys = {key_of(path): path in self.project.merged.late for path in self._guides}
        keys |= {UNSHOWN: self._is_late(rested)} if rested else {}
        if (
            {*self._guides, *rested} != {part.guide.name for part in every}
            or rested != {*named}
            or shelf.shown != {*keys}
            or any(shelf.quotes(key) != late for key, late in keys.items())
            or shelf.tokens() > shelf.share
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
                if {*self._sources} - before:
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
        wanted = {key_of(path): one for path, one in self._guides.items()}
        stand = [key for key in self._shelf.keys if key in wanted]
        there = [key for key in wanted if key in stand]
        apart = [at for at, key in enumerate(there) if stand[at] != key]
        late = there[apart[0] :] if apart else []
        for key in late:
            self._shelf.drop(key, news.MOVED)
        for key in late:
            self._show(wanted[key], news.MOVED)

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
        room = shelf.room
        made = fitted(
            merged.every,
            room,
            self._cost_of,
            shelf.rested,
            self._guides,
            merged.joined,
            self._work,
            self.project.budget,
            stays=self._own == self._own_now(),
        )
        shed = {name.partition(":")[2] for name in engine.window.sent.shed}
        self._guides = {one.path: one for one in made}
        self._own = self._own_now()
        wanted = {UNSHOWN, *map(key_of, self._guides)}
        named = {key_of(name): name for name in self._sources}
        for key in sorted(shelf.shown - wanted):
            shelf.drop(key, news.departure(self.project, named.get(key, key)))
        guides = {part.guide.name: part.guide for part in merged.every}
        # What gives room comes before what takes it: a guide found later never keeps one of the
        # project's own from growing.
        for one in sorted(made, key=self._grows):
            if key_of(one.path) not in shed:
                self._show(one, self._news(one, guides[one.path]))
        if UNSHOWN not in shed:
            self._name(room)
        self._sources = {part.guide.name: part.text for part in merged.every}

    def _grows(self, one: FittedGuide) -> bool:
        """False for a guide found later that takes less than it did."""
        taken = self._shelf.taken(key_of(one.path))
        late = one.path in self.project.merged.late
        return not late or self._cost_of(one.path, one.shown) >= taken

    def _own_now(self) -> tuple[object, ...]:
        """What the project's own guides are fitted by, but for the other partitions: where it is
        the same they stay as they stand."""
        own = tuple((part.guide.name, part.text) for part in self.project.merged.own)
        return (self._engine.window.limits.capacity, own)

    def _name(self, room: int) -> None:
        """Name the guides that have no room, in what the others leave of it.

        Those found last come first, as the work is nearest to them.
        """
        project, shelf = self.project, self._shelf
        without = [one for one in project.merged.every if one.guide.name not in self._guides]
        late = self._is_late({one.guide.name for one in without})
        left = room - shelf.tokens(but=UNSHOWN)
        said = unshown(
            {one.guide.name: shelf.rested(one.text) for one in reversed(without)},
            shelf.rested,
            lambda text: shelf.cost(UNSHOWN, text, quoted=late) <= left,
        )
        if said:
            guides = [one.guide for one in without if one.guide.name not in self._sources]
            new, first = guides if not self._opening else [], UNSHOWN not in shelf.shown
            told = news.without_room(project, new, first=first, opening=self._opening)
            shelf.put(UNSHOWN, said, told, quoted=late)
        elif UNSHOWN in shelf.shown:
            shelf.drop(UNSHOWN, news.departure(project, UNSHOWN))

    def _is_late(self, names: set[str]) -> bool:
        return not names.isdisjoint(self.project.merged.late)

    def _cost_of(self, path: str, text: str) -> int:
        late = path in self.project.merged.late
        return self._shelf.cost(key_of(path), text, quoted=late)

    def _news(self, one: FittedGuide, guide: Guide) -> News:
        """What the notice says of a guide that is about to be put on the shelf."""
        if key_of(one.path) in self._shelf.shown:
            same = self._sources.get(one.path, "") == one.source
            return news.ANOTHER_PART if same else news.CHANGED
        if one.path in self._sources:
            return news.BACK
        return news.arrival(self.project, guide, opening=self._opening, before=self._sources)

    def _show(self, one: FittedGuide, said: News) -> None:
        late = one.path in self.project.merged.late
        if not self._shelf.put(key_of(one.path), one.shown, said, quoted=late):
            self._guides.pop(one.path, None)
