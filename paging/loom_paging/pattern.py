"""Regular expressions a model wrote, searched for in bounded time and memory.

RE2 matches them: it never backtracks, so the time is linear in the line whatever the pattern is. A
text that keeps it from building its automaton still costs some nanoseconds for every character and
instruction of the program, so these are metered, and the lines after `_WORK` of them are searched
for the pattern as it stands. So is every line for what is no regular expression. `note` says both.
"""

from __future__ import annotations

import re

import re2

from loom_paging.errors import BadLookup

_LONGEST = 10_000  # characters; with millions RE2 writes to stderr, whatever its options say
_MEMORY = 1 << 20  # bytes of a program and, at most once more each way, of its automaton
_WORK = 5 * 10**8  # characters × instructions of one search: 2 to 4 s at worst, mostly 0.02
_NONE = re.compile(r"invalid (?:perl operator|escape sequence: \\[1-9])")
_ASCII = re.compile(r"\\[wWdDsSbB]")


class Pattern:
    """A pattern made ready; `note` says when it is searched for otherwise than it reads.

    It ignores case when no letter in it is a capital (`\\W` is none). Raises BadLookup for what
    RE2 has not: look-around, back-references, atomic groups.
    """

    def __init__(self, text: str) -> None:
        self.text, self.note, self.work = text, "", 0
        self._fold = not any(char.isupper() for char in re.sub(r"(?s)\\.", "", text))
        self._regexp = self._compiled()

    def _compiled(self) -> re2._Regexp | None:
        options = re2.Options()
        options.log_errors = False
        options.never_capture = True
        options.max_mem = _MEMORY
        options.case_sensitive = not self._fold
        why = "it is too long"
        if len(self.text) <= _LONGEST:
            try:
                return re2.compile(self.text, options)
            except UnicodeEncodeError:
                why = "it holds half a character"
            except re2.error as error:
                why = error.args[0].decode(errors="replace")
        if _NONE.match(why):
            raise BadLookup(
                f"{why}: there is no look-around, back-reference or atomic group; write the "
                "pattern without, or a backslash before what is meant as it stands"
            )
        self.note = f"the pattern was matched literally, because {why:.100}"
        return None

    def about(self, text: str) -> str:
        """Say when parts of the pattern know less of a text than its reader may think."""
        if self._regexp is None or text.isascii() or not _ASCII.search(self.text):
            return ""
        return r"\w, \d, \s and \b know ASCII alone; \pL is any letter, \pN any digit"

    def find(self, line: str) -> int | None:
        """Return where in `line` the first match begins; None when there is none."""
        line = line.removesuffix("\r")
        if self._regexp is not None:
            self.work += len(line) * self._regexp.programsize
            if self.work > _WORK:
                self._regexp = None
                self.note = "the pattern proved too costly; part of the page was matched literally"
        if self._regexp is None:
            at = line.lower().find(self.text.lower()) if self._fold else line.find(self.text)
            return at if at >= 0 else None
        # RE2 reads UTF-8, and a lone surrogate has none.
        match = self._regexp.search(line.encode(errors="replace").decode())
        return match.start() if match else None
