"""Regular expressions that are compiled, and modules that are imported, when they are first used.

There are hundreds of expressions, and compiling them takes longer than all else an import of Loom
does; a run needs some of them. An import of numpy takes as long as that of half of Loom, and
nothing of it is needed before a text is large or a window is cut.

What an opening does not run is imported by the call that needs it, in its first line. Where many
calls need some they are `lazy_modules`; a module that gives names of heavier ones does so by
`lazy_names`. Two threads may ask at once: one waits for the other's import, and both find the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any, AnyStr, cast


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
    """A module that is imported when something of it is first named, and then takes its place."""

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
    """The module `name`, imported when something of it is first used; `names` are the globals of
    the module that names it, where the module itself stands from then on."""
    return _LazyModule(name, names)


def lazy_modules(package: str, modules: str, names: dict[str, Any]) -> None:
    """Put modules of a package, in words, among the globals `names`, each a `lazy_module`."""
    for module in modules.split():
        names[module] = _LazyModule(f"{package}.{module}", names)


def lazy_names(names: dict[str, Any], modules: Mapping[str, str]) -> Callable[[str], object]:
    """A `__getattr__` for the module whose globals are `names`; `modules` has for each name it
    gives the module that name is in. A name is imported when it is first asked for; it is that of
    no submodule."""

    def found(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {names['__name__']!r} has no attribute {name!r}")
        return names.setdefault(name, getattr(import_module(modules[name]), name))

    return found
