"""Guides: the AGENTS.md files of a project, found the way that other coding agents find them.

The rules are those of https://agents.md and of the tools that read such files: from the root of the
git repository (a `.git` file or folder; without one the folder alone) down to the working folder,
at most one file in each folder: the first of NAMES that is not blank. The closest comes last and
wins. Links are followed as long as they stay below the root, and no file counts twice. The files
that a guide imports stand before it (`loom.capabilities.memory.imports`)."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path

from msgspec import Struct

from loom.capabilities.file_owners import Owners
from loom.capabilities.plain_file import decode_text, read_beginning
from loom.lazy import lazy_re
from loom.session.head import KEY_CHARS
from loom.text import clip_front, encodable, one_line

NAMES = ("AGENTS.override.md", "AGENTS.md", "CLAUDE.md")
BUDGET = 32 * 1024  # bytes of all guides together in a request, the default of Codex
JOINT = "\n\n"
TOO_LARGE = "[too large to be read whole; the file holds the rest]"
LARGEST = 262_144  # bytes read of one file, eight times what a chain shows: more is no guide
_IMPORTED = lazy_re(r" \(imported by .+\)\Z")
_FENCE = lazy_re(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")


class GuideLine(Struct, frozen=True, array_like=True):
    """A line of a guide and its number in the file, from 1; 0 is a line of Loom's own."""

    number: int
    text: str


def guide_lines(path: Path, whose: Owners) -> tuple[GuideLine, ...]:
    """Return the lines of the first LARGEST bytes of a guide's file; a last line tells of a cut.

    Raises OSError for an unreadable file, and for a file of a user whose files do not count."""
    if why := whose.refusal(path):
        raise OSError(why)
    data, size = read_beginning(path, LARGEST)
    more = (GuideLine(0, TOO_LARGE),) if size > len(data) else ()
    return (*parse_lines(data), *more)


class Guide(Struct, frozen=True):
    """A guide: a file with its `path` from the root, POSIX, and its numbered lines.

    `real` is the file behind a link. For an imported file, `by` is the path of the guide that
    imports it, and `base` the folder of the project's guide that the imports began with; else both
    are ""."""

    path: str
    lines: tuple[GuideLine, ...]
    real: str = ""
    by: str = ""
    base: str = ""

    @property
    def name(self) -> str:
        """Return the name that no other guide has: the path, and for an imported file the importing
        guide."""
        return f"{self.path} (imported by {self.by})" if self.by else self.path

    @property
    def scope(self) -> str:
        """Return the folder that the guide's rules are for: the guide's own, or `base` for an
        import."""
        return self.base or self.path.rpartition("/")[0] or "."

    @property
    def text(self) -> str:
        """Return the lines as one text."""
        return "\n".join(line.text for line in self.lines)


def is_guide_path(key: str) -> bool:
    """Return True when a key ends with a file name that guides have (NAMES)."""
    return key.rpartition("/")[2] in NAMES


def is_guide_name(key: str) -> bool:
    """Return True when a key has the form of the name of a guide or of a file a guide imports."""
    return is_guide_path(key) or bool(_IMPORTED.search(key))


def guide_key(path: str) -> str:
    """Return the key that a guide stands under: its path, or for a path that is no short line a
    digest and the end of the path."""
    key = one_line(encodable(path), KEY_CHARS)
    if key == path:
        return key
    digest = blake2b(path.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    end = clip_front(one_line(encodable(path), len(path)), KEY_CHARS - len(digest) - 1)
    return f"{digest}~{end}"


def folder_chain(root: Path, folder: Path) -> tuple[Path, ...]:
    """Return the folders from `root` down to and with `folder`; () when `folder` lies elsewhere."""
    if folder == root:
        return (root,)
    if root not in folder.parents:
        return ()
    below = folder.relative_to(root).parts
    return tuple(root.joinpath(*below[:depth]) for depth in range(len(below) + 1))


class LineOrigin(Struct, frozen=True, array_like=True):
    """The place of a line of the merged text: guide's path and line number, 0 for Loom's own."""

    path: str
    line: int
    text: str


class MergedGuides(Struct, frozen=True):
    """The guides that count: the project's `own`, from its root to the working folder, and those
    found `late`, while the agent worked."""

    own: tuple[Guide, ...] = ()
    late: tuple[Guide, ...] = ()

    @property
    def guides(self) -> tuple[Guide, ...]:
        """Return all guides, the project's own first."""
        return (*self.own, *self.late)

    @property
    def text(self) -> str:
        """Return the text of all guides, with a blank line between two."""
        return JOINT.join(guide.text for guide in self.guides)

    @property
    def origins(self) -> tuple[LineOrigin, ...]:
        """Return the origin of each line of `text`."""
        made = list[LineOrigin]()
        for guide in self.guides:
            made += [LineOrigin("", 0, "")] * bool(made)
            made += (LineOrigin(guide.path, line.number, line.text) for line in guide.lines)
        return tuple(made)


def parse_lines(data: bytes) -> tuple[GuideLine, ...]:
    """Return the lines of a guide's bytes; () for a blank file.

    U+FFFD stands for bytes that are no text. Spaces at the ends of lines, and blank lines at the
    ends of the file, are dropped."""
    rows = decode_text(data).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    lines = [GuideLine(at, row.rstrip(" \t")) for at, row in enumerate(rows, 1)]
    said = [at for at, line in enumerate(lines) if line.text]
    return tuple(lines[said[0] : said[-1] + 1]) if said else ()


def open_fence_after(fence: str, line: str) -> str:
    """Return the marks of the code fence that is open after `line`, "" for none; `fence` are those
    of the fence that was open before the line."""
    found = _FENCE.match(line)
    if not found:
        return fence
    marks = found[1]
    if not fence:
        return marks
    bare = not line[found.end() :].strip()
    return "" if bare and marks[0] == fence[0] and len(marks) >= len(fence) else fence
