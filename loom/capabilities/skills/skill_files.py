"""A skill as its SKILL.md describes it, and its texts, which are read when they are asked for.

Two fields of the Agent Skills specification (https://agentskills.io/specification) count: name and
description. They are read line by line, as many descriptions hold a colon that YAML refuses. Of two
values of a field the first stands, so no later line replaces what a reader saw at the top. The body
and the other files of a skill stay on the disk.

Files are bounded and lie below the root of their skill, and nothing is opened that could make a
reader wait. A link out of the root is recognised by its target; a hard link is a file like any."""

from __future__ import annotations

import os
import re
from itertools import islice
from pathlib import Path

from msgspec import Struct

from loom.capabilities.plain_file import decode_text, read_beginning
from loom.errors import BadInput
from loom.lazy import lazy_re
from loom.text import encodable, one_line

NAME_CHARS, DESCRIPTION_CHARS = 64, 1_024  # of the specification
HEADER = 65_536  # characters of a header that are read
LARGEST = 1_000_000  # bytes of one file that are read: far more than a model is ever given
RESOURCES, FOLDERS = 500, 500  # files of a skill that are listed, folders that are looked into
SHOWN = 8  # resources named in an error
LEADS_OUT = "a link that leads out of its root"
NO_HEADER = "no front matter between two lines of ---: the name is the folder's"
SKIPPED = frozenset({"node_modules", "venv", "__pycache__"})  # hidden ones are skipped by the dot

_FRONT = lazy_re(r"\n*---[ \t]*\n(.*?)^---[ \t]*$\n?(.*)", re.DOTALL | re.MULTILINE)
_FIELD = lazy_re(r"^(name|description):(?:[ \t]+|$)(.*(?:\n(?:[ \t]+.*)?(?=\n|\Z))*)", re.MULTILINE)
_BLOCK = lazy_re(r"[|>][-+0-9]*[ \t]*\n")
_QUOTED = lazy_re(r"(?:\"((?:[^\"\\]|\\.)*)\"|'((?:[^']|'')*)')(?: #.*)?")


class Skill(Struct, frozen=True):
    """A skill, as its SKILL.md describes it. `name` is one line of at most 64 characters,
    `description` "" if missing. `folder` and `file` are absolute paths. Links that lead out of the
    folder `root` are not read, unless `root` is ""."""

    name: str
    description: str
    folder: str
    file: str
    root: str = ""


def load_skill(file: str | Path, root: str = "") -> tuple[Skill, tuple[str, ...]]:
    """Return the skill in a SKILL.md, and a line for each breach of the specification. Raises
    OSError only if the file cannot be read."""
    path = absolute_path(file)
    fields, _, odd = parse_front_matter(read_file_text(path, root))
    called = one_line(encodable(path.parent.name), NAME_CHARS) or "skill"
    given, description = fields.get("name", "").strip(), fields.get("description", "").strip()
    name = one_line(given, NAME_CHARS)
    skill = Skill(name or called, description, str(path.parent), str(path), root)
    departs = {
        "no name: the folder's is taken": not name,
        f"the name is longer than {NAME_CHARS} characters or more than one line": name != given,
        f"the name {name!r} is not the folder's": name == given and name not in ("", called),
        "no description": not description,
        f"the description is longer than {DESCRIPTION_CHARS:,} characters": len(description)
        > DESCRIPTION_CHARS,
    }
    told = () if NO_HEADER in odd else (why for why, true in departs.items() if true)
    return skill, (*odd, *told)


def parse_front_matter(text: str) -> tuple[dict[str, str], str, tuple[str, ...]]:
    """Return three parts of a SKILL.md's text: a dict of its "name" and "description", its body,
    and a line for each problem."""
    found = _FRONT.match(text)
    if found is None:
        return {}, text.strip("\n"), (NO_HEADER,)
    header, body = found[1][:HEADER], found[2].strip("\n")
    odd = () if len(found[1]) <= HEADER else (f"the header is longer than {HEADER:,} characters",)
    fields: dict[str, str] = {}
    for field in _FIELD.finditer(header):
        if field[1] in fields:
            odd = (*odd, f"written twice, the first stands: {field[1]}")
        fields.setdefault(field[1], _field_value(field[2]))
    return fields, body, odd


