"""The contexts of an application of many conversations: a workspace for each, by its name."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, Self

from loom.errors import BadInput
from loom.lazy import lazy_re
from loom.live import Context
from loom.opening import open as open_context

PLAIN = lazy_re(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")  # a name that is a folder's as it is
NAMED = 40  # characters of a name that is none, before its hash


class Sessions:
    """Contexts below one folder, each opened when it is first asked for and kept open; thread-safe.

    The keyword arguments are those of `loom.open`; `capabilities` serve one context at a time, so
    give a function from a conversation's name to its capabilities. Close it, or use a `with` block;
    a process that dies loses nothing."""

    def __init__(self, folder: str | Path, **opening: Any) -> None:
        self.folder = Path(folder)
        self._opening = opening
        self._open: dict[str, Context] = {}
        self._lock = Lock()

    def of(self, name: str) -> Context:
        """Return the context of a conversation by its name. Raises what `loom.open` raises."""
        if not isinstance(name, str):
            raise BadInput(f"session {name!r}: its name is a text")
        with self._lock:
            if name not in self._open:
                given = dict(self._opening)
                if callable(made := given.get("capabilities")):
                    given["capabilities"] = made(name)
                self._open[name] = open_context(self.folder / folder_of(name), **given)
            return self._open[name]

    def close(self, name: str | None = None) -> None:
        """Release the workspace `name`, or all; what was acknowledged is on disk already."""
        with self._lock:
            for one in [name] if name is not None else [*self._open]:
                if (held := self._open.pop(one, None)) is not None:
                    held.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def check_context_or_sessions(given: object, *, sessions: bool = True) -> None:
    """Raise BadInput unless a value is a Context or, with `sessions`, a `Sessions`."""
    if not isinstance(given, Context) and not (sessions and isinstance(given, Sessions)):
        more = " or loom.adapters.sessions.Sessions" if sessions else ""
        raise BadInput(f"a {type(given).__name__} was given for a loom.Context{more}")


def folder_of(name: str) -> str:
    """Return the name of a conversation's folder: the conversation's name where that is plain, else
    the plain characters of the name and a hash.

    Two conversations never share a folder, even on a file system that ignores case."""
    if PLAIN.fullmatch(name) and name == name.lower():
        return name
    plain = re.sub(r"[^a-z0-9_-]+", "-", name.lower()).strip("-")[:NAMED]
    return f"{plain}-{sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"
