"""Regular expressions that are compiled when they are first used.

There are hundreds, and compiling them takes longer than all else an import of Loom does; a run
needs some of them.
"""

from __future__ import annotations

import re
from typing import AnyStr, cast


class _LazyPattern:
    """A pattern not compiled yet; from its first use on its methods are those of the compiled."""

    def __init__(self, text: str | bytes, flags: int) -> None:
        self.pattern = text
        self._flags = flags

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        made = re.compile(self.pattern, self._flags)
        for method in ("match", "fullmatch", "search", "findall", "finditer", "split", "sub"):
            setattr(self, method, getattr(made, method))
        return getattr(made, name)


def lazy_re(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """The pattern as `re.compile` makes it, when it is first used. Raises re.error then."""
    return cast("re.Pattern[AnyStr]", _LazyPattern(text, flags))
