"""A window taken apart: every item of its request, with the tokens that the item takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from msgspec import Struct

from loom.providers.render.wording import NOTICES
from loom.reduce.lines import plural
from loom.text import one_line
from loom_partitions.message import Detail, Digest, Item, Notice, Said, Step, UserTurn, name_of
from loom_partitions.shelf import ShelfText
from loom_partitions.stream import is_lowered
from loom_partitions.window import Window

SHELVES = ("system", "memory", "skill", "tools")
READ_AHEAD = "read ahead "  # what the name of an entry that was read ahead begins with
PARTS = (*SHELVES, "history", "working")
SUMMARY = 200  # characters
HEAD, RUNS = "(message)", "(headings)"
NEW_TOOL = NOTICES["tools"].partition("{")[0]


class WindowItem(Struct, frozen=True):
    """One item of a window's request: an entry, a notice, a tool, or a text of the system, memory
    or skill partition. `detail` says how it is shown: an entry "full", "snipped", "reduced",
    "compact" or "digest"; a notice "notice"; a text or tool "shown", or "stale" while a change
    waits for the next cut. `pages` names the pages of the item's full texts. Its keys are `text`,
    `reply`, `digest`, a call id (for the result) or `arguments of` a call id."""

    name: str
    tokens: int
    detail: str = ""
    summary: str = ""
    pages: dict[str, str] = {}


class PartitionItems(Struct, frozen=True):
    """A partition and its items. `tokens` is their sum, `share` its part of the capacity (0…1)."""

    name: str
    tokens: int
    share: float
    pieces: tuple[WindowItem, ...]


class PlacedItem(NamedTuple):
    """An item of a window, with the name of its partition. `of` is the entry, notice or text from
    which the item was made; None for words that Loom adds, such as headings."""

    partition: str
    item: WindowItem
    of: Item | ShelfText | None = None


def partition_items(window: Window) -> tuple[PartitionItems, ...]:
    """Return a window's partitions in the order of `PARTS`, with items as the request has them."""
    held: dict[str, list[WindowItem]] = {name: [] for name in PARTS}
    for placed in window_items(window):
        held[placed.partition].append(placed.item)
    capacity = max(window.limits.capacity, 1)
    return tuple(
        PartitionItems(name, tokens, round(tokens / capacity, 4), tuple(pieces))
        for name, pieces in held.items()
        for tokens in [sum(piece.tokens for piece in pieces)]
    )


def window_items(window: Window) -> Iterator[PlacedItem]:
    """Yield every item of a window's request in order. Their tokens add up to the window's."""
    if head := window.limits.head:
        yield PlacedItem("system", WindowItem(HEAD, head, "", "the message of the head itself"))
    for name in SHELVES:
        shelf = window.skill.tools if name == "tools" else window.shelf(name)
        for held in shelf.shown:
            text, detail = held.text, "shown" if shelf.get(held.key) == held.text else "stale"
            shown, pages = one_line(text.body or "", SUMMARY), _present_pages(text=text.page)
            yield PlacedItem(name, WindowItem(held.key, text.tokens, detail, shown, pages), held)
    runs, lowered = 0, False  # each run of lowered entries is a message with a heading
    for item in window.history.stream:
        runs += is_lowered(item) and not lowered
        lowered = is_lowered(item)
        place = "history"
        if isinstance(item, Notice):  # told with its partition, that of a tool with the tools
            place = "tools" if item.text.startswith(NEW_TOOL) else item.partition
        yield PlacedItem(place, _window_item(item), item)
    if runs and window.limits.run:
        what = f"over the runs of shortened entries: {runs}"
        yield PlacedItem("history", WindowItem(RUNS, runs * window.limits.run, "", what))


def _window_item(item: Item) -> WindowItem:
    """Return the item that describes an entry or a notice."""
    match item:
        case Notice():
            name = "dashboard" if item.text.startswith("[dashboard ") else "notice"
            return WindowItem(name, item.tokens, "notice", one_line(item.text, SUMMARY))
        case UserTurn():
            summary = item.line if is_lowered(item) else item.text.body or ""
            pages = _present_pages(text=item.text.page)
        case Step():
            summary, pages = _step_summary(item), _step_pages(item)
        case Digest():
            steps = plural(item.steps, "step")
            summary = f"entries {item.first} to {item.last}: {steps}, {item.users} of the user"
            pages = _present_pages(digest=item.page)
    ahead = isinstance(item, UserTurn) and item.ahead  # a message in shape alone: nobody said it
    name = f"{READ_AHEAD}{item.id:04d}" if ahead else name_of(item)
    detail = "digest" if isinstance(item, Digest) else Detail(item.detail).name.lower()
    return WindowItem(name, item.tokens, detail, one_line(summary, SUMMARY), pages)


def _step_summary(step: Step) -> str:
    """Return a line about a step: its line when shortened, its first call, or its first text."""
    if is_lowered(step):
        return step.line
    if not step.calls:
        return next((part.text.body or "" for part in step.parts if isinstance(part, Said)), "")
    first, more = step.calls[0], len(step.calls) - 1
    told = [f"+{plural(more, 'call')}"] if more else []
    told += ["failed"] if step.failed else []
    told += [f"waits for {plural(len(step.open), 'result')}"] if step.open else []
    call = f"{first.name} {first.arguments}".rstrip()
    return f"{', '.join(told)}: {call}" if told else call


def _step_pages(step: Step) -> dict[str, str]:
    """Return the pages that hold a step's texts: label → page. `WindowItem` lists the labels."""
    named = [("reply", step.page)]
    named += [("reply", part.text.page) for part in step.parts if isinstance(part, Said)]
    named += [(f"arguments of {call.id}", call.page) for call in step.calls]
    named += [(one.call_id, one.text.page or one.reduction.outcome_ref) for one in step.in_order]
    return {label: page for label, page in named if page}


def _present_pages(**named: str) -> dict[str, str]:
    """Return the given pages, label → page, without those whose name is ""."""
    return {what: page for what, page in named.items() if page}
