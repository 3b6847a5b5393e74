"""Files behind the paths that a request names, for a model with only a file tool.

Theory of operation. page_in needs no such file, but a file tool does. So when a text of a request
names a path, a file with that path is there before the request is handed out. A packed page is a
plain file again, and an entry has two views (files made for reading): `history/step_0007.json` and
`.compact`, whichever of the two was named. Requests grow between cuts: so each turn looks only at
the new texts, and after a cut at all of them. Nothing later changes a view (an entry is whole by
the time a request is made), so a context writes each view once; the next context on the same
workspace writes it once more, which mends what was lost in between.

Views can always be made again; no record names them. Views that no request names any more are
deleted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice

from loom.lazy import lazy_re
from loom.providers.render.message import counted_texts
from loom.providers.render.render import Rendering
from loom.session.archive.page_reader import UNREADABLE
from loom.session.archive.restore import entry_as_arrived, restore_entry, restored_json
from loom.session.archive.workspace import Workspace
from loom_paging import FileStore, PagingError, check_disk
from loom_partitions.message import Detail, name_of

# A path a text tells: of a view, with the name and the number of its entry, or of a page.
PATH = lazy_re(
    r"(?<!\w)(?:history/((?:user|step)_([0-9]{4,15}))\.(?:json|compact)(?!\w)"
    r"|(?:outputs|snapshots)/[a-z0-9-]+_[0-9]{4,15}(?:-[0-9]+)?(?:\.[a-z0-9]+)*)"
)
FOLDERS = ("history/", "outputs/", "snapshots/")
FORMS = ("json", "compact")


def _paths_in_text(text: str) -> Iterator[re.Match[str]]:
    """Yield a match of PATH for each path of a page or a view in a text."""
    for folder in FOLDERS:
        at = text.find(folder)
        while at >= 0:
            if found := PATH.match(text, at):
                yield found
            at = text.find(folder, at + 1)


class EntryViews:
    """Writes the views of entries: files for a model that has only a file tool."""

    def __init__(self, workspace: Workspace, read: Callable[[str], str]) -> None:
        self.looked = 0  # characters looked at so far: counted work
        self._workspace = workspace
        self._read = read
        self._written: set[str] = set()
        self._due: dict[str, int] = {}  # names of entries whose paths are told, none written yet
        self._packed: set[str] = set()  # paths told, of pages that may be packed
        self._version, self._messages = -1, 0

    def write(self, rendering: Rendering) -> None:
        """Write the views whose paths are named in messages rendered since the last call. If the
        disk refuses a view, the next call tries again."""
        for text in self._new_texts(rendering):
            self.looked += len(text)
            for told in _paths_in_text(text):
                if told[1] is None:
                    self._packed.add(told[0])
                elif told[1] not in self._written:
                    self._due[told[1]] = int(told[2])
        self._version, self._messages = rendering.version, len(rendering.messages)
        try:
            for name, entry in tuple(self._due.items()):
                self._write_views(name, entry)
                del self._due[name]
            self._unpack_pages()
        except (OSError, PagingError) as error:  # no part of the truth: the turn stands without
            check_disk(error)

    def told_paths(self, rendering: Rendering) -> set[str]:
        """Return all paths of views and pages that a request names, and delete all other views."""
        texts = [*rendering.tools, *(t for each in rendering.messages for t in counted_texts(each))]
        paths = [told for text in texts for told in _paths_in_text(text)]
        gone = self._written - {told[1] for told in paths}
        try:
            for name in gone:
                self._written.discard(name)
                for form in FORMS:
                    self._workspace.store.delete(f"history/{name}.{form}")
        except (OSError, PagingError) as error:  # derived: it is in nobody's way
            check_disk(error)
        return {told[0] for told in paths}

    def _unpack_pages(self) -> None:
        """Write a plain file for each page that is in a pack and whose path a request names."""
        if isinstance(store := self._workspace.store, FileStore) and store.packs.all():
            for path in self._packed & self._workspace.pager.table.keys():
                store.plain(path)
        self._packed.clear()

    def _new_texts(self, rendering: Rendering) -> Iterator[str]:
        """Yield the texts that were rendered since the last call. After a cut yield all texts."""
        begun = rendering.version != self._version
        if begun:
            yield from rendering.tools
        for message in islice(rendering.messages, 0 if begun else self._messages, None):
            yield from counted_texts(message)

    def _write_views(self, name: str, entry: int) -> None:
        """Write both views of the entry `entry`, if it is readable and its name is `name`."""
        from loom.compress.entry_line import entry_line

        try:
            made = entry_as_arrived(self._workspace, entry)
            if name_of(made) != name:
                return
            texts = (
                restored_json(restore_entry(self._workspace, entry)),
                entry_line(made, Detail.COMPACT, self._read) + "\n",
            )
        except UNREADABLE as error:
            check_disk(error)
            return
        for form, text in zip(FORMS, texts, strict=True):
            data = text.encode("utf-8", "replace")
            self._workspace.store.sketch(f"history/{name}.{form}", data)
        self._written.add(name)
