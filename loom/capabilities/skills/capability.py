"""`ctx.skills`: Agent Skills listed in C_skill; a body when model, host or goal asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from loom.capabilities.skills.tool import NONE, OfferedSkills, key_of, put_list, skill_tool
from loom.capability import Capability, OwnTool
from loom.context import Loop
from loom.errors import LoomError
from loom.session.archive.reading import standing
from loom.session.head import drop, put
from loom.text import one_line, visible
from loom.typed import typed
from loom_paging import PagingError
from loom_partitions.skill import CATALOGUE

if TYPE_CHECKING:
    from loom.capabilities.owners import Trust
    from loom.capabilities.skills.discover import SkillSet, SkillWarning
    from loom.capabilities.skills.skill import Skill

REFUSED_CHARS = 300  # of a skill that was not loaded, with the reason


@typed
class Skills(Capability):
    """The skills of an agent: those in `folders`, and with a project those of it and of the user.

    Of the latter, what belongs to another user is left out with a warning, but for what lies at a
    path of `trust` ("*": all) or below one, as git has it with `safe.directory`. The model sees the
    list, and uses them by the tool `use_skill`.
    """

    name = "skills"

    def __init__(self, *folders: str | PathLike[str], trust: Trust = ()) -> None:
        self._folders = [Path(folder) for folder in folders]
        self._trust = trust
        self._discovered: SkillSet | None = None  # nothing was looked for
        self._offered: OfferedSkills | None = None

    def __repr__(self) -> str:
        return f"<ctx.skills: {', '.join(skill.name for skill in self.found) or 'none'}>"

    @property
    def found(self) -> tuple[Skill, ...]:
        """The skills that were found when the context was opened."""
        return self._discovered.skills if self._discovered else ()

    @property
    def warnings(self) -> tuple[SkillWarning, ...]:
        """The lines about what was odd in the folders of skills."""
        return self._discovered.warnings if self._discovered else ()

    @property
    def refused(self) -> tuple[str, ...]:  # type: ignore[override]
        """The skills that were not read, and why."""
        return tuple(f"{one.file}: {one.why}" for one in self.warnings if one.refused)

    def activate(self, key: str, text: str) -> None:
        """Put a text into the skill partition. A no-op when unchanged; raises OverCapacity."""
        put(self.engine, "skill", key, text)

    def drop(self, key: str) -> None:
        """Take a text out of the skill partition. A no-op when it is not there."""
        drop(self.engine, "skill", key)

    def use(self, name: str) -> str:
        """Bring a skill's text into the window; a no-op when it stands there.

        The bodies unused longest leave when there is no room. Raises LoomError for a name that is
        no skill's (with a reason where all were refused), OverCapacity when there is no room.
        """
        with self.engine.lock, self.engine.atomic:
            if self._offered is None:
                why = self.refused[:1]  # with the first that was refused
                told = f": not loaded: {one_line(visible(why[0]), REFUSED_CHARS)}" if why else ""
                raise LoomError(f"{NONE}{told}")
            records, said = self._offered.activated(self.engine.edits(), name)
            self.engine.commit(*records)
            return said

    @property
    def tools(self) -> Sequence[OwnTool]:
        """The tool `use_skill`, offered only where skills were found."""
        return (skill_tool(self._offered),)

    def attached(self, context: Loop) -> None:
        """Look for skills."""
        engine = self.engine
        home = None
        with suppress(RuntimeError):
            home = Path.home() if engine.project is not None else None
        self._discovered = self._offered = None
        if engine.project is not None or self._folders:
            from loom.capabilities.skills.discover import discover

            self._discovered = discover(engine.project, self._folders, home, self._trust)
        if self.found:
            share = engine.policy.tuning.skill_share
            self._offered = OfferedSkills(self.found, share, engine.room.free)

    def opened(self) -> None:
        """List the skills, and bring in those the goal plainly calls for."""
        engine = self.engine
        listed = engine.window.skill.bodies.get(CATALOGUE) is not None
        if self.found or self.warnings or listed:
            with engine.lock, engine.atomic:
                put_list(self.engine, self.found)
                self.goal_changed()

    def goal_changed(self) -> None:
        """Bring in the skills the goal plainly calls for, where they never were in the window."""
        from loom.capabilities.skills.match import matching

        goal = self.engine.window.working.goal
        if goal is None or not self.found:
            return
        for skill in matching(standing(self.engine.workspace, goal), self.found):
            if key_of(skill) not in self.engine.window.skill.used:
                try:
                    self.use(skill.name)
                except PagingError:
                    raise
                except (LoomError, OSError):
                    continue  # the model may still ask for it

    def resized(self) -> None:
        """Keep list and bodies within their shares of another capacity."""
        if self._offered is not None:
            _, gone = self._offered.emptied(self.engine.edits(), 0)
            if gone:
                with self.engine.lock, self.engine.atomic:
                    self.engine.commit(*gone)
            put_list(self.engine, self.found)
