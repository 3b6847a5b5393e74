"""Files behind the paths a request tells, for a reader with only a file tool.

Theory of operation. A name that is paged in needs no file; a reader of files can open a path only
once a text told it. So when a text of a request tells a path, its file is there before the request
is handed out: a packed page is a plain file again, and an entry has both its views,
`history/step_0007.json` and `.compact`, whichever of the two was told. Requests grow between cuts:
each turn looks only at the new texts, and after a cut at all of them. Nothing later changes a view
(an entry is whole by the time a request is made), so each view is written once in the life of a
context; in the next life once more, which mends what was lost in between.

Views are rebuildable, not durable; no record names them; those no request tells are deleted."""

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
    """Yield the matches of the paths in a text, after a fast search for their folders."""
    for folder in FOLDERS:
        at = text.find(folder)
        while at >= 0:
            if found := PATH.match(text, at):
                yield found
            at = text.find(folder, at + 1)


class EntryViews:
    """The views of a workspace's entries, each written when a request first tells its path."""

    def __init__(self, workspace: Workspace, read: Callable[[str], str]) -> None:
        self.looked = 0  # characters looked at so far: counted work
        self._workspace = workspace
        self._read = read
        self._written: set[str] = set()
        self._due: dict[str, int] = {}  # names of entries whose paths are told, none written yet
        self._packed: set[str] = set()  # paths told, of pages that may be packed
        self._version, self._messages = -1, 0

    def write(self, rendering: Rendering) -> None:
        """Write the views of all paths told in messages that were rendered since the last call.

        A view that the disk refuses is tried again at the next call. A path of no entry, or of a
        damaged one, gets no view."""
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
        """Return all paths of views and pages a request tells, and delete the other views."""
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
        """Give each packed page whose path is told a plain file."""
        if isinstance(store := self._workspace.store, FileStore) and store.packs.all():
            for path in self._packed & self._workspace.pager.table.keys():
                store.plain(path)
        self._packed.clear()

    def _new_texts(self, rendering: Rendering) -> Iterator[str]:
        """Yield the texts that were rendered since the last call; all texts after a cut."""
        begun = rendering.version != self._version
        if begun:
            yield from rendering.tools
        for message in islice(rendering.messages, 0 if begun else self._messages, None):
            yield from counted_texts(message)

    def _write_views(self, name: str, entry: int) -> None:
        """Write both views of an entry, unless it cannot be read or has another name."""
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
