"""What a project's AGENTS.md files say, kept in C_memory while they change.

Each guide stands under its name. Before a turn the files are looked at: what changed, came or went
is a record of that turn, says which it is, and joins the head at the next cut. A guide of a folder
deeper down comes when a call first names something there. Excerpts are made when a guide comes or
changes, and again for the goal of the hour when a renewal writes the head anyway.
"""

from __future__ import annotations

from hashlib import blake2b

from loom.capabilities.memory import guide_news as news
from loom.capabilities.memory.conflicts import GuideConflict, conflicts, told
from loom.capabilities.memory.fitting import FittedGuide, fitted, page_of
from loom.capabilities.memory.guide_order import Guide
from loom.capabilities.memory.merging import GuidePart
from loom.capabilities.memory.project_guides import ProjectGuides
from loom.compress.worth.units import path_of
from loom.engine import Engine
from loom.engine.archive.reading import standing
from loom.engine.head import KEY_CHARS, drop, put
from loom.errors import OverCapacity
from loom.providers.render.wording import News, weight
from loom.reduce.entities import paths
from loom.text import cut_front, one_line, printable
from loom_partitions.message import Step, Text

PARTITION = "memory"
CONFLICTS = "where guides differ"  # the key under which the model is told of conflicts


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
        self._opening = True
        self.conflicts: tuple[GuideConflict, ...] = ()

    def begin(self) -> None:
        """Take the guides as an earlier life left them, and bring the partition up to the files."""
        project = self.project
        with self._engine.lock, self._engine.atomic:
            current = self._engine.window.memory.current
            held = [one for one in current if project.names_one(one.key) or one.key == CONFLICTS]
            for one in held:
                if project.is_guide(one.key):
                    project.touch(str(project.root / one.key), told=False)
            self._touch(project)  # an earlier life may have ended before it looked
            project.look()
            self._shown = {one.key for one in held}
            for part in project.merged.parts:
                self._known(part)
            self._fit()
            self._opening = False

    def _known(self, part: GuidePart) -> None:
        """Take a guide as an earlier life left it, when the file still says the same."""
        engine, path = self._engine, part.guide.name
        held = engine.window.memory.get(key_of(path))
        if held is None:
            return
        shown = source = standing(engine.workspace, held)
        page = page_of(shown)
        if page:
            source = standing(engine.workspace, Text(0, 0, None, page))
        same = engine.redactor(part.text) == source
        engine.redactor.take()
        if same:
            self._guides[path] = FittedGuide(path, part.text, shown)
            self._pages |= {part.text: page} if page else {}

    def look(self) -> None:
        """Look before a turn: at what the calls named, then at the files."""
        engine = self._engine
        with engine.lock, engine.atomic:
            self._touch(self.project)
            if self.project.look():
                self._fit()
            if engine.relief.rho(engine.window) >= engine.policy.renew_at:
                self.refit()

    def refit(self) -> None:
        """Make every excerpt anew, in their order: a renewal is about to write the head."""
        self._guides = {}
        self._fit()
        self._order()

    def _order(self) -> None:
        """Put guides that came before one further up behind it: the closest is read last."""
        mine = self._shown - {CONFLICTS}
        stand = [held.key for held in self._engine.window.memory.current if held.key in mine]
        wanted = {key_of(path): one for path, one in self._guides.items()}
        apart = [at for at, pair in enumerate(zip(stand, wanted, strict=False)) if len({*pair}) > 1]
        late = list(wanted.values())[apart[0] :] if apart else []
        for one in late:
            drop(self._engine, PARTITION, key_of(one.path), news.MOVED)
        for one in late:
            self._show(one, news.MOVED)

    def _touch(self, project: ProjectGuides) -> None:
        """Tell the project which paths the calls since the last look have named.

        A call that is open is looked at again: what it names may be about to be made.
        """
        history = self._engine.window.history
        newest = (history.waiting or history.next_id) - 1
        for entry in self._engine.window.history.stream.entries_back:
            if entry.id <= self._read_to:
                break
            for call in entry.calls if isinstance(entry, Step) else ():
                project.touch(path_of(call))
                for _, path in paths(call.arguments):
                    project.touch(path)
        self._read_to = newest

    def _fit(self) -> None:
        """Bring the shelf up to the files, within the partition's room."""
        engine, window = self._engine, self._engine.window
        goal, merged = window.working.goal, self.project.merged
        self.conflicts = conflicts(merged.parts)
        differ = FittedGuide(CONFLICTS, "", told(self.conflicts))
        cost = engine.sizes.count(weight(PARTITION, CONFLICTS, differ.shown)) if differ.shown else 0
        made = fitted(
            merged.parts,
            standing(engine.workspace, goal) if goal else "",
            max(self._room() - cost, 0),
            lambda path, text: engine.sizes.count(weight(PARTITION, key_of(path), text)),
            self._rested,
            self._guides,
            merged.joined,
        )
        shed = {name.partition(":")[2] for name in window.sent.shed}
        self._guides = {one.path: one for one in made}
        wanted = {*map(key_of, self._guides), *([CONFLICTS] if cost and made else [])}
        named = {key_of(name): name for name in self._sources}
        for key in sorted(self._shown - wanted):
            drop(engine, PARTITION, key, news.departure(self.project, named.get(key, key)))
            self._shown.discard(key)
        guides = {part.guide.name: part.guide for part in merged.parts}
        for one in made:
            if key_of(one.path) not in shed:
                self._show(one, self._news(one, guides[one.path]))
        if CONFLICTS in wanted and CONFLICTS not in shed:
            first = engine.window.memory.get(CONFLICTS) is None
            self._show(differ, News("new" if first else "changed"))
        self._sources = {part.guide.name: part.text for part in merged.parts}
        self._sources |= dict.fromkeys(merged.left_out, "")

    def _news(self, one: FittedGuide, guide: Guide) -> News:
        """What the notice says of a guide that is about to be put on the shelf."""
        if self._engine.window.memory.get(key_of(one.path)) is not None:
            same = self._sources.get(one.path) == one.source
            return news.ANOTHER_PART if same else news.CHANGED
        if one.path in self._sources:
            return news.BACK
        return news.arrival(self.project, guide, opening=self._opening)

    def _show(self, one: FittedGuide, said: News) -> None:
        try:
            put(self._engine, PARTITION, key_of(one.path), one.shown, said)
            self._shown.add(key_of(one.path))
        except OverCapacity:  # other partitions have grown meanwhile: the next renewal tries again
            self._guides.pop(one.path, None)

    def _rested(self, text: str) -> str:
        """The page a whole guide rests on."""
        if text not in self._pages:
            data = self._engine.redactor(text).encode("utf-8", "replace")
            self._pages[text] = self._engine.workspace.rest(PARTITION, ".md", data)
        return self._pages[text]

    def _room(self) -> int:
        """Tokens the guides may take: the partition's share, less what the window lacks."""
        engine = self._engine
        window = engine.window
        capacity = window.limits.capacity
        own = sum(one.text.tokens for one in window.memory.current if one.key in self._shown)
        share = int(capacity * engine.policy.memory_share)
        return max(min(share, engine.room.free(window) + own), 0)


def key_of(path: str) -> str:
    """The key a guide stands under: its path, or for one that is no short line the end of it."""
    key = one_line(printable(path), KEY_CHARS)
    if key == path:
        return key
    digest = blake2b(path.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    end = cut_front(one_line(printable(path), len(path)), KEY_CHARS - len(digest) - 1)
    return f"{digest}~{end}"
