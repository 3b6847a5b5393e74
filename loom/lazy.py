"""Regular expressions that are compiled, and modules that are imported, when they are first used.

Loom has hundreds of expressions, and to compile them takes longer than the rest of an import of
Loom; a run needs some of them. To import numpy takes as long as half of Loom, and numpy is not
needed before a text is large or a window is cut.

What an opening does not run is imported by the call that needs it, in the first line of that call.
Where many calls need some modules, these are `lazy_modules`; a module that re-exports names of
heavier modules does so by `lazy_names`. Two threads may ask at once: one waits for the other's
import, and both find the same object."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any, AnyStr, cast


class _LazyPattern:
    """A regular expression that is compiled at the first use of one of its methods."""

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
    """Return a pattern like `re.compile`, compiled when first used. Raises re.error then."""
    return cast("re.Pattern[AnyStr]", _LazyPattern(text, flags))


class _LazyModule(ModuleType):
    """A stand-in for a module, which is imported when an attribute is first read. The imported
    module then replaces the stand-in in `names`, the globals of the module that holds it."""

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
    """Return a stand-in for the module `name`, imported when an attribute is first read; the module
    then replaces the stand-in in `names`, the globals of the calling module."""
    return _LazyModule(name, names)


def lazy_modules(package: str, modules: str, names: dict[str, Any]) -> None:
    """Put a stand-in (see `lazy_module`) for each submodule of `package` into `names`, the globals
    of the calling module. `modules` holds the names of the submodules, with blanks between."""
    for module in modules.split():
        names[module] = _LazyModule(f"{package}.{module}", names)


def lazy_names(names: dict[str, Any], modules: Mapping[str, str]) -> Callable[[str], object]:
    """Return a `__getattr__` for the module whose globals are `names`. `modules` gives, for each
    name the module re-exports, the module that defines it, imported when the name is first read. No
    such name may be the name of a submodule."""

    def found(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {names['__name__']!r} has no attribute {name!r}")
        return names.setdefault(name, getattr(import_module(modules[name]), name))

    return found
