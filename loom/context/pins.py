"""Pins: entries and lines the host wants to stay, whatever else leaves the window.

A pinned entry keeps its detail through cuts and renewals. A pinned line is shown in C_memory, word
for word, under the key `pinned`.

A person may ask for a pin or a compaction from another process. A workspace has only one writer,
perhaps an agent that runs for days. So the wish is written as a file into a folder of the
workspace, and the writer takes it at its next turn (`loom.context.changes.do_asked_deeds`)."""

from __future__ import annotations

import os
import re
import secrets
import time
from functools import partial
from pathlib import Path
from typing import Literal

from msgspec import Struct, json

from loom.compress.blame import entry_sizes
from loom.disk import make_private_folder, plain_descriptor, replace_file
from loom.errors import BadInput, LoomError, OverCapacity
from loom.lazy import lazy_re
from loom.providers.counts import Counter
from loom.redact import Redactor
from loom.session import Engine
from loom.session.archive.full_surfaces import BULLET, pinned_lines
from loom.session.archive.restore import entry_id_in_name, missing_entry
from loom.session.head import drop_text, put_text
from loom.session.locking import one_call
from loom.text import one_line
from loom_partitions import records as r
from loom_partitions.history import FOREVER, pinned_entries
from loom_partitions.message import Detail, Digest, name_of
from loom_partitions.shelf import PINNED
from loom_partitions.window import Window

PAGE = lazy_re(
    r"(?:(?:outputs|snapshots)/)?[a-z][a-z0-9-]*_[0-9]{4,15}(?:-[0-9]+)?(?:\.[a-z0-9]+)*"
)
# What looks like the name of an entry, and is none: Step_0007, step-7, step_7.
LIKE_ENTRY = lazy_re(r"\s*(step|user)[_-]?0*(\d{1,15})\s*", re.IGNORECASE)
AGAIN = (
    'give its text again by ctx.user(ctx.page_in(…).text, kind="observation"), and pin that entry'
)
SHARE = 0.25  # of the capacity, for pinned entries together
LINE_CHARS = 2_000
ASKED = "asked"
MOST = 65_536  # bytes of a file
Deed = Literal["pin", "unpin", "compact"]


@one_call
def pin_entry_or_line(engine: Engine, what: int | str) -> None:
    """Pin an entry (`what` is its id or name) or a line of text (any other `what`): cuts and
    renewals then keep it in full. Raises MissingPage, OverCapacity, BadInput, and LoomError for an
    entry that waits for results."""
    entry = what if isinstance(what, int) else entry_id_in_name(what)
    if entry is None:
        line = checked_pin_line(engine.ingest.clean(str(what)))
        kept = [*pinned_lines(engine.workspace, engine.window), line]
        check_pinned_lines_fit(engine.window, kept, engine.sizes.count)
        _store_pinned_lines(engine, kept)
    elif (entry, FOREVER) not in engine.window.history.pins:
        check_entry_can_be_pinned(engine.window, entry, what)
        engine.commit(r.Pinned(entry, FOREVER))


@one_call
def unpin_entry_or_line(engine: Engine, what: int | str) -> None:
    """Unpin an entry (`what` is its id or name) or a line. A no-op when it is not pinned."""
    entry = what if isinstance(what, int) else entry_id_in_name(what)
    if entry is None:
        gone = _one_line_to_pin(engine.ingest.clean(str(what)))
        lines = pinned_lines(engine.workspace, engine.window)
        _store_pinned_lines(engine, [line for line in lines if line != gone])
    elif (entry, FOREVER) in engine.window.history.pins:
        engine.commit(r.Pinned(entry, 0))


def check_entry_can_be_pinned(
    window: Window, entry: int, what: int | str, again: str = AGAIN
) -> None:
    """Raise MissingPage unless the entry is in the window in full, LoomError while it waits for
    results, OverCapacity if all pinned entries together would take more than `SHARE` of the
    capacity. Error texts name the entry as `what`; that of MissingPage gives the advice `again`."""
    kept = pinned_entries(window.history) | {entry}
    standing = {
        item.id: item
        for item in window.history.stream.entries_back
        if item.id in kept and not isinstance(item, Digest) and item.detail < Detail.REDUCED
    }
    if entry not in standing:
        name = f"{what}" if isinstance(what, str) else str(entry)
        last = window.history.next_id - 1
        why = f"it no longer stands in full: {again}" if entry <= last else ""
        raise missing_entry(name, last, why)
    if entry == window.history.waiting:
        calls = ", ".join(window.history.open_calls)
        raise LoomError(
            f"{name_of(standing[entry])} cannot be pinned yet: it waits for the result of {calls}."
            " Pin it once that is in"
        )
    needed = sum(one.tokens for one in standing.values())
    most = int(window.limits.capacity * SHARE)
    if needed > most:
        mine = standing.pop(entry)
        share = partial(_percent_of_capacity, window)
        beside = f" beside {entry_sizes(standing.values(), share)}" if standing else ""
        raise OverCapacity(
            "history",
            needed,
            most,
            said=f"{entry_sizes([mine], share)} cannot be pinned{beside}: pinned entries may take a"
            f" quarter of what a request holds (window less reply), not {share(needed)}:"
            f" {'unpin one, or ' if standing else ''}pin a line of it",
        )


