"""The pages a workspace still needs, by reference: whatever names one keeps it.

A name counts in full (`outputs/read_0007.txt`) and in short (`read_0007`), wherever it stands: in
the data of the window, in the texts of the request, in the words of a tool or a user. What only
the page of a digest lists does not count, nor what a digest knows and does not show: that is
everything there ever was. The next digest shows no name of a page that was retired meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from msgspec import json
from msgspec.structs import replace

from loom.lazy import lazy_re
from loom.providers.render.message import counted_texts
from loom.providers.render.render import request
from loom.session.archive.decode import records_of
from loom.session.archive.past import window_then
from loom.session.archive.reading import UNREADABLE, Reader
from loom.session.archive.surfaces import SURFACES, surface_text
from loom.session.archive.workspace import Workspace
from loom_paging import check_disk
from loom_partitions.edits import Folded
from loom_partitions.message import Digest
from loom_partitions.records import Compressed, Record, Renewed, Undone
from loom_partitions.stream import Stream
from loom_partitions.window import Window

NAME = lazy_re(r"[a-z0-9-]+_[0-9]{4,15}")
# Why a page is kept, the first that fits.
WINDOW, SHOWN, AGENTS = "the window", "surfaces", "agents"
SNAPSHOT, UNDO, PROMOTED = "the snapshot", "undo", "promoted"


def live_pages(workspace: Workspace, horizon: int) -> dict[str, str]:
    """By page that is needed: by what.

    The last `horizon` requests can be gone back to with all they need.
    """
    stems = {_stem(name): name for name in workspace.index.used}
    found: dict[str, str] = {}
    for why, texts in (
        (WINDOW, _window(workspace)),
        (SHOWN, _surfaces(workspace)),
        (AGENTS, _agents(workspace)),
        (SNAPSHOT, _snapshot(workspace)),
        (UNDO, _since(workspace, horizon)),
        (PROMOTED, iter(workspace.folded.promoted)),
    ):
        for text in texts:
            for stem in NAME.findall(text):
                if stem in stems:
                    found.setdefault(stems[stem], why)
    return found


def _stem(name: str) -> str:
    """The short name of a page: without its folder and its ending."""
    return name.rpartition("/")[2].partition(".")[0]


def _window(workspace: Workspace) -> Iterator[str]:
    window = workspace.window
    yield _data(window)
    said = request(window, Reader(workspace))
    yield from said.tools
    for message in said.messages:
        yield from counted_texts(message)


def _data(window: Window) -> str:
    """The window as data, but for the facts of digests that none of them shows."""
    items = [_shown(item) for item in window.history.stream]
    rest = replace(window, history=replace(window.history, stream=Stream()))
    return json.encode((rest, items)).decode("utf-8", "replace")


def _shown(value: Any) -> Any:
    """A digest, or the fold that made it, as far as a request shows it; anything else itself."""
    if isinstance(value, Digest):
        return replace(value, facts=())
    if isinstance(value, Folded):
        return replace(value, digest=_shown(value.digest), drawn=None)
    return value


def _recorded(record: Record) -> str:
    """A record as data."""
    if isinstance(record, Undone):
        return _data(record.window)
    if isinstance(record, Compressed | Renewed):
        record = replace(record, edits=tuple(map(_shown, record.edits)))
    return json.encode(record).decode("utf-8", "replace")


def _surfaces(workspace: Workspace) -> Iterator[str]:
    """The surfaces in full: also what found no room on them."""
    for surface in SURFACES:
        yield _read(partial(surface_text, workspace, surface, workspace.window.working))


def _agents(workspace: Workspace) -> Iterator[str]:
    """What agents were spawned with; of those still at work all that it names."""
    for name, record in workspace.index.spawned.items():
        yield record.page
        if record.page and name not in workspace.index.joined:
            yield _read(partial(workspace.read, record.page))


def _snapshot(workspace: Workspace) -> Iterator[str]:
    newest = workspace.folded.snapshotted
    if newest is not None:
        yield _read(lambda: workspace.store.get(newest[1]).decode("utf-8", "replace"))


def _since(workspace: Workspace, horizon: int) -> Iterator[str]:
    """The window of the earliest request that is kept, and every commit after it."""
    kept = sorted(workspace.index.requests)[-horizon:] if horizon else []
    if kept:
        yield _data(window_then(workspace, kept[0]))
        for commit in workspace.journal.scan(workspace.index.requests[kept[0]] - 1):
            yield " ".join(page.name for page in commit.pages)
            yield from map(_recorded, records_of(commit))


def _read(read: Callable[[], str]) -> str:
    """A text, "" when it cannot be read: what it named is not known then."""
    try:
        return read()
    except UNREADABLE as error:
        check_disk(error)
        return ""
