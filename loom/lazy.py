"""Regular expressions that are compiled, and modules that are imported, when they are first used.

There are hundreds of expressions, and compiling them takes longer than all else an import of Loom
does; a run needs some of them. numpy takes a sixth of the first `loom.open`, and nothing of it is
needed before a window is cut.
"""

from __future__ import annotations

import re
from importlib import import_module
from types import ModuleType
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


class _LazyModule(ModuleType):
    """A module that is imported when something of it is first named."""

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(import_module(self.__name__), name)
        setattr(self, name, found)
        return found


def lazy_module(name: str) -> ModuleType:
    """The module of that name, imported when something of it is first used."""
    return _LazyModule(name)
