"""Guides found while working that must not be read: the host is warned, and the model told.

The host hears of each path once, by a `LoomWarning`, as at opening. The model hears by a quoted
text of C_memory that names the files of folders it touched, with the reason: it stands below all
that is the project's own, takes no room from it, and leaves when a file is read after all.
"""

from __future__ import annotations

import warnings
from os import fspath

from loom.capabilities.memory.following import HINT
from loom.capabilities.memory.guide_shelf import PARTITION
from loom.capabilities.memory.project_guides import ProjectGuides
from loom.capabilities.refused import host_stacklevel, not_loaded
from loom.engine import Engine
from loom.engine.archive.reading import standing
from loom.engine.head import drop, put
from loom.errors import OverCapacity
from loom.providers.render.wording import News
from loom.text import one_line, visible

NOT_LOADED = "guides not loaded"  # the key under which the model is told of them
NAMED = 3  # files named; the others are counted
CHARS = 80  # of a name, and of a reason
SPARE = 20  # texts of this size have to have room beside it, or it is not told
BETWEEN = "; "


class NotLoadedGuides:
    """What of the guides of a `project` was refused since it was opened."""

    def __init__(self, engine: Engine, project: ProjectGuides) -> None:
        self._engine, self._project = engine, project
        self._warned: set[str] = set()
        for one in self._standing().split(BETWEEN):  # as an earlier life left them
            project.touch(one.partition(": ")[0], told=False)

    def _standing(self) -> str:
        held = self._engine.window.memory.get(NOT_LOADED)
        return "" if held is None else standing(self._engine.workspace, held)

    def begin(self) -> None:
        """Take what was refused at opening as told; a text that is not so any more changes."""
        self._warned, self._told = {*self._project.refused}, self._project.refused_beside
        if self._standing():
            self.tell()

    def give_way(self, spare: int = 0) -> None:
        """Take the text away, unless there is `spare` times its size free: guides come first."""
        engine = self._engine
        with engine.lock, engine.atomic:
            held = engine.window.memory.get(NOT_LOADED)
            if held and not (spare and held.tokens * spare <= engine.room.free(engine.window)):
                drop(engine, PARTITION, NOT_LOADED, News("gone"))

    def look(self) -> None:
        """Tell the model of those that came since the last look, then warn the host of them."""
        project = self._project
        if project.refused_beside != self._told:
            self._told = project.refused_beside
            self.tell()
        new = [one for one in project.refused if one not in self._warned]
        if new:
            self._warned.update(new)  # first: a warning may be raised
            told_of = not_loaded(fspath(self._engine.project or project.folder), new)
            warnings.warn(told_of, stacklevel=host_stacklevel())

    def tell(self) -> None:
        """Put the text where it has room, or take it away."""
        engine, text = self._engine, told(self._told)
        with engine.lock, engine.atomic:
            cost = engine.ingest.in_front(PARTITION, NOT_LOADED, text, quoted=True)
            if text and cost * SPARE <= engine.room.free(engine.window):
                said = News("new", ", they may not be read")
                try:
                    put(engine, PARTITION, NOT_LOADED, text, said, quoted=True)
                    return
                except OverCapacity:
                    pass
            self.give_way()


def told(refused: dict[str, str]) -> str:
    """The text that names files with the reason of each; "" for none."""
    lines = [
        f"{one_line(visible(name), CHARS)}: {one_line(visible(why.partition(HINT)[0]), CHARS)}"
        for name, why in refused.items()
    ]
    left = len(lines) - NAMED
    return BETWEEN.join([*lines[:NAMED], *([f"{left:,} more"] if left > 0 else [])])
