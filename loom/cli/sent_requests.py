"""`loom show` prints a request as it was sent; `loom diff` prints how two requests differ."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Annotated, Literal

from cyclopts import Parameter
from msgspec import to_builtins
from rich.text import Text

from loom.cli.agents import open_workspace
from loom.cli.exits import FINE, FOUND
from loom.cli.log import DIGITS
from loom.cli.output import STYLES, AsJson, Folder, complain, line_width, print_json, print_lines
from loom.cli.stat import partition_tokens, size_text
from loom.cli.text_tables import table_lines
from loom.errors import BadInput
from loom.inspect.difference import ItemChange, WindowDifference, window_difference
from loom.inspect.remade_requests import SentRequest, request_at
from loom.providers.render import message as m
from loom.reduce.lines import plural
from loom.text import escape_invisible, one_line

Shape = Literal["openai", "responses", "anthropic", "gemini"]
ROLES = {"system": "blue", "user": "green", "assistant": "cyan", "tool": "yellow"}
CHANGES = {"entered": ("+", "green"), "left": ("-", "red"), "changed": ("~", "yellow")}
TEXT = 60  # characters of what a surface says


def show(
    folder: Folder,
    /,
    *,
    turn: int | None = None,
    format: Shape | None = None,
    json: AsJson = False,
) -> int:
    """Show a request as it was sent, without arguments the host added.

    Exit code 1: the request can no longer be made as it was sent, since a page was damaged or
    removed. Where no sha256 of the request is recorded, as after a purge, the command says so and
    ends with 0.

    Args:
        turn: The number of the request; the last one unless it is given. `loom log --turns` lists
            them.
        format: The request as JSON, in this provider's shape.
    """
    found = request_at(open_workspace(folder), turn)
    made, size = found.turn, found.size
    if json:
        told = {
            "turn": made.number,
            "commit": found.commit,
            "at": found.at,
            "sha256": {"recorded": found.recorded, "found": made.sha256},
            "rho": size.rho,
            "tokens": {**partition_tokens(found.window), "total": size.counted},
            "sent": size.total,
            "reported": size.reported,
            "tools": list(made.tools),
            "messages": made.messages,
        }
        print_json(told if format is None else {**told, "request": made.request(format)})
    elif format is not None:
        print_json(made.request(format))
    else:
        print_lines(_request_lines(found), wrap=True)
    asked, now = f"request {made.number}", made.sha256[:DIGITS]
    if not found.recorded:
        purged = "`loom purge` took it out with the secrets"
        why = purged if found.purged else "an earlier Loom wrote it"
        complain(
            f"{asked}: no sha256 of it is recorded ({why}): no telling whether it is as it was sent"
        )
    elif found.differs:
        complain(
            f"{asked} is not as it was sent (sha256 {found.recorded[:DIGITS]}, now {now}): a page"
            " was damaged or let go since (`loom pages` and `loom check` tell which), or an earlier"
            " Loom sent it in other words"
        )
    return FOUND if found.differs else FINE


def _request_lines(found: SentRequest) -> Iterator[Text]:
    """Yield the lines of a request: its size, its tools, and each message under a heading."""
    turn, sent = found.turn, found.size
    size = f"{sent.counted:,} tokens as Loom counts"
    size += f", {sent.beside:,} of them the client's own" if sent.beside else ""
    if sent.reported:
        size = f"{sent.reported:,} tokens as the provider counted ({size})"
    full = f"ρ {found.pressure.rho:.2f}: {size_text(found.pressure)}"
    said = f"=== request {turn.number}: {size}; {full}; sha256 {turn.sha256[:DIGITS]}"
    yield Text(said, style="bold")
    if turn.tools:
        yield Text(f"=== {plural(len(turn.tools), 'tool')}", style=f"bold {STYLES['tools']}")
        yield from map(Text, turn.tools)
    for number, message in enumerate(turn.messages, 1):
        style = ROLES.get(message.role, "")
        yield Text(f"=== {number} {message.role}", style=f"bold {style}")
        for block in message.blocks:
            head, text = _block_texts(block)
            if head:
                failed = isinstance(block, m.ResultBlock) and block.error
                yield Text(escape_invisible(head), style="red" if failed else style)
            yield from map(Text, text.splitlines())


def _block_texts(block: m.Block) -> tuple[str, str]:
    """Return a pair (heading, text) for a block of a message. Each may be ""."""
    match block:
        case m.TextBlock():
            return "", block.text
        case m.CallBlock():
            return f"[call {block.id}: {block.name}]", block.arguments
        case m.ResultBlock():
            failed = ", failed" if block.error else ""
            return f"[result of {block.call_id}: {block.name}{failed}]", block.text
        case m.ThoughtBlock():
            return f"[reasoning for {block.format}, {len(block.opaque):,} characters]", ""
        case m.MediaBlock():
            return f"[{block.mime or 'a part'} {block.page}]", ""
        case _:  # only while a request is being made
            return "", ""


def diff(
    folder: Folder,
    first: Annotated[int | None, Parameter(name="N")] = None,
    second: Annotated[int | None, Parameter(name="M")] = None,
    /,
    *,
    json: AsJson = False,
) -> int:
    """Show what entered, left or changed between requests N and M, by partition, in tokens.

    `+` entered, `-` left, `~` is shown in another way; the surfaces of C_working stand last."""
    workspace = open_workspace(folder)
    if first is None or second is None:
        last, lies = max(workspace.index.requests, default=0), shlex.quote(str(folder))
        raise BadInput(
            f"diff: two requests are put beside each other, and there are {last}"
            if last < 2
            else f"diff: give two requests, as in `loom diff {lies} {last - 1} {last}`: they run"
            f" from 1 to {last}, and `loom log {lies} --turns` lists them"
        )
    one, two = (request_at(workspace, number) for number in (first, second))
    found = window_difference(one.window, two.window)
    if json:
        print_json({"first": first, "second": second, **to_builtins(found)})
        return FINE
    rows = [(part.name, part.before, part.after) for part in found.partitions]
    total = ("total", sum(row[1] for row in rows), sum(row[2] for row in rows))
    cells = [
        (name, f"{before:,}", f"{after:,}", f"{after - before:+,}" if after != before else "0")
        for name, before, after in (*rows, total)
    ]
    columns = ("tokens as Loom counts", f"request {first}>", f"request {second}>", "change>")
    print_lines(table_lines(columns, cells[:-1], cells[-1], [STYLES[name] for name, _, _ in rows]))
    print_lines(["nothing differs"] if found.empty else _change_lines(found), wrap=True)
    return FINE


def _change_lines(found: WindowDifference) -> Iterator[Text]:
    """Yield a line for each change: the sign `+`, `-` or `~`, the partition or the part of
    C_working, and the item."""
    told = [(one.how, part.name, STYLES[part.name], f"{one.name}{_change_text(one)}")
            for part in found.partitions for one in part.changes]  # fmt: skip
    for one in found.surfaces:
        said = " → ".join(one_line(text, TEXT) for text in (one.before, one.after) if text)
        told.append((one.how, one.surface, STYLES["working"], f"{one.id}: {said}"))
    for how, place, style, rest in told:
        rest = one_line(rest, line_width() - len(f"~ {place} "))
        yield Text(" ").join(
            (Text(*CHANGES[how]), Text(place, style), Text(escape_invisible(rest)))
        )


def _change_text(change: ItemChange) -> str:
    """Return a text on a changed item: its detail, and its tokens before and after. For an item
    that entered or left, return its detail, tokens and summary."""
    old, new = change.before, change.after
    if old is not None and new is not None:
        detail = old.detail if old.detail == new.detail else f"{old.detail} → {new.detail}"
        return f" {detail} {old.tokens:,} → {new.tokens:,}"
    item = old or new
    if item is None:
        return ""
    detail = f" {item.detail}" if item.detail not in ("", item.name) else ""
    return f"{detail} {item.tokens:,}  {item.summary}"
