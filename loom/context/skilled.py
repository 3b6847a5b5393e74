"""Agent Skills: the list of them always in C_skill, a body when the model, the host or the goal
asks for it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from threading import RLock

from loom.capabilities.skills import SkillSet, catalogue, matching
from loom.engine import Engine
from loom.engine.archive.reading import standing
from loom.engine.atomic import Atomic
from loom.engine.tools.skills import activated, emptied, key_of
from loom.errors import LoomError, OverCapacity
from loom.providers.render.wording import weight
from loom_partitions.skill import CATALOGUE

LEAST = 60  # tokens a list of skills needs to say anything


class Skilled:
    """What a Context offers of skills."""

    _engine: Engine
    _lock: RLock
    _atomic: Atomic
    activate: Callable[[str, str], None]
    drop: Callable[[str], None]
    _found: SkillSet = SkillSet((), ())

    @property
    def skills(self) -> SkillSet:
        """The skills that were found when the context was opened, and what was odd about them."""
        return self._found

    def equip(self, found: SkillSet) -> None:
        """List skills in the window, and bring in those the goal plainly calls for.

        One that was in the window before is not brought back by the goal alone.
        """
        with self._lock, self._atomic:
            self._found = found
            self._list(found)
            self._match()

    def _match(self) -> None:
        """Bring in the skills the goal plainly calls for, where they never were in the window."""
        goal = self._engine.window.working.goal
        if goal is None or not self._found.skills:
            return
        for skill in matching(standing(self._engine.workspace, goal), self._found.skills):
            if key_of(skill) not in self._engine.window.skill.used:
                with suppress(LoomError, OSError):  # the model may still ask for it
                    self.use_skill(skill.name)

    def _resized(self) -> None:
        """Keep list and bodies within their shares of another capacity."""
        if self._found.skills:
            _, gone = emptied(self._engine.desk(), 0)
            if gone:
                with self._lock, self._atomic:
                    self._engine.commit(*gone)
            self._list(self._found)

    def use_skill(self, name: str) -> str:
        """Bring a skill's text into the window; a no-op when it stands there.

        The bodies unused longest leave when there is no room. Raises LoomError for a name that is
        no skill's, OverCapacity when there is no room for any.
        """
        with self._lock, self._atomic:
            records, said = activated(self._engine.desk(), name)
            self._engine.commit(*records)
            return said

    def _list(self, found: SkillSet) -> None:
        """Put the list of skills on its shelf, as large as there is room for."""
        engine = self._engine
        room = int(engine.window.limits.capacity * engine.policy.catalogue_share)
        room = max(room, LEAST) if found.skills else 0
        while room >= LEAST:
            text = catalogue(
                found.skills,
                room,
                lambda text: engine.sizes.count(weight("skill", CATALOGUE, text)),
            )
            with suppress(OverCapacity):
                if text:
                    self.activate(CATALOGUE, text)
                    return
            room //= 2
        self.drop(CATALOGUE)
