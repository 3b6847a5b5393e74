"""A skill: what its SKILL.md says of it, and its texts, read when they are asked for.

The fields are those of the Agent Skills specification (https://agentskills.io/specification). A
skill is known by name and description alone; its body and its other files stay on the disk.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path, PureWindowsPath

from msgspec import Struct, field

from loom.capabilities.skills.frontmatter import Value, front, paragraph, split
from loom.capabilities.skills.skill_files import absolute, leads_out, names, text_of
from loom.errors import LoomError
from loom.lazy import lazy_re
from loom.text import one_line, printable

NAME_CHARS, DESCRIPTION_CHARS = 64, 1_024  # of the specification
RESOURCES = 500  # files of a skill that are listed
FOLDERS, DEEPEST = 500, 8  # of a skill that are looked into
SHOWN = 8  # resources named in an error

# A tool with what it may do in brackets: `Read`, `Bash(git diff:*)`.
_TOOL = lazy_re(r"[^\s,()]+(?:\([^()]*\))?")


class LostSkill(LoomError):
    """The SKILL.md of a skill cannot be read any more."""

    def __init__(self, name: str, file: str, why: object) -> None:
        self.name = name
        super().__init__(f"skill {name!r} cannot be read: {file}: {why}; put it back, or go on")


class BadResource(LoomError):
    """A path that names no text inside a skill's folder."""

    def __init__(self, name: str, path: str, why: str, known: tuple[str, ...] = ()) -> None:
        self.path = path
        has = ", ".join(known[:SHOWN]) + (", …" if len(known) > SHOWN else "")
        super().__init__(
            f"skill {name!r} has no resource {one_line(path, 200)!r}: {why};"
            f" {f'it has {has}' if known else 'it has no other files'}"
        )


class Skill(Struct, frozen=True):
    """A skill as its header tells it: texts as written, "" and () where nothing is said.

    `folder` and `file` are absolute. `name` is one line of at most 64 characters and is what the
    skill is asked for by. `allowed_tools` are as written, `Bash(git diff:*)` one of them. Nothing
    of it is read that a link leads out of `root`, a resolved folder; "" holds nothing back.
    """

    name: str
    description: str
    folder: str
    file: str
    license: str = ""
    compatibility: str = ""
    metadata: dict[str, str] = field(default_factory=dict)
    allowed_tools: tuple[str, ...] = ()
    root: str = ""


def load(file: str | Path, root: str = "") -> tuple[Skill, tuple[str, ...]]:
    """The skill of a SKILL.md, and what was odd about it; `root` is the skill's.

    What is missing is made up for: the name by the folder's, the description by the first
    paragraph. Raises OSError when the file cannot be read, and nothing for what stands in it.
    """
    path = absolute(file)
    read = front(text_of(path, root))
    texts = {key: _text(value) for key, value in read.fields.items()}
    metadata = read.fields.get("metadata", {})
    called = one_line(printable(path.parent.name), NAME_CHARS) or "skill"
    skill = Skill(
        name=one_line(texts.get("name", ""), NAME_CHARS) or called,
        description=texts.get("description", "") or paragraph(read.body),
        folder=str(path.parent),
        file=str(path),
        license=texts.get("license", ""),
        compatibility=texts.get("compatibility", ""),
        metadata=metadata if isinstance(metadata, dict) else {},
        allowed_tools=tuple(_TOOL.findall(texts.get("allowed-tools", ""))),
        root=root,
    )
    # Without a header one warning says it all.
    odd = _odd(skill, texts, called, metadata) if read.fields else ()
    return skill, (*read.warnings, *odd)


def body(skill: Skill) -> str:
    """The text after the front matter, read now; at most 1 MB. Raises LostSkill."""
    try:
        return split(text_of(skill.file, skill.root))[1].strip("\n")
    except OSError as error:
        raise LostSkill(skill.name, skill.file, error.strerror or error) from None


def resources(skill: Skill) -> tuple[str, ...]:
    """The other files of a skill, relative POSIX paths, sorted, at most 500.

    Hidden files, what tools leave behind, and links that lead out of the folder are left out.
    """
    if leads_out(skill.folder, skill.root):
        return ()
    own = Path(os.path.realpath(skill.file))
    found = (name for path, name in _files(Path(skill.folder)) if path != own)
    return tuple(sorted(islice(found, RESOURCES)))


def resource(skill: Skill, path: str) -> str:
    """The text of a file of a skill, by its path inside the folder; at most 1 MB.

    Raises BadResource for an absolute path, one with `..` in it, one that leads out of the folder
    through a link, and for what is no file that can be read.
    """
    try:
        return text_of(_inside(skill.folder, path), skill.root)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise BadResource(skill.name, path, why, resources(skill)) from None


def _inside(folder: str, path: str) -> Path:
    """The place a path inside `folder` leads to; raises ValueError for one that leads out."""
    given = PureWindowsPath(path)  # takes both kinds of slashes, and knows drives
    if given.drive or given.root or not given.parts:
        raise ValueError("give a path relative to the skill's folder")
    if ".." in given.parts:
        raise ValueError("a path may not go up (..)")
    to = Path(os.path.realpath(Path(folder, path)))
    if not to.is_relative_to(os.path.realpath(folder)):
        raise ValueError("it is a link that leads out of the skill's folder")
    return to


def _files(folder: Path) -> Iterator[tuple[Path, str]]:
    """(where it leads, relative name) of the files that stay inside `folder`, nearest first."""
    root = Path(os.path.realpath(folder))
    queue = [(root, "", 0)]
    seen = {root}
    for at, prefix, depth in queue:
        for name in _held(at):
            to = Path(os.path.realpath(at / name))
            if not to.is_relative_to(root):
                continue
            if to.is_file():
                yield to, prefix + name
            elif to.is_dir() and to not in seen and depth < DEEPEST and len(seen) < FOLDERS:
                seen.add(to)
                queue.append((to, f"{prefix}{name}/", depth + 1))


def _held(folder: Path) -> list[str]:
    """The names in a folder that UTF-8 can hold, so that they can be asked for."""
    try:
        return [name for name in names(folder) if printable(name) == name]
    except OSError:
        return []


def _text(value: Value) -> str:
    """A field as text, of a mapping its pairs."""
    if isinstance(value, str):
        return value.strip()
    return ", ".join(f"{key}: {inner}" for key, inner in value.items())


def _odd(skill: Skill, texts: dict[str, str], called: str, metadata: Value) -> Iterator[str]:
    """Warnings about a header that departs from the specification."""
    if not texts.get("name"):
        yield "no name: the folder's is taken"
    elif skill.name != texts["name"]:
        yield f"the name is longer than {NAME_CHARS} characters or more than one line"
    elif skill.name != called:
        yield f"the name {skill.name!r} is not the folder's"
    if not texts.get("description"):
        yield (
            "no description: the first paragraph is taken"
            if skill.description
            else ("no description, and no text to take one from")
        )
    if len(skill.description) > DESCRIPTION_CHARS:
        yield f"the description is longer than {DESCRIPTION_CHARS:,} characters"
    if not isinstance(metadata, dict) and metadata:
        yield "metadata is no mapping of names to texts: left out"
