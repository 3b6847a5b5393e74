"""The contexts of an application with many conversations, each with its own workspace."""

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
    """Contexts of many conversations, with workspaces below one folder. A context is opened when it
    is first asked for, and stays open. The methods are thread-safe.

    The keyword arguments are those of `loom.open`. A capability can serve only one open context. So
    give `capabilities` as a function that takes a conversation's name and returns its capabilities.
    Call `close` at the end or use a `with` block. Nothing is lost if the process dies."""

    def __init__(self, folder: str | Path, **opening: Any) -> None:
        self.folder = Path(folder)
        self._opening = opening
        self._open: dict[str, Context] = {}
        self._lock = Lock()

    def of(self, name: str) -> Context:
        """Return the context of the conversation with this name. Raises what `loom.open` raises."""
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
        """Close the context of the conversation `name`, or all contexts if `name` is None."""
        with self._lock:
            for one in [name] if name is not None else [*self._open]:
                if (held := self._open.pop(one, None)) is not None:
                    held.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def check_context_or_sessions(given: object, *, sessions: bool = True) -> None:
    """Raise BadInput unless `given` is a Context or, if `sessions` is True, a `Sessions`."""
    if not isinstance(given, Context) and not (sessions and isinstance(given, Sessions)):
        more = " or loom.adapters.sessions.Sessions" if sessions else ""
        raise BadInput(f"a {type(given).__name__} was given for a loom.Context{more}")


def folder_of(name: str) -> str:
    """Return the folder's name for a conversation, different for each conversation even on a file
    system that ignores case."""
    if PLAIN.fullmatch(name) and name == name.lower():
        return name
    plain = re.sub(r"[^a-z0-9_-]+", "-", name.lower()).strip("-")[:NAMED]
    return f"{plain}-{sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"