def _field_value(written: str) -> str:
    """Return the value of a YAML field: quoted, a block, or plain text without its comment."""
    block = _BLOCK.match(written)
    text = encodable(" ".join(written[block.end() if block else 0 :].split()))
    if block:
        return text
    if found := _QUOTED.fullmatch(text):
        doubled, single = found.groups()
        return re.sub(r"\\(.)", r"\1", doubled) if single is None else single.replace("''", "'")
    return text.partition(" #")[0].rstrip()


def read_body(skill: Skill) -> str:
    """Return the text after the SKILL.md's header, at most 1 MB. Raises BadInput."""
    try:
        return parse_front_matter(read_file_text(skill.file, skill.root))[1]
    except OSError as error:
        why = error.strerror or error
        raise BadInput(
            f"skill {skill.name!r} cannot be read: {skill.file}: {why}; put it back, or go on"
        ) from None


def resource_paths(skill: Skill) -> tuple[str, ...]:
    """Return the paths of a skill's other files, at most 500, sorted, relative to its folder, with
    "/". Hidden files, files made by tools, and links out of the folder are left out."""
    top, found = os.path.realpath(skill.folder), list[str]()
    for at, folders, names in islice(os.walk(top), 0 if leads_out(top, skill.root) else FOLDERS):
        folders[:] = sorted(name for name in folders if not is_skipped_name(name))
        for path in (Path(at, name) for name in sorted(names) if not is_skipped_name(name)):
            told = path.relative_to(top).as_posix()
            # A name that UTF-8 cannot hold cannot be asked for.
            if told not in SKILL_FILES and encodable(told) == told and len(found) < RESOURCES:
                found += [told] * (path.is_file() and not leads_out(path, top))
    return tuple(sorted(found))


def read_resource(skill: Skill, path: str) -> str:
    """Return the text of one of a skill's files, at most 1 MB. `path` is relative to the skill's
    folder. Raises BadInput for a path or link out of the folder, and for an unreadable file."""
    try:
        at = Path(skill.folder, path)
        if leads_out(at, os.path.realpath(skill.folder)):
            raise ValueError("it leads out of the skill's folder")
        return read_file_text(at, skill.root)
    except (OSError, ValueError) as error:
        known, why = resource_paths(skill), getattr(error, "strerror", None) or error
        has = ", ".join(known[:SHOWN]) + (", …" if len(known) > SHOWN else "")
        raise BadInput(
            f"skill {skill.name!r} has no resource {one_line(path, 200)!r}: {why};"
            f" {f'it has {has}' if known else 'it has no other files'}"
        ) from None


# Files of a skill

SKILL_FILES = ("SKILL.md", "skill.md")  # the reference library takes the first that is there


def leads_out(path: str | Path, root: str) -> bool:
    """Return True if a path, links followed, is outside `root`; always False for ""."""
    return bool(root) and not Path(os.path.realpath(path)).is_relative_to(root)


def read_file_text(path: str | Path, root: str = "") -> str:
    """Return the text of a file, at most LARGEST bytes; if cut, a last line says so. Undecodable
    bytes become U+FFFD. Raises OSError for no regular file and, with a `root`, for a file outside
    it or a name that suggests credentials."""
    from loom.capabilities.key_files import HOLDS_KEYS, holds_keys

    real = os.path.realpath(path)
    if leads_out(real, root):
        raise OSError(LEADS_OUT)
    if root and holds_keys(Path(path), Path(root)):
        raise OSError(HOLDS_KEYS)
    data, size = read_beginning(real, LARGEST)
    text = decode_text(data).replace("\r\n", "\n").replace("\r", "\n")
    if size > len(data):
        text += f"\n[cut after {len(data):,} of {size:,} bytes: read {path} for the rest]\n"
    return text


def is_skipped_name(name: str) -> bool:
    """Return True if a file or folder is ignored because of its name: hidden, or made by a tool."""
    return name.startswith(".") or name in SKIPPED


def absolute_path(path: str | Path) -> Path:
    """Return a path made absolute. Links are kept, except in a path with "..", where they are
    followed."""
    path = Path(path)
    return path.resolve() if ".." in path.parts else path.absolute()
