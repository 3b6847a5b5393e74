"""A workspace another process may be writing, opened for reading and refreshed before each call.

Its pages are resources: `loom://pages/outputs/read_0007.txt`, whole or in part. In a folder of
workspaces the address also says the session, since names are the same in each.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from msgspec import Struct

from loom.engine import Engine
from loom.engine.archive.lookup import WAYS, fault, named
from loom.engine.archive.reading import UNREADABLE
from loom.engine.archive.workspace import Workspace
from loom.engine.attach import payload
from loom.errors import LoomError
from loom.policy import policy_of
from loom.providers.counts import counter_for
from loom.providers.media.payload import Attached
from loom.providers.render.neutral import neutral
from loom.redact import Redactor
from loom.text import one_line
from loom_paging import PageRef

SCHEME, HOST = "loom", "pages"
LISTED = 100  # pages in one answer to a list
MOST = 1_000_000  # characters, or bytes, of a page that is read as a resource
OUTPUTS = "outputs/"
TEXT = "text/plain"
SEEN = ("journal", "outputs", "history", "packs")  # what a call reads

# A file or folder as it was last seen: name, inode, size, time of its last change.
Seen = tuple[str, int, int, int]


class FreshReader:
    """The workspace read last, opened anew when its files changed.

    While nothing is written it stays open, and with it the index a recall made.
    """

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._seen: tuple[Seen, ...] = ()
        self._engine: Engine | None = None

    def of(self, folder: Path) -> Engine:
        """What reads the workspace as it stands now. Raises what opening one raises, and LoomError
        for one that holds nothing yet."""
        now = tuple(_seen(folder))
        if self._engine is None or (folder, now) != (self._folder, self._seen):
            self.close()
            self._engine = reader(folder)
            self._folder, self._seen = folder, now
        return self._engine

    def close(self) -> None:
        """Let go of the files."""
        if self._engine is not None:
            self._engine.workspace.close()
            self._engine = None


def reader(folder: Path) -> Engine:
    """The engine over a workspace that is only read. No lock is taken, nothing is written."""
    workspace = Workspace.at_path(folder, write=False)
    if not workspace.commits:
        workspace.close()
        raise LoomError(f"{folder} holds nothing yet; ask again when its session has begun")
    policy, known = policy_of(workspace.window), workspace.window.config
    # Not `counter_of`: where a capability counted, an estimate will do to bound an answer.
    count = counter_for(known.model, known.encoding or policy.encoding)
    redactor = Redactor(()) if workspace.window.sent.unredacted else Redactor()
    return Engine(workspace, policy, count, redactor, None, folder=folder)


def attachment(workspace: Workspace, ref: str) -> tuple[str, Attached] | None:
    """The page a name leads to and the image or document it holds; None for a text, or a name that
    leads nowhere."""
    try:
        page = named(workspace, ref)
        found = payload(page, workspace.payload(page))
    except (*UNREADABLE, LookupError):
        return None
    return None if found is None else (page, found)


def _seen(folder: Path) -> Iterator[Seen]:
    for name in SEEN:
        with suppress(OSError):
            at = (folder / name).stat()
            yield name, at.st_ino, 0, at.st_mtime_ns
    with suppress(OSError):
        for one in sorted(os.scandir(folder / SEEN[0]), key=lambda one: one.name):
            at = one.stat()
            yield one.name, at.st_ino, at.st_size, at.st_mtime_ns


class PageContents(Struct, frozen=True):
    """The contents of a resource: a text, or the bytes of an image or document."""

    content: str | bytes
    type: str


def address(page: str, session: str = "") -> str:
    """The address of a page, in a session where there are several."""
    query = f"?{urlencode({'session': session})}" if session else ""
    return f"{SCHEME}://{HOST}/{quote(page)}{query}"


def asked(uri: str) -> tuple[str, dict[str, str]]:
    """The page an address names, and what stands behind it: part and session. Raises LoomError."""
    try:
        parts = urlsplit(uri)
    except ValueError as error:
        raise LoomError(f"{one_line(uri, 120)}: {error}") from None
    ref = unquote(parts.path.lstrip("/"))
    if (parts.scheme, parts.netloc) != (SCHEME, HOST) or not ref:
        example = address(f"{OUTPUTS}read_0007.txt")
        raise LoomError(f"{one_line(uri, 120)!r} is no address of a page: they are like {example}")
    return ref, dict(parse_qsl(parts.query))


def listed(engine: Engine, after: str = "") -> tuple[list[PageRef], str]:
    """Pages of outputs, the newest first, behind the one named `after`; and the name to ask with
    for the next, "" at the end. Raises LoomError for a name that is no page's."""
    pager = engine.workspace.pager
    names = [name for name in reversed([*pager.table]) if name.startswith(OUTPUTS)]
    if after and after not in pager.table:
        raise LoomError(f"the cursor {one_line(after, 80)!r} is of no list of this session")
    rest = names[names.index(after) + 1 :] if after else names
    found = [pager.table[name] for name in rest if name not in pager.retired]
    some = list(islice(found, LISTED))
    return some, some[-1].name if len(found) > LISTED else ""


def contents(engine: Engine, ref: str, ways: Mapping[str, str]) -> PageContents:
    """A page, whole or the part one of the ways names. Raises LoomError for one too large."""
    workspace = engine.workspace
    if not ways and (found := _media(engine, ref)) is not None:
        return found
    shown, _ = fault(workspace, ref, None, **ways)
    if len(shown.text) > MOST:
        raise LoomError(
            f"{one_line(ref, 80)} holds {len(shown.text):,} characters, more than {MOST:,}: read a"
            " part of it (?lines=1-400, ?grep=PATTERN), or call page_in"
        )
    text = neutral(engine.ingest.clean(shown.text), workspace.window.config.mark)
    return PageContents(text, type_of(ref))


def _media(engine: Engine, ref: str) -> PageContents | None:
    found = attachment(engine.workspace, ref)
    if found is None or found[1].data is None:
        return None
    page, held = found
    if len(held.data or b"") > MOST:
        raise LoomError(f"{page} holds more than {MOST:,} bytes")
    return PageContents(held.data or b"", held.media.type)


def type_of(page: str) -> str:
    """The MIME type a page's name tells."""
    return "application/json" if page.endswith(".json") else TEXT


def parts(query: Mapping[str, Any]) -> dict[str, str]:
    """Of what stands behind an address, the parts of a page."""
    return {name: value for name, value in query.items() if name in WAYS}
