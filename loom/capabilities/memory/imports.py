"""Imports of guides: `@docs/style.md` in a guide brings that file in, as Claude Code documents it.

Theory of operation. An import is a word that begins with "@", outside code spans
and code blocks; it names a file from the folder of the file that the word stands in, from the root
of the file system, or from `~`. Imported files import others, DEPTH hops deep. A file comes in
once: as a guide of its own where it is one, else for the first guide that names it, right before
that guide, whose own words are read last and win.

Imported text is trusted as the guide's own, so it has to be the project's own: a file below the
root, not in a folder that was installed, copied in or is ignored, no binary file, and none whose
name says that it holds credentials (`.env`, `id_rsa`), ignored by git or not. Many words that begin
with "@" are no imports (`@alice`): a word that names no file is passed over, and warned of only
where it looks like a file. Every file named is watched, so a file that appears later comes in."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice
from pathlib import Path

from msgspec import Struct

from loom.capabilities.file_owners import Owners, real_path
from loom.capabilities.foreign import is_foreign, is_git_ignored
from loom.capabilities.key_files import HOLDS_KEYS, holds_keys
from loom.capabilities.memory.guide import Guide, GuideLine, guide_lines, open_fence_after
from loom.lazy import lazy_re

DEPTH = 5  # hops; Claude Code's documentation says four today, and said five before
MOST = 64  # files all guides together import, and words looked at in each
_WORD = lazy_re(r"(?:(?<=\s)|(?<=[(\[])|^)@(?P<path>(?:\\ |[^\s`@,;])+)")
_SPAN = lazy_re(r"(?<!`)(`{1,9}+)(?!`).*?(?<!`)\1(?!`)")
_TAIL = ".,;:!?)]\"'*_"
_FILE = lazy_re(r"/.*[^/]\.[A-Za-z]\w{0,7}$|\.(?:md|mdx|mdc|txt|rst)$")


class GuideImports(Struct):
    """Reads the files that guides import by words such as "@docs/style.md". `named` has every file
    named, existing or not. `warn` gets a line for each failed import, `refuse` for each file that
    must not be read. `left` is how many more files may be imported."""

    root: Path
    own: Path
    whose: Owners
    warn: Callable[[str], None]
    refuse: Callable[[str], None]
    named: dict[Path, None] = {}
    taken: set[str] = set()
    left: int = MOST

    def with_imports(self, guides: Collection[Guide]) -> tuple[Guide, ...]:
        """Return the guides and all files they import, each right before its importing guide."""
        self.taken.update(guide.real for guide in guides)
        return tuple(
            one for guide in guides for one in (*self._imported_guides(guide, guide, 1), guide)
        )

    def _imported_guides(self, guide: Guide, first: Guide, depth: int) -> Iterator[Guide]:
        """Yield the files that `guide` imports, each after its own imports. `first` is the
        AGENTS.md file in which the imports began; `depth` is 1 for its direct imports."""
        for number, word in islice(import_words(guide.lines), MOST):
            where = f"{guide.path}:{number}: @{word}"
            try:
                found = self._named_file(guide, word)
                if found is None:
                    continue
                if depth > DEPTH or not self.left:
                    most = "imports behind each other" if depth > DEPTH else "imports"
                    self.warn(f"{where}: more than {DEPTH if depth > DEPTH else MOST} {most}")
                    continue
                read = self._read_guide(found, guide, first)
            except FileNotFoundError:
                self.warn(f"{where}: no such file")
            except OSError as error:
                self.refuse(f"{where}: {error.strerror or error}")
            else:
                if read is not None:
                    self.left -= 1
                    yield from self._imported_guides(read, first, depth + 1)
                    yield read

    def _named_file(self, guide: Guide, word: str) -> Path | None:
        """Return the existing file that the import `word` names, else None. Raises OSError for a
        file that must not be read, FileNotFoundError if `word` looks like a file name but no such
        file exists."""
        for name in filter(None, dict.fromkeys((word, word.rstrip(_TAIL)))):
            try:
                path = Path(guide.real).parent / Path(name).expanduser()
                real, there = real_path(path), path.is_file()
            except (OSError, RuntimeError, ValueError):
                continue
            if self.root not in real.parents:
                if _FILE.search(name) or ("/" in name and there):
                    raise OSError("leads out of the project")
                continue
            self.named[path] = None
            if there and holds_keys(path, self.root):
                raise OSError(HOLDS_KEYS)
            if there:
                return real
        if _FILE.search(word.rstrip(_TAIL)) and not word.startswith("."):
            raise FileNotFoundError
        return None

    def _read_guide(self, real: Path, guide: Guide, first: Guide) -> Guide | None:
        """Return the file `real` as a Guide; None if blank or already read. Raises OSError."""
        if str(real) in self.taken:
            return None
        self.taken.add(str(real))
        scope = self.root / first.scope  # what git ignores comes in for a guide of the chain alone
        of_chain = scope == self.own or scope in self.own.parents
        if is_foreign(self.root, real.parent, self.own) or (
            not of_chain and is_git_ignored(self.root, real)
        ):
            raise OSError("not the project's own, or ignored by git")
        lines = guide_lines(real, self.whose)
        if any("\0" in line.text for line in lines):
            raise OSError("a binary file")
        inside = real.relative_to(self.root).as_posix()
        return Guide(inside, lines, str(real), guide.path, first.scope) if lines else None


def import_words(lines: Sequence[GuideLine]) -> Iterator[tuple[int, str]]:
    """Yield (line number, path) for each word such as "@path" outside code."""
    fence, code, blank = "", False, True
    for line in lines:
        fence, before = open_fence_after(fence, line.text), fence
        code = line.text.startswith(("    ", "\t")) and (code or blank) if line.text else code
        blank = not line.text
        if not (before or fence or code) and "@" in line.text:
            for found in _WORD.finditer(_SPAN.sub(" ", line.text)):
                yield line.number, found["path"].replace("\\ ", " ")
