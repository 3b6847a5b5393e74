"""Find the skills of a host, of a project and of a user.

Theory of operation. Places are looked through in the order of their precedence:
what the host gives, then the project's folder and the folders above it up to the git root, then the
home folder; in each folder `.agents/skills`, which clients share (https://agentskills.io, "Where to
scan"), comes before `.claude/skills`. A name that is met again in a later place is left out with a
warning, so that the nearer skill is used. One file met twice, as where one place is a link to
another, is one skill and no warning.

A repository may come from anywhere, so a link in it must not show a file of the user's: a link that
leads out of the project's root (the git root, as with AGENTS.md) is left out with a warning. The
home folder and each folder the host gives are roots of their own; a link the host gives is
followed.

Below a place, folders are searched level by level in the order of their names, links to folders
too, but no folder twice. A folder that holds a SKILL.md is a skill and is not searched further.
Depth and the number of folders are bounded (the specification's guide names both), so a place that
is a link to the root of a disk costs no more than any other."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from loom.capabilities.file_owners import ANYONE, Owners, Trust, git_root, trusted_owners
from loom.capabilities.skills.skill_files import (
    LEADS_OUT,
    SKILL_FILES,
    Skill,
    absolute_path,
    is_skipped_name,
    leads_out,
    load_skill,
)

DEEPEST = 4  # folders below a place
FOLDERS = 2_000  # looked into in one place
PLACES = (".agents/skills", ".claude/skills")
FULL = f"more than {FOLDERS:,} folders: some were not searched"
OUT = f"{LEADS_OUT}: not read; give the host the folder it leads to if it is meant"


class SkillWarning(Struct, frozen=True):
    """A problem with the skill file `file`; `why` describes it, `refused` means it was not read."""

    file: str
    why: str
    refused: bool = False


class SkillSet(Struct, frozen=True):
    """The skills found; of equal names only the first. `warnings` lists all problems."""

    skills: tuple[Skill, ...] = ()
    warnings: tuple[SkillWarning, ...] = ()


def discover_skills(
    project: Path | None,
    given: Sequence[Path] = (),
    home: Path | None = None,
    trust: Trust = (),
) -> SkillSet:
    """Return the skills found in the paths `given`, in `project` and the folders above it, and in
    `home`. A path in `given` is the folder of one skill, a SKILL.md, or a folder of skills.

    A skill of another user is left out with a warning, unless it is in `given` or at or below a
    path in `trust`. An unreadable file gives a warning, not an exception."""
    search, whose = _SkillSearch(), trusted_owners(trust)
    for path in given:
        search.given(path)
    for place, root in _places_with_roots(project, home, whose, search).items():
        for path, why in _skill_files_below(place, root) if place.is_dir() else ():
            search.take(path, why, root, whose)
    return SkillSet(tuple(search.skills.values()), tuple(search.warnings))


def skill_places(
    project: Path | None, home: Path | None = None, trust: Trust = ()
) -> tuple[Path, ...]:
    """Return the folders searched for skills, existing or not. Skills in earlier folders win."""
    return tuple(_places_with_roots(project, home, trusted_owners(trust), _SkillSearch()))


def _places_with_roots(
    project: Path | None, home: Path | None, whose: Owners, search: _SkillSearch
) -> dict[Path, str]:
    """Return the folders to search, each with the root folder that links must not lead out of:
    first the folders of the project and above it up to the git root, then of the home folder."""
    roots: dict[Path, str] = {}
    if project is not None:
        start = absolute_path(project)
        top, why = git_root(start, whose)
        if why:
            file, _, why = why.partition(": ")
            search.refuse(file, why)
        between = (at for at in (start, *start.parents) if at.is_relative_to(top))
        roots = dict.fromkeys(between, os.path.realpath(top))
    if home is not None:
        roots.setdefault(absolute_path(home), os.path.realpath(home))
    return {base / place: root for base, root in roots.items() for place in PLACES}


class _SkillSearch(Struct):
    """The results of a search: `skills` by name, `warnings`, and in `seen` the real paths read."""

    skills: dict[str, Skill] = {}
    warnings: list[SkillWarning] = []
    seen: set[str] = set()

    def refuse(self, path: str | Path, why: str | Exception) -> None:
        """Add a warning that `path` was not read, because of `why`."""
        if isinstance(why, Exception):
            why = f"cannot be read: {getattr(why, 'strerror', None) or why}"
        self.warnings.append(SkillWarning(str(path), why, refused=True))

    def given(self, given: Path) -> None:
        """Add the skills at a path given by the host: a skill's folder, a SKILL.md, or a folder of
        skills."""
        try:
            path = absolute_path(given)
            root = os.path.realpath(path)
            if path.name in SKILL_FILES and not path.is_dir():
                root = "" if path.is_symlink() else os.path.dirname(root)  # noqa: PTH120
                found: list[tuple[Path, str | Exception]] = [(path, "")]
            else:
                own, _ = _skill_file_and_folders(path)
                found = [(own, "")] if own else list(_skill_files_below(path, root))
        except (OSError, ValueError) as error:
            self.refuse(given, error)
            return
        for file, why in found:
            self.take(file, why, root, ANYONE)
        if not found:
            why = "no skill: neither it nor a folder below holds a SKILL.md"
            self.warnings.append(SkillWarning(str(path), why))

    def take(self, file: Path, why: str | Exception, root: str, whose: Owners) -> None:
        """Add the skill in a SKILL.md file. Add a warning instead if `why` is not "", a link leads
        out of `root`, or `whose` does not allow the file's owner."""
        odd: tuple[str, ...] = ()
        try:
            real = os.path.realpath(file)
            why = why or (OUT if leads_out(real, root) else whose.refusal(file))
            if not why and real not in self.seen:
                self.seen.add(real)
                skill, odd = load_skill(file, root)
                first = self.skills.setdefault(skill.name, skill)
                if first is not skill:
                    odd = (f"left out: {first.file} is the skill {skill.name!r} already",)
        except (OSError, ValueError) as error:
            why = error
        if why:
            self.refuse(file, why)
        self.warnings += (SkillWarning(str(file), one) for one in odd)


def _skill_files_below(place: Path, root: str) -> Iterator[tuple[Path, str | Exception]]:
    """Yield (SKILL.md file, "") for each skill below a folder, and (path, reason) for each path
    that was not searched."""
    queue, seen, full = [(place, 0)], {os.path.realpath(place)}, False
    for folder, depth in queue:
        if leads_out(folder, root):
            yield folder, OUT
            continue
        try:
            own, inner = _skill_file_and_folders(folder)
        except OSError as error:
            yield folder, error
            continue
        if own and depth:
            yield own, ""
            continue
        for path in inner if depth < DEEPEST else ():
            if (real := os.path.realpath(path)) not in seen:
                full = len(seen) >= FOLDERS
                if not full:
                    seen.add(real)
                    queue.append((path, depth + 1))
    if full:
        yield place, FULL


def _skill_file_and_folders(folder: Path) -> tuple[Path | None, list[Path]]:
    """Return the SKILL.md in a folder, or None, and the folders in it, sorted by name."""
    found = sorted(name for name in os.listdir(folder) if not is_skipped_name(name))  # noqa: PTH208
    own = next((folder / name for name in SKILL_FILES if name in found), None)
    return own, [path for path in map(folder.joinpath, found) if os.path.isdir(path)]  # noqa: PTH112
