"""The end of a demo in plain words, in at most 80 columns: proof, one result, what to do next."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from rich.text import Text

from loom.cli.demo.next_commands import NextCommand
from loom.cli.demo.outcome import DemoResult, ReadAgain
from loom.cli.styled import short
from loom.reduce.lines import counted
from loom.text import visible

COLUMNS = 80
EXCERPT = 4  # lines of a text that is shown
DIGITS = 32  # of a sha256; `--json` has all 64
INDENT = "   "

# Level of compression → what it does to older messages, to go on with "each".
LEVELS = {
    "step": "a result that is no longer recent becomes one line",
    "snip": "long texts keep their beginning and end",
    "micro": "what stands there twice stands there once",
    "settle": "what changed since stands there as it is now",
    "collapse": "steps become a line each",
    "auto": "older steps become one summary",
    "reactive": "all that is long gets short, since a provider refused the request",
    "renewal": "the window starts over from a short summary",
}


def closing(outcome: DemoResult, width: int) -> Iterator[Text]:
    """The lines that are told when a demo is over, each at most `width` columns."""
    width = min(width, COLUMNS)
    yield Text()
    yield from _proof(outcome, width)
    if outcome.read_again:
        yield from _again(outcome.read_again, width)
        yield from _message(outcome.read_again, width)
    yield _heading("4. What next")


def following(commands: Iterable[NextCommand]) -> Iterator[str]:
    """The lines of the commands. None is wrapped, however long: each is there to be copied."""
    for one in commands:
        yield f"{INDENT}{one.command}"
        yield f"{INDENT}  {one.about}"


def _proof(outcome: DemoResult, width: int) -> Iterator[Text]:
    kept = outcome.window - outcome.capacity
    made = ", ".join(f"{name} {count} ×" for name, count in outcome.cuts.items())
    same = "the same" if outcome.sha256 == outcome.sha256_recovered else "NOT the same"
    full = f"full at step {outcome.plain_full_at}" if outcome.plain_full_at else "never full"
    yield _heading(
        "1. The proof: nothing was lost" if outcome.passed else "1. The proof: it failed"
    )
    yield from _rows(
        (
            (
                "the session",
                f"{outcome.steps} steps in {outcome.seconds:.1f} s; {outcome.results} results,"
                f" {outcome.tokens_read:,} tokens of text",
            ),
            (
                "the window",
                f"{outcome.window:,} tokens, {kept:,} of them kept free for the reply",
            ),
            (
                "with Loom",
                f"{outcome.turns} requests, the largest {outcome.peak_tokens:,} of"
                f" {outcome.capacity:,} tokens",
            ),
            (
                "without Loom",
                f"{full}; the last request would have {outcome.plain_tokens:,} tokens",
            ),
            ("made room", f"by {made}" if made else "never"),
            *((f"  {name}", LEVELS.get(name, "")) for name in outcome.cuts),
            (
                "checked",
                f"{outcome.laws} rules at each request (within its size, calls with their"
                f" results, …): broken {outcome.broken} ×",
            ),
            (
                "brought back",
                f"{outcome.recovered} of {outcome.results} results,"
                f" {outcome.bytes_recovered:,} of {outcome.bytes_read:,} bytes, after the"
                " workspace was closed and opened again",
            ),
            ("sha256, read", f"{outcome.sha256[:DIGITS]}…"),
            ("sha256, back", f"{outcome.sha256_recovered[:DIGITS]}…, {same}"),
        ),
        width,
    )
    for failure in outcome.failures:
        yield from _wrapped(f"failed: {failure}", width, "bold red")
    yield Text()


def _again(found: ReadAgain, width: int) -> Iterator[Text]:
    yield _heading("2. One result that left the window and was read again")
    yield from _rows(
        (
            (f"step {found.came}", f"{found.call} brought {found.size:,} bytes"),
            ("", f"Loom wrote them to the file {found.page} at once"),
            (
                f"step {found.left}",
                f"the text left the window by {found.level!r}: {LEVELS.get(found.level, '')}",
            ),
            (f"step {found.again}", f"the agent asked for it: {found.asked}"),
            ("", f"and read, {found.again - found.left} steps after it had left:"),
        ),
        width,
    )
    yield from _excerpt(found.answer, width)
    yield Text()


def _message(found: ReadAgain, width: int) -> Iterator[Text]:
    yield _heading("3. The same result before it left and after")
    before, after = found.left - 1, found.left
    yield from _wrapped(f"request {before}, {found.tokens_before:,} tokens:", width)
    yield from _excerpt(found.before, width)
    yield from _wrapped(f"request {after}, {found.tokens_after:,} tokens:", width)
    yield from _excerpt(found.after or "(nothing)", width)
    yield Text()


def _heading(text: str) -> Text:
    return Text(text, style="bold cyan")


def _rows(rows: Iterable[tuple[str, str]], width: int) -> Iterator[Text]:
    """Labels and values; a value that is longer goes on below itself."""
    rows = tuple(rows)
    column = max(len(label) for label, _ in rows) + 2
    for label, value in rows:
        head = f"{INDENT}{label:<{column}}"
        room = max(width - len(head), 20)
        for at, part in enumerate(textwrap.wrap(value, room, break_on_hyphens=False) or [""]):
            text = Text(head if at == 0 else " " * len(head), style="dim")
            yield text.append(part, style="not dim")


def _wrapped(text: str, width: int, style: str = "") -> Iterator[Text]:
    for part in textwrap.wrap(text, width - len(INDENT), break_on_hyphens=False):
        yield Text(INDENT + part, style=style)


def _excerpt(text: str, width: int) -> Iterator[Text]:
    """The first lines of a text that are not blank, behind a bar, and how many more there are; a
    text of one line whole."""
    room, bar = width - len(INDENT) - 2, f"{INDENT}| "
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) == 1:
        lines = textwrap.wrap(visible(lines[0]), room, break_on_hyphens=False)
    for line in lines[:EXCERPT]:
        yield Text(f"{bar}{short(line, room)}", style="green")
    if len(lines) > EXCERPT:
        yield Text(f"{bar}… and {counted(len(lines) - EXCERPT, 'line')} more", style="dim")