def _percent_of_capacity(window: Window, tokens: int) -> str:
    """Return a number of tokens as a percentage of the window's capacity ("3.1 %")."""
    return f"{100 * tokens / max(window.limits.capacity, 1):.1f} %"


def checked_pin_line(what: str, again: str = AGAIN) -> str:
    """Return a redacted text as one line that can be pinned. Raises BadInput for a page's name (the
    error gives the advice `again`), and for a misspelled name of an entry ("step-7")."""
    if found := LIKE_ENTRY.fullmatch(what):
        raise BadInput(
            f"{what!r:.80} is no name of an entry: did you mean {found[1].lower()}_{found[2]:0>4}?"
        )
    if PAGE.fullmatch(what):
        raise BadInput(
            f"{what} is a page, and pages cannot be pinned: pin the entry it stands in"
            f" (step_0007), or {again}"
        )
    return _one_line_to_pin(what)


def check_pinned_lines_fit(window: Window, lines: list[str], count: Counter) -> None:
    """Raise OverCapacity when the lines take more than `SHARE` of the window's capacity."""
    needed, most = sum(count.many(lines)), int(window.limits.capacity * SHARE)
    if needed > most:
        raise OverCapacity(
            "memory",
            needed,
            most,
            said="the line cannot be pinned: pinned lines may take a quarter of what a request"
            f" holds (window less reply), not {_percent_of_capacity(window, needed)}: unpin one, or"
            " pin a shorter one",
        )


def _one_line_to_pin(clean: str) -> str:
    """Return the text with its line breaks made spaces. Raises BadInput for an empty text, or for
    more than `LINE_CHARS` characters."""
    # What is put on one line may no longer be known for a secret: it is clean before.
    line = one_line(clean, len(clean) + LINE_CHARS)
    if not line:
        raise BadInput("pin: the text is empty; give a line, or the name of an entry (step_0007)")
    if len(line) > LINE_CHARS:
        raise BadInput(
            f"a line of {len(line):,} characters cannot be pinned, only of 1 to {LINE_CHARS:,}:"
            " pin it as several lines, or give it to ctx.system"
        )
    return line


def _store_pinned_lines(engine: Engine, lines: list[str]) -> None:
    """Make `lines`, without repeats, the workspace's pinned lines."""
    kept = dict.fromkeys(line for line in lines if line)
    if kept:
        put_text(engine, "memory", PINNED, "\n".join(BULLET + line for line in kept))
    else:
        drop_text(engine, "memory", PINNED)


class AskedDeed(Struct, frozen=True):
    """A deed that another process asks the writer of a workspace to do: the content of a file in
    the folder `asked`. `what` is the entry or line to pin or unpin, "" for "compact"."""

    deed: Deed
    what: str = ""


def leave_asked_deed(folder: Path, deed: Deed, what: str = "") -> Path:
    """Write a file that asks the writer of the workspace in `folder` to pin, unpin or compact.
    Return the file's path. Secrets in `what` are replaced. No lock is taken."""
    place = folder / ASKED
    make_private_folder(place)
    path = place / f"{time.time_ns():020d}-{secrets.token_hex(4)}.json"
    replace_file(path, json.encode(AskedDeed(deed, Redactor()(what))))
    return path


def is_deed_waiting(folder: Path) -> bool:
    """Return True while a file of `leave_asked_deed` in the workspace `folder` is not done yet."""
    return any((folder / ASKED).glob("[!.]*.json"))


def read_asked_deed(path: Path) -> AskedDeed:
    """Read a file that `leave_asked_deed` wrote. Raises ValueError for any other content."""
    with os.fdopen(plain_descriptor(path), "rb") as file:
        return json.decode(file.read(MOST), type=AskedDeed)
