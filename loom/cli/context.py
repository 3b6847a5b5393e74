"""`loom context`: what fills the window, item by item, in tokens.

The tokens of the items add up to the tokens of their partition. The tokens of the partitions add up
to `window.tokens`. A text that belongs to no item, such as a heading, is listed as an item.
Partitions plus free tokens are the capacity. Capacity plus the tokens reserved for the reply is the
window. Tools are listed apart from skills, although a window counts both in one partition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace
from rich.cells import cell_len
from rich.text import Text as Styled

from loom.cli.agents import open_workspace
from loom.cli.output import (
    STYLES,
    WIDTH,
    Folder,
    console,
    fill_width,
    print_result,
    share_bar,
    shorten,
    wrap_parts,
)
from loom.cli.stat import rounded_pressure, size_text
from loom.inspect.contents import PartitionItems, WindowItem, partition_items
from loom.inspect.sent_size import CLIENT, sent_size
from loom.reduce.lines import plural
from loom.session.meter import model_of
from loom.session.pressure import Pressure
from loom_partitions.window import Window

MOST = 15  # pieces of a partition that are shown
NAME_CHARS = 28


def context(folder: Folder, /, *, all: bool = False, json: bool = False) -> int:
    """Show what fills the window, item by item, in tokens.

    Args:
        all: Show every item in the order of the request, not the largest first.
        json: Print one JSON object instead: every item, in the order of the request."""
    workspace = open_workspace(folder)
    held = window_contents(workspace.window, rounded_pressure(workspace.window, workspace.pages))
    width = fill_width(console(), WIDTH)
    drawn = (Styled(shorten(text, width), style) for text, style in _styled_lines(held, width, all))
    return print_result(held, drawn, json=json)


def window_contents(window: Window, pressure: Pressure) -> dict[str, Any]:
    """Return the contents of a window and the size of its request, as `--json` prints them.

    `free` is the number of tokens left in the request, `reply` the number reserved for the reply.
    `estimate` and `bound` predict the provider's token count. `calibrated` is True if they differ
    from Loom's own count. `size` is a text with the two numbers whose quotient is ρ."""
    size, capacity = sent_size(window), pressure.capacity + pressure.held
    parts = partition_items(window)
    if size.beside:
        own = WindowItem("(instructions and tools)", size.beside, "", "of the client, as they came")
        shown = (PartitionItems(CLIENT, size.beside, 0.0, (own,)), *parts)
        parts = tuple(replace(p, share=round(p.tokens / max(capacity, 1), 4)) for p in shown)
    return {
        "rho": pressure.rho,
        "tokens": size.counted,
        "capacity": capacity,
        "free": max(pressure.budget, 0),
        "window": window.limits.window + pressure.held,
        "reply": window.limits.reply,
        "generation": pressure.generation,
        "model": model_of(window),
        "estimate": pressure.estimate + pressure.held,
        "bound": pressure.bound + pressure.held,
        "ratio": round(pressure.ratio, 4),
        "hidden": pressure.hidden,
        "calibrated": pressure.counted,
        "size": size_text(pressure),
        "partitions": parts,
    }


def _styled_lines(held: dict[str, Any], width: int, all: bool) -> Iterator[tuple[str, str]]:
    """Yield each line of the output as a pair (text, style). With `all`, every item is shown."""
    capacity, calibrated = held["capacity"], held["calibrated"]
    counted_by = " as Loom counts" if calibrated else ""
    heads = [
        f"ρ {held['rho']:.2f}",
        f"{held['tokens']:,} of {capacity:,} tokens{counted_by}",
        f"generation {held['generation']}",
        held["model"] or "no model named",
    ]
    yield from ((text, "bold") for text in wrap_parts(heads, width))
    hidden = f" + {held['hidden']:,} it adds unseen" if held["hidden"] else ""
    scale = [
        f"{held['estimate']:,} tokens of the provider expected",
        held["size"],
        f"×{held['ratio']:.2f} for each more{hidden}",
    ]
    yield from ((text, "") for text in wrap_parts(scale if calibrated else (), width))
    for part in held["partitions"]:
        told = _share_line(part.name, part.tokens, capacity)
        yield f"{told}  {plural(len(part.pieces), 'item')}", STYLES[part.name]
        ordered = sorted(part.pieces, key=lambda piece: -piece.tokens)
        rest = [] if all else ordered[MOST:]
        yield from _item_lines(part.pieces if all else ordered[:MOST], capacity, width)
        if rest:
            tokens = sum(piece.tokens for piece in rest)
            yield f"  … {len(rest):,} more, {tokens:,} tokens", "dim"
    yield _share_line("free", held["free"], capacity), ""
    yield f"reply    {held['reply']:,} tokens of the window reserved for the model's reply", "dim"


def _share_line(name: str, tokens: int, capacity: int) -> str:
    """Return a line with a name, a bar, a number of tokens, and their share of the capacity."""
    share = tokens / max(capacity, 1)
    return f"{name:<8} {share_bar(share)} {tokens:>9,} {share:>6.1%}"


def _item_lines(
    pieces: Sequence[WindowItem], capacity: int, width: int
) -> Iterator[tuple[str, str]]:
    """Yield a pair (line, style) for each item, with its name, tokens, share, level of detail,
    summary (shortened to fit) and page."""
    names = min(max((cell_len(piece.name) for piece in pieces), default=0), NAME_CHARS)
    details = max((len(piece.detail) for piece in pieces), default=0)
    for piece in pieces:
        name = shorten(piece.name, names)
        name += " " * (names - cell_len(name))
        share = f"{piece.tokens / max(capacity, 1):>6.1%}"
        told = f"  {name} {piece.tokens:>7,} {share}  {piece.detail:<{details}}  "
        pages = list(dict.fromkeys(piece.pages.values()))
        more = f" +{len(pages) - 1}" if len(pages) > 1 else ""
        page = f"→ {pages[0]}{more}" if pages else ""
        room = width - cell_len(told) - (cell_len(page) + 1 if pages else 0)
        said = [shorten(piece.summary, room) if room > 1 else "", page]
        yield (told + " ".join(filter(None, said))).rstrip(), ""
