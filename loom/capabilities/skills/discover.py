"""Where skills lie, and which are found.

Theory of operation
-------------------
Places are looked through in the order of their precedence: what the host gives, then the project's
folder and those above it up to the git root, then the home folder; in each `.agents/skills`, which
clients share (https://agentskills.io, "Where to scan"), before `.claude/skills`. A name that is met
again in a later place is left out with a warning, so that the nearer skill is the one that is used.
One file met twice, as where one place is a link to another, is one skill and no warning.

A repository may come from anywhere, so a link in it must not show a file of the user's: what leads
out of the project's root (the git root, as with AGENTS.md) is left out with a warning. The home
folder and each folder the host gives are roots of their own; a link the host gives is meant.

Below a place folders are searched level by level in the order of their names, links too, but no
folder twice; a folder that holds a SKILL.md is a skill and is not searched further. Depth and the
number of folders are bounded (the specification's guide names both), so a place that is a link to
the root of a disk costs no more than any other.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct

from loom.capabilities.owners import Owners, Trust, git_root, owners
from loom.capabilities.skills.skill import Skill, load
from loom.capabilities.skills.skill_files import (
    LEADS_OUT,
    SKILL_FILES,
    absolute,
    leads_out,
    names,
    skill_file,
)

DEEPEST = 4  # folders below a place
FOLDERS = 2_000  # looked into in one place
PLACES = (".agents/skills", ".claude/skills")
OUT = f"{LEADS_OUT}: not read; give the host the folder it leads to if it is meant"

Rooted: TypeAlias = tuple[Path, str]  # a path, and the resolved folder it must not lead out of


class SkillWarning(Struct, frozen=True):
    """An oddity of a file, or the reason it was left out; `refused` is one that was not read."""

    file: str
    why: str
    refused: bool = False


class SkillSet(Struct, frozen=True):
    """The skills, each name once, in the order of precedence; and everything that was odd."""

    skills: tuple[Skill, ...] = ()
    warnings: tuple[SkillWarning, ...] = ()


def discover(
    project: Path | None,
    given: Sequence[Path] = (),
    home: Path | None = None,
    trust: Trust = (),
) -> SkillSet:
    """The skills of the paths `given`, of `project` and the folders above it, and of `home`.

    A path of `given` is a skill's folder, a SKILL.md, or a folder of skills. None leaves a part
    out. What is not given and belongs to another user is left out with a warning, but for what
    lies at a path of `trust` or below one. Raises nothing for what it finds or cannot read: that is
    a warning.
    """
    skills: dict[str, Skill] = {}
    warnings: list[SkillWarning] = []
    seen: set[str] = set()
    for at in _files(project, given, home, owners(trust)):
        if isinstance(at, SkillWarning):
            warnings.append(at)
            continue
        file, root = at
        real = os.path.realpath(file)
        if real in seen:
            continue
        seen.add(real)
        try:
            skill, odd = load(file, root)
        except (OSError, ValueError) as error:
            warnings.append(SkillWarning(str(file), _why(error), refused=True))
            continue
        first = skills.setdefault(skill.name, skill)
        if first is not skill:
            odd = (f"left out: {first.file} is the skill {skill.name!r} already",)
        warnings += (SkillWarning(str(file), why) for why in odd)
    return SkillSet(tuple(skills.values()), tuple(warnings))


def places(project: Path | None, home: Path | None = None, trust: Trust = ()) -> tuple[Path, ...]:
    """The folders of skills that are looked into, there or not, in the order of precedence."""
    return tuple(_places(project, home, owners(trust)))


def _places(project: Path | None, home: Path | None, whose: Owners) -> dict[Path, str]:
    """Each place and its root."""
    upward, _ = _upward(project, whose)
    roots = dict.fromkeys(upward, os.path.realpath(upward[-1])) if upward else {}
    if home is not None:
        roots.setdefault(absolute(home), os.path.realpath(home))
    return {base / place: root for base, root in roots.items() for place in PLACES}


def _upward(project: Path | None, whose: Owners) -> tuple[list[Path], str]:
    """The project's folder and those above it up to the git root; without one, it alone.

    And why a root above it does not count, "" where it does.
    """
    if project is None:
        return [], ""
    start = absolute(project)
    root, why = git_root(start, whose)
    chain = [start, *start.parents]
    return chain[: chain.index(root) + 1], why


def _files(
    project: Path | None, given: Sequence[Path], home: Path | None, whose: Owners
) -> Iterator[Rooted | SkillWarning]:
    """Every SKILL.md in the order of precedence, and what could not be read on the way."""
    for path in given:
        try:
            yield from _given(absolute(path))
        except (OSError, ValueError) as error:
            yield SkillWarning(str(path), _why(error), refused=True)
    _, why = _upward(project, whose)
    if why:
        file, _, why = why.partition(": ")
        yield SkillWarning(file, why, refused=True)
    for place, root in _places(project, home, whose).items():
        if place.is_dir():
            yield from (_owned(at, whose) for at in _below(place, root))


def _owned(at: Rooted | SkillWarning, whose: Owners) -> Rooted | SkillWarning:
    """A file, or why it does not count: it is another user's."""
    if isinstance(at, SkillWarning):
        return at
    try:
        why = whose.refusal(at[0])
    except OSError as error:
        why = _why(error)
    return SkillWarning(str(at[0]), why, refused=True) if why else at


def _given(path: Path) -> Iterator[Rooted | SkillWarning]:
    """The skills of a path the host gave; raises OSError when it cannot be read."""
    if path.name in SKILL_FILES and not path.is_dir():
        yield path, "" if path.is_symlink() else os.path.realpath(path.parent)
        return
    own, root = skill_file(path), os.path.realpath(path)
    found = [_held(own, root)] if own else list(_below(path, root))
    yield from found or [
        SkillWarning(str(path), "no skill: neither it nor a folder below holds a SKILL.md")
    ]


def _held(file: Path, root: str) -> Rooted | SkillWarning:
    return SkillWarning(str(file), OUT, refused=True) if leads_out(file, root) else (file, root)


def _below(place: Path, root: str) -> Iterator[Rooted | SkillWarning]:
    """The SKILL.md files of the folders below a place."""
    if leads_out(place, root):
        yield SkillWarning(str(place), OUT, refused=True)
        return
    queue = [(place, 0)]
    seen = {os.path.realpath(place)}
    full = False
    for folder, depth in queue:
        try:
            own = skill_file(folder) if depth else None
            inner = [] if own or depth == DEEPEST else _folders(folder)
        except OSError as error:
            yield SkillWarning(str(folder), _why(error), refused=True)
            continue
        if own:
            yield _held(own, root)
        for path in inner:
            real = os.path.realpath(path)
            if real in seen:
                continue
            if len(seen) > FOLDERS:
                full = True
                break
            seen.add(real)
            if leads_out(real, root):
                yield SkillWarning(str(path), OUT, refused=True)
            else:
                queue.append((path, depth + 1))
    if full:
        yield SkillWarning(str(place), f"more than {FOLDERS:,} folders: some were not searched")


def _folders(folder: Path) -> list[Path]:
    """The folders in a folder, links to folders among them, by name."""
    return [path for name in names(folder) if _is_folder(path := folder / name)]


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def _why(error: Exception) -> str:
    return f"cannot be read: {getattr(error, 'strerror', None) or error}"
