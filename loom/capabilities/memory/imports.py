"""What guides import: `@docs/style.md` in a guide brings that file in, as Claude Code documents it.

Theory of operation
-------------------
An import is a word that begins with "@", outside code spans and code blocks; it names a file from
the folder of the file it stands in, from the root of the file system, or from `~`. Imported files
import others, DEPTH hops deep. A file comes in once: as a guide of its own where it is one, else
for the first that names it, right before that guide, whose own words are read last and win.

Imported text is trusted as the guide's own, so it has to be the project's own: a file below the
root, not in a folder that was installed, copied in or is ignored, no binary one, and none whose
name says that it holds credentials (`.env`, `id_rsa`), ignored by git or not. Many words that begin
with "@" are no imports (`@alice`): one that names nothing is passed over, and warned of only where
it looks like a file. Every file named is watched, so one that appears later comes in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from loom.capabilities.foreign import foreign, ignored
from loom.capabilities.key_files import HOLDS_KEYS, holds_keys
from loom.capabilities.memory.guide import Guide, GuideLine, fence_after, words_of
from loom.capabilities.owners import Owners, real_path
from loom.lazy import lazy_re

DEPTH = 5  # hops; Claude Code's documentation says four today, and said five before
MOST = 64  # files all guides together import, and words looked at in each
_WORD = lazy_re(r"(?:(?<=\s)|(?<=[(\[])|^)@(?P<path>(?:\\ |[^\s`@,;])+)")
_SPAN = lazy_re(r"(?<!`)(`{1,9}+)(?!`).*?(?<!`)\1(?!`)")
_TAIL = ".,;:!?)]\"'*_"
_FILE = lazy_re(r"/.*[^/]\.[A-Za-z]\w{0,7}$|\.(?:md|mdx|mdc|txt|rst)$")


class Imports:
    """The imports of some guides, brought in. `named` are all files they name, there or not."""

    def __init__(
        self,
        root: Path,
        own: Path,
        whose: Owners,
        warn: Callable[[str], None],
        refuse: Callable[[str], None],
    ) -> None:
        self.named: dict[Path, None] = {}
        self._root, self._own, self._whose = root, own, whose
        self._warn, self._refuse = warn, refuse
        self._taken: set[str] = set()

    def with_imports(self, guides: Sequence[Guide]) -> tuple[Guide, ...]:
        """The guides, each behind those it imports."""
        self._taken = {guide.real for guide in guides}
        self._left = MOST
        return tuple(one for guide in guides for one in (*self._of(guide, guide, 1), guide))

    def _of(self, guide: Guide, first: Guide, depth: int) -> Iterator[Guide]:
        """The guides that a guide imports, each behind its own imports."""
        for number, word in mentioned(guide.lines):
            where = f"{guide.path}:{number}: @{word}"
            found = self._file(guide, word, where)
            if found is None:
                continue
            if depth > DEPTH:
                self._warn(f"{where}: more than {DEPTH} imports behind each other")
                continue
            if not self._left:
                self._warn(f"{where}: more than {MOST} imports")
                return
            read = self._read(found, guide, first, where)
            if read is not None:
                self._left -= 1
                yield from self._of(read, first, depth + 1)
                yield read

    def _file(self, guide: Guide, word: str, where: str) -> Path | None:
        """The file a word names, when it is there and may come in; it is watched either way."""
        folder = Path(guide.real).parent
        for name in dict.fromkeys((word, word.rstrip(_TAIL))):
            if not name or "\0" in name:
                continue
            try:
                path = folder / Path(name).expanduser()
                real = real_path(path)
                if self._root not in real.parents:
                    if _FILE.search(name) or ("/" in name and real.is_file()):
                        self._refuse(f"{where}: leads out of the project")
                        return None
                    continue
                self.named[path] = None
                if path.is_file():
                    if holds_keys(path, self._root):
                        self._refuse(f"{where}: {HOLDS_KEYS}")
                        return None
                    return real
            except (OSError, RuntimeError, ValueError):
                continue
        if _FILE.search(word.rstrip(_TAIL)) and not word.startswith("."):
            self._warn(f"{where}: no such file")
        return None

    def _read(self, real: Path, guide: Guide, first: Guide, where: str) -> Guide | None:
        """A file as a guide; None for one that counts already, or must not."""
        if str(real) in self._taken:
            return None
        self._taken.add(str(real))
        scope = self._root / first.scope  # what git ignores comes in for a guide of the chain alone
        found_later = scope != self._own and scope not in self._own.parents
        if foreign(self._root, real.parent, self._own) or (
            found_later and ignored(self._root, real)
        ):
            self._refuse(f"{where}: not the project's own, or ignored by git")
            return None
        try:
            lines, whole = words_of(real, self._whose)
        except OSError as error:
            self._refuse(f"{where}: {error.strerror or error}")
            return None
        if any("\0" in line.text for line in lines):
            self._refuse(f"{where}: a binary file")
            return None
        inside = real.relative_to(self._root).as_posix()
        return Guide(inside, lines, str(real), whole, guide.path, first.scope) if lines else None


def mentioned(lines: Sequence[GuideLine]) -> Iterator[tuple[int, str]]:
    """(line, what stands behind the "@") of the words that may be imports, at most MOST."""
    return islice(_mentioned(lines), MOST)


def _mentioned(lines: Sequence[GuideLine]) -> Iterator[tuple[int, str]]:
    """As `mentioned`: outside of fences, of spans, and of lines indented behind a blank one."""
    fence, code, blank = "", False, True
    for line in lines:
        fence, before = fence_after(fence, line.text), fence
        code = line.text.startswith(("    ", "\t")) and (code or blank) if line.text else code
        blank = not line.text
        if not (before or fence or code) and "@" in line.text:
            for found in _WORD.finditer(_SPAN.sub(" ", line.text)):
                yield line.number, found["path"].replace("\\ ", " ")
