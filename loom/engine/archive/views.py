"""Derived views: `history/step_0007.json` and `.compact`, for a reader with only a file tool.

Theory of operation. A name that is paged in needs no file; a reader of files can open a path only
once something told it. So a view is written when a request tells its path, in whoever's words, and
before that request is handed out. Requests grow between cuts: each turn looks only at the texts
that are new, and after a cut at all of them. A view is never changed by what comes later (an entry
is whole by the time a request is made), so each is written once in the life of a context; in the
next life once more, which mends what was lost in between.

They are rebuildable, not durable, and named by no record.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice

from loom.compress.entry_line import line
from loom.engine.archive.reading import UNREADABLE
from loom.engine.archive.restore import UnknownEntry, arrived, as_json, restore
from loom.engine.archive.workspace import Workspace
from loom.providers.render.message import spoken
from loom.providers.render.render import Rendering
from loom_paging import PagingError, check_disk
from loom_partitions.message import Detail, name_of

PATH = re.compile(r"(?<!\w)history/((?:user|step)_([0-9]{4,15}))\.(json|compact)(?!\w)")


class Views:
    """The views of a workspace's entries, each written when a request first tells its path."""

    def __init__(self, workspace: Workspace, read: Callable[[str], str]) -> None:
        self.looked = 0  # characters looked at so far: counted work
        self._workspace = workspace
        self._read = read
        self._written: set[str] = set()
        self._due: dict[str, re.Match[str]] = {}  # told, and not written yet
        self._version, self._messages = -1, 0

    def write(self, rendering: Rendering) -> None:
        """Write the views of all paths that what was rendered since the last time tells.

        What the disk refuses is tried again the next time. What is no entry, or damaged, has none.
        """
        for text in self._new(rendering):
            self.looked += len(text)
            for told in PATH.finditer(text):
                if told[0] not in self._written:
                    self._due[told[0]] = told
        self._version, self._messages = rendering.version, len(rendering.messages)
        try:
            for path, told in tuple(self._due.items()):
                self._write(path, told[1], int(told[2]), told[3])
                del self._due[path]
        except (OSError, PagingError) as error:  # no part of the truth: the turn stands without
            check_disk(error)

    def _new(self, rendering: Rendering) -> Iterator[str]:
        begun = rendering.version != self._version
        if begun:
            yield from rendering.tools
        for message in islice(rendering.messages, 0 if begun else self._messages, None):
            yield from spoken(message)

    def _write(self, path: str, name: str, entry: int, form: str) -> None:
        try:
            made = arrived(self._workspace, entry)
            if name_of(made) != name:
                return
            if form == "json":
                text = as_json(restore(self._workspace, entry))
            else:
                text = line(made, Detail.COMPACT, self._read) + "\n"
        except (*UNREADABLE, UnknownEntry) as error:
            check_disk(error)
            return
        self._workspace.store.sketch(path, text.encode("utf-8", "replace"))
        self._written.add(path)
