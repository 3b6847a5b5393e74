"""`ctx.skills`: Agent Skills listed in C_skill; a body comes when the model, the host or the goal
asks for it.

The model asks by the tool `use_skill`, which also brings a skill's files, as results. A skill that
stands in the window is not brought twice. When the partition has no room, the bodies unused longest
leave; a body that is too large even then is shown as an excerpt, and rests whole on a page."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from difflib import get_close_matches
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loom.capabilities.skills.catalogue import ALL, PARTITION, full_list, put_catalogue
from loom.capability import Answer, Capability, OwnTool, own_tool
from loom.context import Loop
from loom.errors import LoomError
from loom.providers.render.standin import StandIn
from loom.providers.render.wording import section_as_counted
from loom.reduce.preview import preview
from loom.session.archive.page_reader import readable_text
from loom.session.head import drop_text, put_text
from loom.session.tools.answer import TEXT, answer_reduction
from loom.session.working_edits import WorkingEdits
from loom.text import escape_invisible, one_line
from loom.typed import check_arguments
from loom_paging import PagingError
from loom_partitions.records import Record, Shelved, SkillUsed
from loom_partitions.skill import CATALOGUE
from loom_partitions.window import Window

if TYPE_CHECKING:
    from loom.capabilities.file_owners import Trust
    from loom.capabilities.skills.discover import SkillSet, SkillWarning
    from loom.capabilities.skills.skill_files import Skill

REFUSED_CHARS = 300  # of a skill that was not loaded, with the reason
NONE = "this agent has no skills"
FILES = 20  # names of a skill's files that are told with it
PART = "[{name}, in part: the headings, and how it begins; whole in {page}]"


@check_arguments
class Skills(Capability):
    """The skills of an agent: the skills in `folders`, and with a project also the project's and
    the user's. The model sees a list of them and asks for one by calling `use_skill`.

    A skill of another user is left out with a warning, unless it is in `folders` or at or below a
    path in `trust` ("*": all), as with git's `safe.directory`.

        >>> with loom.open("memory://skilled", capabilities=[loom.Skills()]) as ctx:
        ...     ctx.skills.activate("style", "Write British English.")
        ...     ctx.skills.found
        ()"""

    name = "skills"

    def __init__(self, *folders: str | PathLike[str], trust: Trust = ()) -> None:
        self._folders = [Path(folder) for folder in folders]
        self._trust = trust
        self._discovered: SkillSet | None = None  # nothing was looked for

    def __repr__(self) -> str:
        return f"<ctx.skills: {', '.join(skill.name for skill in self.found) or 'none'}>"

    @property
    def found(self) -> tuple[Skill, ...]:
        """Return the skills found when the context was opened."""
        return self._discovered.skills if self._discovered else ()

    @property
    def warnings(self) -> tuple[SkillWarning, ...]:
        """Return a warning for each problem found with a skill's file or folder."""
        return self._discovered.warnings if self._discovered else ()

    @property
    def refused(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return a line for each skill file that was not read, with the reason."""
        return tuple(f"{one.file}: {one.why}" for one in self.warnings if one.refused)

    def activate(self, key: str, text: str) -> None:
        """Put a text into the skill partition under `key`, replacing an older text. Raises
        OverCapacity."""
        put_text(self.engine, PARTITION, key, text)

    def drop(self, key: str) -> None:
        """Remove the text under `key` from the skill partition, if there is one."""
        drop_text(self.engine, PARTITION, key)

    def use(self, name: str) -> str:
        """Put a skill's text into the window, unless it is there already. Return the line that
        reports this to the model. The skills unused for longest are removed to make room. Raises
        LoomError for an unknown name, and when there is no room even then."""
        with self.engine.lock, self.engine.atomic:
            if not self.found:
                why = self.refused[:1]  # with the first that was refused
                told = (
                    f": not loaded: {one_line(escape_invisible(why[0]), REFUSED_CHARS)}"
                    if why
                    else ""
                )
                raise LoomError(f"{NONE}{told}")
            records, said = self._activation_records(self.engine.edits(), name)
            self.engine.commit(*records)
            return said

    # As a capability

    @property
    def tools(self) -> Sequence[OwnTool]:
        """Return the tool `use_skill`. It is offered to the model only if skills were found."""
        said = "Bring a skill's instructions into the context, or one of its files."
        fields, offered = {"name": TEXT, "file": TEXT}, bool(self.found)
        return (
            own_tool(
                "use_skill",
                said,
                fields,
                self._answer_use_skill,
                optional=("file",),
                offered=offered,
            ),
        )

    def attached(self, context: Loop) -> None:
        """Search for skills in the folders, the project and the home folder."""
        engine, home = self.engine, None
        with suppress(RuntimeError):
            home = Path.home() if engine.project is not None else None
        self._discovered = None
        if engine.project is not None or self._folders:
            from loom.capabilities.skills.discover import discover_skills

            self._discovered = discover_skills(engine.project, self._folders, home, self._trust)

    def opened(self) -> None:
        """Put the list of skills, and the texts of skills the goal asks for, into the window."""
        engine = self.engine
        shown = engine.window.skill.bodies.get(CATALOGUE) is not None
        if self.found or self.warnings or shown:
            with engine.lock, engine.atomic:
                put_catalogue(engine, self.found)
                self.goal_changed()

    def goal_changed(self) -> None:
        """Put skill texts that the goal asks for into the window, unless shown before."""
        from loom.capabilities.skills.match import skills_for_goal

        goal = self.engine.window.working.goal
        if goal is None or not self.found:
            return
        for skill in skills_for_goal(readable_text(self.engine.workspace, goal), self.found):
            if skill_key(skill) not in self.engine.window.skill.used:
                try:
                    self.use(skill.name)
                except PagingError:
                    raise
                except (LoomError, OSError):
                    continue  # the model may still ask for it

    def resized(self) -> None:
        """Shrink the list of skills, and remove skill texts, to fit a new window size."""
        if self.found:
            _, gone = self._make_room(self.engine.edits(), 0)
            if gone:
                with self.engine.lock, self.engine.atomic:
                    self.engine.commit(*gone)
            put_catalogue(self.engine, self.found)

    # What brings a skill into the window

    def _answer_use_skill(
        self, edits: WorkingEdits, arguments: dict[str, Any], limit: int
    ) -> Answer:
        """Answer a call of `use_skill` with a skill's text, one of its files, or for "?" the list
        of skills. A text over `limit` characters is put on a page."""
        if not self.found:
            raise LoomError(NONE)
        name, file = str(arguments["name"]).strip(), str(arguments.get("file", "")).strip()
        args = {"name": name[:100], **({"file": file[:100]} if file else {})}
        records: tuple[Record, ...] = ()
        if name == ALL:
            text = full_list(self.found)
        elif file:
            from loom.capabilities.skills.skill_files import read_resource

            text = read_resource(self._skill_named(name), file)
        else:
            records, text = self._activation_records(edits, name)
        said, page = f"Skill {name[:60]}" + (f": {file[:60]}" if file else ""), ""
        if len(text) > limit:
            text = edits.ingest.redact(text)
            page = edits.workspace.put_page(PARTITION, ".txt", text.encode("utf-8", "replace"))
            text = preview(text, limit, page)
        return Answer(text, answer_reduction("use_skill", args, said, page), records=records)

    def _skill_named(self, name: str) -> Skill:
        """Return the skill called `name`. Raises LoomError, which names similar skills."""
        found = {skill.name: skill for skill in self.found}
        if name in found:
            return found[name]
        near = get_close_matches(name, list(found), 3, 0.4)
        hint = f"; near it: {', '.join(near)}" if near else f"; use_skill('{ALL}') lists them"
        raise LoomError(f"there is no skill {name[:80]!r}{hint}")

    def _activation_records(self, edits: WorkingEdits, name: str) -> tuple[tuple[Record, ...], str]:
        """Return the records that put a skill's text into the window, and the line that reports
        this to the model. Raises LoomError for an unknown name, and when there is no room."""
        from loom.capabilities.memory.guide_fitting import excerpt
        from loom.capabilities.skills.skill_files import read_body, resource_paths

        skill = self._skill_named(name)
        key, ingest = skill_key(skill), edits.ingest
        held = edits.window.skill.bodies.get(key)
        if held is not None and not isinstance(readable_text(edits.workspace, held), StandIn):
            return (SkillUsed(key),), f"The skill {skill.name} stands in the context already"
        text = read_body(skill)
        # One that takes more than half of the share sends no more away than for that half.
        half = self._share_tokens(edits.window) // 2
        needed = min(ingest.sizes.count(section_as_counted(PARTITION, key, text)), half)
        edits, gone = self._make_room(edits, needed)
        room = self._free_tokens(edits.window)

        def fits(some: str) -> bool:
            return ingest.sizes.count(section_as_counted(PARTITION, key, some)) <= room

        if not fits(text):
            page = edits.workspace.put_page(PARTITION, ".md", ingest.redact(text).encode())
            text = excerpt(text, fits, PART.format(name=skill.name, page=page))
            if not text:
                raise LoomError(f"there is no room for the skill {skill.name}: it rests in {page}")
        tokens, notice = ingest.weighed(PARTITION, key, text)
        made = Shelved(PARTITION, key, notice, ingest.held(PARTITION, text, tokens))
        names, said = resource_paths(skill), f"The skill {skill.name} stands in the context now"
        if names:
            more = f" and {len(names) - FILES} more" if len(names) > FILES else ""
            files = ", ".join(map(escape_invisible, names[:FILES]))
            said += f"; its files, by use_skill(name, file): {files}{more}"
        return (*gone, made), said

    def _make_room(
        self, edits: WorkingEdits, needed: int
    ) -> tuple[WorkingEdits, tuple[Record, ...]]:
        """Remove skill texts, the longest unused first, until `needed` tokens are free or no text
        is left. Return the changed edits, and the records that remove the texts."""
        known = {skill_key(skill) for skill in self.found}
        known |= {one.key for one in edits.window.skill.bodies.shown if one.behind}  # a client's
        gone: list[Record] = []
        while self._free_tokens(edits.window) < needed:
            key = next((key for key in edits.window.skill.idle if key in known), None)
            if key is None:
                break
            gone.append(Shelved(PARTITION, key, edits.ingest.gone(PARTITION, key)))
            edits = edits.after(gone[-1:])
        return edits, tuple(gone)

    def _share_tokens(self, window: Window) -> int:
        """Return how many tokens the texts of all skills together may take in the window."""
        return int(window.limits.capacity * self.engine.policy.tuning.skill_share)

    def _free_tokens(self, window: Window) -> int:
        """Return how many tokens are free for the text of one more skill."""
        bodies = window.skill.bodies.current
        taken = sum(held.text.tokens for held in bodies if held.key != CATALOGUE)
        return min(self._share_tokens(window) - taken, self.engine.room.free(window))


def skill_key(skill: Skill) -> str:
    """Return the skill's key in the skill partition: its name, or "name (skill)" if the list of
    skills has this key."""
    return skill.name if skill.name != CATALOGUE else f"{CATALOGUE} (skill)"
