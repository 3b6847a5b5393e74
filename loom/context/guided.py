"""What a project's AGENTS.md files say, kept in C_memory while they change.

Each guide stands under its path. Before a turn the files are looked at: what changed, came or went
is a record of that turn, and joins the head at the next cut. A guide of a folder deeper down comes
when a call first names something there. Excerpts are made when a guide comes or changes, and again
for the goal of the hour when a renewal writes the head anyway.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import RLock

from loom.archive.restore import whole
from loom.engine import Engine
from loom.errors import OverCapacity
from loom.memory.fitting import Fitted, fitted, page_of
from loom.memory.merging import Merged, Origin
from loom.memory.notes import Notes
from loom.memory.project import Project
from loom.reduce.places import paths
from loom.render.wording import section
from loom.residency.units import path_of
from partitions.message import Step
from partitions.shelf import Held

PARTITION = "memory"


class Guidance:
    """What the guides of a project say, as of the last look; `notes` are the agent's own."""

    def __init__(self, project: Project | None, notes: Notes | None = None) -> None:
        self._project = project
        self.notes = notes

    @property
    def merged(self) -> Merged:
        """The guides, part by part."""
        return self._project.merged if self._project else Merged()

    @property
    def text(self) -> str:
        """The guides as one text, from the root to the closest, within the byte budget."""
        return self.merged.text

    @property
    def origins(self) -> tuple[Origin, ...]:
        """The file and line each line of the text comes from."""
        return self.merged.origins

    @property
    def warnings(self) -> tuple[str, ...]:
        """Files that could not be read, and why."""
        return self._project.warnings if self._project else ()


class Guided:
    """What a Context offers to follow a project's guides."""

    _engine: Engine
    _lock: RLock
    remember: Callable[[str, str], None]
    forget: Callable[[str], None]
    _project: Project | None = None
    _guides: dict[str, Fitted]
    _pages: dict[str, str]  # where the whole text of an excerpt rests
    _read_to: int = 0  # the newest entry whose calls were looked at

    @property
    def memory(self) -> Guidance:
        """What the project's AGENTS.md files say, and the agent's notes, where there are any."""
        return Guidance(self._project, self._engine.notes)

    def follow(self, folder: Path) -> None:
        """Follow the guides of a working folder from now on, its root's and those on the way."""
        with self._lock:
            self._project = project = Project(folder)
            self._guides, self._pages = {}, {}
            for held in self._engine.window.memory.current:
                if self._is_guide(held.key):
                    project.touch(str(project.root / held.key))
                    self._known(held)
            project.look()
            self._fit()
            self._read_to = self._engine.window.next_id - 1

    def _known(self, held: Held) -> None:
        """Take a guide as an earlier life left it: what it shows, and the text it is of."""
        workspace = self._engine.workspace
        shown = source = whole(workspace, held.text)
        if page := page_of(shown):
            source = workspace.whole(page)
            self._pages[source] = page
        self._guides[held.key] = Fitted(held.key, source, shown)

    def _follow(self) -> None:
        """Look before a turn: at what the calls named, then at the files."""
        project = self._project
        if project is None:
            return
        with self._lock:
            self._touch(project)
            engine = self._engine
            renewing = engine.relief.rho(engine.window) >= engine.policy.renew_at
            if project.look() or renewing:
                if renewing:
                    self._guides = {}
                self._fit()

    def _touch(self, project: Project) -> None:
        """Tell the project which paths the calls since the last look have named."""
        newest = self._engine.window.next_id - 1
        for entry in self._engine.window.stream.entries_back:
            if entry.id <= self._read_to:
                break
            for call in entry.calls if isinstance(entry, Step) else ():
                project.touch(path_of(call))
                for _, path in paths(call.arguments):
                    project.touch(path)
        self._read_to = newest

    def _fit(self) -> None:
        """Bring the shelf up to the files, within the partition's room."""
        assert self._project is not None
        engine, window = self._engine, self._engine.window
        goal = window.working.goal
        made = fitted(
            self._project.merged.parts,
            whole(engine.workspace, goal) if goal else "",
            self._room(),
            lambda path, text: engine.sizes.count(section(PARTITION, path, text)),
            self._rested,
            self._guides,
        )
        shed = {name.partition(":")[2] for name in window.shed}
        self._guides = {one.path: one for one in made}
        for held in window.memory.current:
            if self._is_guide(held.key) and held.key not in self._guides:
                self.forget(held.key)
        for one in made:
            if one.path not in shed:
                self._show(one)

    def _show(self, one: Fitted) -> None:
        try:
            self.remember(one.path, one.shown)
        except OverCapacity:  # other partitions have grown meanwhile: the next renewal tries again
            del self._guides[one.path]

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
        own = sum(held.text.tokens for held in window.memory.current if self._is_guide(held.key))
        share = int(capacity * engine.policy.memory_share)
        return max(min(share, engine.free(window) + own), 0)

    def _is_guide(self, key: str) -> bool:
        return self._project is not None and key.rpartition("/")[2] in self._project.names
