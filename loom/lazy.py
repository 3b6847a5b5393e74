"""Compiles regular expressions and imports modules when they are first used.

Loom has hundreds of regular expressions, and a run needs few of them. To compile all takes longer
than the rest of an import of Loom. To import numpy takes half as long as Loom, and numpy is not
needed until a text is large or a window is cut.

A module that opening does not need is imported by the function that needs it, in its first line. If
many functions need it, use `lazy_modules`. A module that re-exports names of large modules uses
`lazy_names`. Two threads may ask at once: one waits for the other's import, and both get the same
object."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any, AnyStr, cast


class _LazyPattern:
    """A regular expression that is compiled when one of its methods is first used."""

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
    """Return a pattern that is compiled at its first use. A wrong pattern raises re.error only
    then."""
    return cast("re.Pattern[AnyStr]", _LazyPattern(text, flags))


class _LazyModule(ModuleType):
    """A placeholder for a module. At the first read of an attribute, the module is imported and
    replaces the placeholder in `names`, the globals of the module that uses the placeholder."""

    def __init__(self, name: str, names: dict[str, Any]) -> None:
        super().__init__(name)
        self._names = names

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        found = import_module(self.__name__)
        for known, held in list(self._names.items()):
            if held is self:
                self._names[known] = found
        return getattr(found, name)


def lazy_module(name: str, names: dict[str, Any]) -> ModuleType:
    """Return a placeholder for the module `name`, which is imported when an attribute is first
    read. The module then replaces the placeholder in `names`, the globals of the calling module."""
    return _LazyModule(name, names)


def lazy_modules(package: str, modules: str, names: dict[str, Any]) -> None:
    """Put a placeholder (see `lazy_module`) for each of the `modules` of `package`, names separated
    by spaces, into `names`, the globals of the calling module."""
    for module in modules.split():
        names[module] = _LazyModule(f"{package}.{module}", names)


def lazy_names(names: dict[str, Any], modules: Mapping[str, str]) -> Callable[[str], object]:
    """Return a `__getattr__` function for the module with the globals `names`. `modules` maps each
    re-exported name to the module that defines it and that is imported when the name is first read.
    No re-exported name may be the name of a submodule."""

    def found(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {names['__name__']!r} has no attribute {name!r}")
        return names.setdefault(name, getattr(import_module(modules[name]), name))

    return found
