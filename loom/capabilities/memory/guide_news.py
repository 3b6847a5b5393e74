"""What became of a guide, and why, as the notice between cuts says it.

The words tell what happened on disk apart from what only happened in the window: a file that came,
changed or went, and one that has room again or is shown in another part.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from loom.capabilities.memory.guide_order import Guide
from loom.capabilities.memory.guide_shelf import RETIRED
from loom.capabilities.memory.project_guides import ProjectGuides
from loom.capabilities.memory.unshown import UNSHOWN
from loom.providers.render.naming import named
from loom.providers.render.wording import News

CHANGED = News("changed")
BACK = News("back", ", there is room for it again")
ANOTHER_PART = News("shown anew", ", the file is as it was")
MOVED = News("moved", ", its text stands below")
AT_OPENING = News("new", ", found when the workspace was opened")
APPEARED = News("new", ", the file appeared")
LEFT_OUT = News("left out", ", no room for it; the file stands")
DELETED = News("gone", ", the file is no longer there")
NO_IMPORT = News("gone", ", no longer imported")
OWN = News("gone", ", it counts as a guide of its own")
ROOM_FOR_ALL = News("gone", ", each has room now")
SILENT = News("gone", ", the file says nothing that counts any more")
NO_LONGER = News("gone", ", Loom tells it no more")

NAMED, NAME_CHARS = 2, 50  # guides without room that a notice names; the text below it names more


def arrival(
    project: ProjectGuides, guide: Guide, *, opening: bool, before: Collection[str] = ()
) -> News:
    """The news of a guide that was not there, while those named `before` were."""
    folder, _, own = guide.path.rpartition("/")
    for name in project.names[: project.names.index(own)] if own in project.names else ():
        other = f"{folder}/{name}" if folder else name
        if not guide.by and other in before and other not in project.names_in_force:
            return News("new", f", it counts in the place of {named(other)}")
    because = project.found_by(guide)
    if because and not project.stood(guide):
        return News("new", f", found because of {named(because)}")
    return AT_OPENING if opening else APPEARED


def without_room(
    project: ProjectGuides, new: Sequence[Guide], *, first: bool, opening: bool
) -> News:
    """The news that guides have no room, which names those that are `new` as such."""
    word = "new" if first else "changed"
    if not new:
        return News(word)
    because = arrival(project, new[0], opening=opening).why if len(new) == 1 else ""
    names = ", ".join(named(guide.name, NAME_CHARS) for guide in new[:NAMED])
    more = f" and {len(new) - NAMED:,} more" if len(new) > NAMED else ""
    return News(word, f", new: {names}{more}{because}")


def refused(project: ProjectGuides, path: str) -> News | None:
    """The news that a file is there and must not be loaded; None for any other."""
    told = (one.removeprefix(f"{path}: ") for one in project.refused)
    why = next((one for one in told if one not in project.refused), "").partition(";")[0]
    subject = "it " if why.startswith("belongs") else ""
    return News("gone", f", not loaded: {subject}{why}") if why else None


def departure(project: ProjectGuides, name: str) -> News:
    """The news of a guide that no longer stands."""
    if name in project.names_in_force:
        return LEFT_OUT
    if name == UNSHOWN:
        return ROOM_FOR_ALL
    if name in RETIRED:
        return NO_LONGER
    if not project.is_guide(name):
        file = name.partition(" (imported by ")[0]
        if file in project.names_in_force:
            return OWN
        return NO_IMPORT if (project.root / file).is_file() else DELETED
    path = project.root / name
    others = (other for other in project.names if other != path.name)
    folder = name.rpartition("/")[0]
    for other in (f"{folder}/{one}" if folder else one for one in others):
        if other in project.names_in_force:
            return News("gone", f", {named(other)} counts in its place")
    if why := refused(project, name):
        return why
    return SILENT if path.is_file() else DELETED
