"""`loom demo`: the scripted agent, told while it works and summed up when it is done."""

from __future__ import annotations

import shlex
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path

from msgspec import to_builtins
from rich.text import Text

from loom.cli.demo.proof import REPLY, WINDOW, Demo, DemoResult, DemoStep
from loom.cli.exits import FINE, FOUND
from loom.cli.scratch import scratch
from loom.cli.show import AsJson, console, emit, line, lines
from loom.cli.styled import say, width_of
from loom.reduce.lines import counted
from loom.rewrite.new_folder import made_at

SECOND = 1.0  # the least time between two lines while it works
COLUMNS = 80
DIGITS = 32  # of a sha256; `--json` has all 64
INDENT = "   "
HEADLINE = (
    f"A scripted agent works in a window of {WINDOW:,} tokens, {REPLY:,} of them for its reply."
)
EMBED = "python -c 'import loom; help(loom.open)'"
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


def demo(*, out: Path | None = None, json: AsJson = False) -> int:
    """Run a scripted agent in an 8,192-token window and prove that nothing it read was lost.

    Exit code 1: a rule was broken at a request, or a text did not come back as it was.

    Parameters
    ----------
    out
        Keep the workspace as this folder, which must be new or empty.
    """
    with scratch("loom-demo-") as folder, made_at(out) if out else nullcontext() as kept:
        if not json:
            _at_once(HEADLINE)
        watch = (lambda frame: None) if json else DemoLines(_at_once)
        outcome = Demo(folder, watch, kept).run()
    commands = next_commands(out)
    if json:
        told = [{"command": command, "about": about} for command, about in commands.items()]
        kept_in = {"kept": str(out) if out else "", "next": told, "passed": outcome.passed}
        emit({**to_builtins(outcome), **kept_in})
    else:
        screen = console()
        say(closing(outcome, width_of(screen)), screen)
        for command, about in commands.items():  # none is wrapped: each is there to be copied
            lines((f"{INDENT}{command}", f"{INDENT}  {about}"))
    return FINE if outcome.passed else FOUND


def next_commands(kept: Path | None) -> dict[str, str]:
    """What to do after a demo whose workspace is kept in a folder, or nowhere: command lines for a
    shell, each with what it is for."""
    show = f"loom show {shlex.quote(str(kept or 'loom-demo'))}"
    return {
        show
        if kept
        else f"loom demo --out loom-demo && {show}": "look at the last request it sent",
        "loom replay ~/.claude/projects": "see the same with your own sessions",
        EMBED: "put it into your own agent; the README has a loop to copy",
    }


def _at_once(text: str) -> None:
    """A line at once: whoever reads a pipe sees it while the demo runs."""
    line(text)
    sys.stdout.flush()


class DemoLines:
    """Progress as lines, at most one a second, and one when a plain list is full."""

    def __init__(
        self, tell: Callable[[str], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._tell, self._clock = tell, clock
        self._full = False
        self._next = clock() + SECOND

    def __call__(self, frame: DemoStep) -> None:
        """Tell of one more step, when it is time for it."""
        pressure, step = frame.turn.pressure, f"step {frame.step:3}"
        if frame.plain_full_at and not self._full:
            self._full = True
            over = f"{frame.plain_tokens:,} tokens where {pressure.capacity:,} fit"
            self._tell(f"{step}  without Loom: full at step {frame.plain_full_at} ({over})")
        now = self._clock()
        if now >= self._next:
            self._next = now + SECOND
            self._tell(
                f"{step}  a request of {pressure.tokens.total:,} tokens, {pressure.rho:.0%} full;"
                f" {frame.tokens_read:,} read, {pressure.pages} texts on disk"
            )


def closing(outcome: DemoResult, width: int) -> Iterator[Text]:
    """The lines that are told when a demo is over, each at most `width` columns and 80."""
    width = min(width, COLUMNS)
    yield Text()
    yield from _proof(outcome, width)
    yield _heading("What next")


def _proof(outcome: DemoResult, width: int) -> Iterator[Text]:
    made = ", ".join(f"{name} {count} ×" for name, count in outcome.cuts.items())
    same = "the same" if outcome.sha256 == outcome.sha256_recovered else "NOT the same"
    full = f"full at step {outcome.plain_full_at}" if outcome.plain_full_at else "never full"
    yield _heading(f"The proof: {'nothing was lost' if outcome.passed else 'it failed'}")
    rows = {
        "the session": f"{outcome.steps} steps in {outcome.seconds:.1f} s; {outcome.results}"
        f" results, {outcome.tokens_read:,} tokens of text",
        "the window": f"{outcome.window:,} tokens, {outcome.window - outcome.capacity:,} of them"
        " kept free for the reply",
        "with Loom": f"{outcome.turns} requests, the largest {outcome.peak_tokens:,} of"
        f" {outcome.capacity:,} tokens",
        "without Loom": f"{full}; the last request would have {outcome.plain_tokens:,} tokens",
        "made room": f"by {made}" if made else "never",
        **{f"  {name}": LEVELS.get(name, "") for name in outcome.cuts},
        "checked": f"{outcome.laws} rules at each request (within its size, calls with their"
        f" results, …): broken {outcome.broken} ×",
        "read again": f"{counted(outcome.read_again, 'time')} the agent asked for a text that had"
        " left the window",
        "brought back": f"{outcome.recovered} of {outcome.results} results,"
        f" {outcome.bytes_recovered:,} of {outcome.bytes_read:,} bytes, after the"
        " workspace was closed and opened again",
        "sha256, read": f"{outcome.sha256[:DIGITS]}…",
        "sha256, back": f"{outcome.sha256_recovered[:DIGITS]}…, {same}",
    }
    yield from _rows(rows.items(), width)
    for failure in outcome.failures:
        yield from _wrapped(f"failed: {failure}", width, "bold red")
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
            yield Text.assemble((head if at == 0 else " " * len(head), "dim"), part)


def _wrapped(text: str, width: int, style: str = "") -> Iterator[Text]:
    for part in textwrap.wrap(text, width - len(INDENT), break_on_hyphens=False):
        yield Text(INDENT + part, style=style)
