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
    """A line of a guide. `number` is its line number in the file; 0 for a line added by Loom."""

    number: int
    text: str


def guide_lines(path: Path, whose: Owners) -> tuple[GuideLine, ...]:
    """Return the lines in the first LARGEST bytes of a guide's file. If the file is longer, a last
    line says so. Raises OSError for an unreadable file, and for a file that `whose` does not allow.
    """
    if why := whose.refusal(path):
        raise OSError(why)
    data, size = read_beginning(path, LARGEST)
    more = (GuideLine(0, TOO_LARGE),) if size > len(data) else ()
    return (*parse_lines(data), *more)


class Guide(Struct, frozen=True):
    """A file with instructions for the agent. `path` is relative to the project's root, with "/";
    `real` is the path with links followed.

    For an imported file, `by` is the path of the guide that imports the file, and `base` the folder
    of the AGENTS.md in which the chain of imports began. Else `by` and `base` are ""."""

    path: str
    lines: tuple[GuideLine, ...]
    real: str = ""
    by: str = ""
    base: str = ""

    @property
    def name(self) -> str:
        """Return a unique name: the path, for an imported file "path (imported by other-path)"."""
        return f"{self.path} (imported by {self.by})" if self.by else self.path

    @property
    def scope(self) -> str:
        """Return the folder that the guide's rules apply to: its own, or `base` if imported."""
        return self.base or self.path.rpartition("/")[0] or "."

    @property
    def text(self) -> str:
        """Return the lines of the guide, joined by newlines."""
        return "\n".join(line.text for line in self.lines)


def is_guide_path(key: str) -> bool:
    """Return True if a key of the memory partition ends with a file name such as AGENTS.md."""
    return key.rpartition("/")[2] in NAMES


def is_guide_name(key: str) -> bool:
    """Return True if a key could be a guide's name: "a/AGENTS.md" or "b.md (imported by …)"."""
    return is_guide_path(key) or bool(_IMPORTED.search(key))


def guide_key(path: str) -> str:
    """Return the guide's key in the memory partition: its path. For a path that is long or has line
    breaks, return a digest and the path's end, joined by "~"."""
    key = one_line(encodable(path), KEY_CHARS)
    if key == path:
        return key
    digest = blake2b(path.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    end = clip_front(one_line(encodable(path), len(path)), KEY_CHARS - len(digest) - 1)
    return f"{digest}~{end}"


def folder_chain(root: Path, folder: Path) -> tuple[Path, ...]:
    """Return the folders from `root` down to `folder`, both included; () without such a way."""
    if folder == root:
        return (root,)
    if root not in folder.parents:
        return ()
    below = folder.relative_to(root).parts
    return tuple(root.joinpath(*below[:depth]) for depth in range(len(below) + 1))


class LineOrigin(Struct, frozen=True, array_like=True):
    """Where a line of all guides' joined text comes from: the guide's path and the line's number in
    the guide, 0 for a line added by Loom."""

    path: str
    line: int
    text: str


class MergedGuides(Struct, frozen=True):
    """All guides in force: `own` from the folders between the project's root and the working
    folder, `late` from other folders, found while the agent worked."""

    own: tuple[Guide, ...] = ()
    late: tuple[Guide, ...] = ()

    @property
    def guides(self) -> tuple[Guide, ...]:
        """Return all guides: `own`, then `late`."""
        return (*self.own, *self.late)

    @property
    def text(self) -> str:
        """Return the texts of all guides, joined by blank lines."""
        return JOINT.join(guide.text for guide in self.guides)

    @property
    def origins(self) -> tuple[LineOrigin, ...]:
        """Return a LineOrigin for each line of `text`."""
        made = list[LineOrigin]()
        for guide in self.guides:
            made += [LineOrigin("", 0, "")] * bool(made)
            made += (LineOrigin(guide.path, line.number, line.text) for line in guide.lines)
        return tuple(made)


def parse_lines(data: bytes) -> tuple[GuideLine, ...]:
    """Return the lines of a guide file with the content `data`; () for a blank file. Undecodable
    bytes become U+FFFD. Trailing spaces and outer blank lines are dropped."""
    rows = decode_text(data).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    lines = [GuideLine(at, row.rstrip(" \t")) for at, row in enumerate(rows, 1)]
    said = [at for at, line in enumerate(lines) if line.text]
    return tuple(lines[said[0] : said[-1] + 1]) if said else ()


def open_fence_after(fence: str, line: str) -> str:
    """Return the opening characters, such as "```", of the code block that is open after `line`; ""
    without an open block. `fence` is the same value for before `line`."""
    found = _FENCE.match(line)
    if not found:
        return fence
    marks = found[1]
    if not fence:
        return marks
    bare = not line[found.end() :].strip()
    return "" if bare and marks[0] == fence[0] and len(marks) >= len(fence) else fence
