"""What lies beside a journal, written into the new workspace where it verifies.

Numbers of events are cursors that readers keep, so they stay: where an event is gone, one that says
so takes its number, and the sequence has no hole behind which later ones would not be found.
"""

from __future__ import annotations

from collections.abc import Collection
from secrets import token_hex

from msgspec import json
from msgspec.structs import replace

from loom.capabilities.agents.event import BusEvent, PendingEvent, Written
from loom.capabilities.agents.log import TrimMark
from loom.repairing.beside import EVENT, LOST, TRIM, beside, events, first_kept, page_lost, unsound
from loom_paging import FileStore, PagingError, Problem
from loom_paging.names import LOCK

SOURCE, TOPIC = "repair", "damage.lost"


def files_copied(
    old: FileStore, new: FileStore, delivered: str | None, above: Collection[str] = ()
) -> tuple[Problem, ...]:
    """Copy what lies beside the journal; what does not verify comes back, and is not copied, nor
    what an agent `above` found so."""
    lost = unsound(old, delivered)
    bad = {*above, *(problem.where for problem in lost)}
    names = beside(old)
    for name in names:
        if name in bad or EVENT.fullmatch(name) or TRIM.fullmatch(name) or name == LOCK:
            continue
        try:
            new.put(name, old.get(name))
        except (PagingError, OSError) as error:
            lost.append(Problem("file", name, str(error)))
    for problem in lost:
        if problem.kind == "result":
            new.put(problem.where + LOST, problem.what.encode())
    _bus(old, new, names, bad)
    return tuple(lost)


def _bus(old: FileStore, new: FileStore, names: list[str], bad: set[str]) -> None:
    """Copy events and marks of trims, with something in the place of each that is gone."""
    held = dict(events(old, names))
    first = min(first_kept(old, names), min(held, default=1))
    for number in range(first, max(held, default=0) + 1):
        event, name = held.get(number), f"bus/{number:012d}.json"
        if event is None:
            new.put(name, _instead(BusEvent(number, TOPIC, SOURCE, {"event": number}, 0)))
        elif event.event.page and page_lost(old, event.event.page):
            new.put(name, _without_page(event))
        else:
            new.put(name, old.get(name))
    trims = sorted(filter(TRIM.fullmatch, names))
    newest = int(trims[-1][-17:-5]) if trims else 0
    for number in range(1, newest + 1):
        name = f"bus/trims/{number:012d}.json"
        if name in bad or name not in names:
            mark = TrimMark(first, first, {}, SOURCE, 0, token_hex(8))
            new.put(name, json.encode(mark))
        else:
            new.put(name, old.get(name))


def _instead(event: BusEvent) -> bytes:
    return PendingEvent(event).encode(event.number, token_hex(8), 1)


def _without_page(written: Written) -> bytes:
    """An event whose page is gone: the line about it stays."""
    event = replace(written.event, page="", readers=())
    return PendingEvent(event).encode(event.number, written.writer, written.count)
