"""`loom demo`: the scripted agent, shown while it works and summed up when it is done."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from msgspec import to_builtins
from rich.console import Group
from rich.live import Live
from rich.text import Text

from loom.cli.demo.closing import COLUMNS, closing, following
from loom.cli.demo.next_commands import next_commands
from loom.cli.demo.proof import REPLY, WINDOW, DemoStep, run
from loom.cli.demo.script import PLAN
from loom.cli.exits import FINE, FOUND
from loom.cli.scratch import scratch
from loom.cli.show import AsJson, bar, console, emit, line, lines
from loom.cli.styled import STYLES, drawable, say, short, width_of
from loom.reduce.lines import counted
from loom.rewrite.new_folder import made_at

SECOND = 1.0  # the least time between two plain lines
CALLS = 5  # newest steps on the board
PARTITIONS = ("system", "memory", "skill", "history", "working")
HEADLINE = (
    f"A scripted agent works in a window of {WINDOW:,} tokens, {REPLY:,} of them for its reply."
)

Watch = Callable[[DemoStep], None]


def demo(*, out: Path | None = None, json: AsJson = False) -> int:
    """Run a scripted agent in an 8,192-token window and prove that nothing it read was lost.

    Exit code 1: a rule was broken at a request, or a text did not come back as it was.

    Parameters
    ----------
    out
        Keep the workspace as this folder, which must be new or empty.
    """
    with (
        scratch("loom-demo-") as folder,
        made_at(out) if out else nullcontext() as kept,
        _watching(json) as watch,
    ):
        outcome = run(folder, watch, kept)
    commands = next_commands(out)
    if json:
        told = {"kept": str(out) if out else "", "next": to_builtins(commands)}
        emit({**to_builtins(outcome), **told, "passed": outcome.passed})
    else:
        screen = console()
        say(closing(outcome, min(width_of(screen), COLUMNS)), screen)
        lines(following(commands))
    return FINE if outcome.passed else FOUND


@contextmanager
def _watching(json: bool) -> Iterator[Watch]:
    """Yield what shows each step: nothing, a live board, or a line now and then."""
    screen = console()
    if json:
        yield lambda frame: None
    elif drawable(screen):
        board = DemoScreen()
        with Live(console=screen, auto_refresh=False) as live:
            yield lambda frame: live.update(board(frame, live.console.width), refresh=True)
    else:
        _plain(HEADLINE)
        yield DemoLines(_plain)


def _plain(text: str) -> None:
    """A line at once: whoever reads a pipe sees it while the demo runs."""
    line(text)
    sys.stdout.flush()


class DemoLines:
    """Progress as plain lines, at most one a second, and one when a plain list is full."""

    def __init__(
        self, tell: Callable[[str], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._tell, self._clock = tell, clock
        self._full = False
        self._next = clock() + SECOND

    def __call__(self, frame: DemoStep) -> None:
        """Tell of one more step, when it is time for it."""
        if frame.plain_full_at and not self._full:
            self._full = True
            self._tell(f"step {frame.step:3}  {_without(frame)}")
        now = self._clock()
        if now >= self._next:
            self._next = now + SECOND
            self._tell(f"step {frame.step:3}  {_request(frame)}; {_told(frame)}")


def _request(frame: DemoStep) -> str:
    """How large the newest request is."""
    pressure = frame.turn.pressure
    return f"a request of {pressure.tokens.total:,} tokens, {pressure.rho:.0%} full"


def _told(frame: DemoStep) -> str:
    return f"{frame.tokens_read:,} read, {frame.turn.pressure.pages} texts on disk"


def _without(frame: DemoStep) -> str:
    """How the same session fares as a plain list of messages."""
    if not frame.plain_full_at:
        return f"without Loom: {frame.plain_tokens:,} tokens, not full yet"
    capacity = frame.turn.pressure.capacity
    now = f"{frame.plain_tokens:,} tokens where {capacity:,} fit"
    return f"without Loom: full at step {frame.plain_full_at} ({now})"


class DemoScreen:
    """The live picture: both ways beside each other, the request by partition, the newest calls."""

    def __init__(self) -> None:
        self._newest: deque[str] = deque(maxlen=CALLS)

    def __call__(self, frame: DemoStep, width: int = COLUMNS) -> Group:
        """The picture after one more step, in lines of at most `width` columns."""
        calls = ", ".join(f"{name} {_subject(given)}" for name, given in frame.move.calls)
        self._newest.append(f"{frame.step:4}  {calls or frame.move.say}")
        doing = PLAN[frame.move.doing] if frame.move.doing < len(PLAN) else "done"
        found = frame.findings
        renewed = f", {found.renewals} of them a fresh start from a short summary"
        times = counted(found.cuts, "time")
        rows = (
            (f"loom demo · step {frame.step} · {doing}", "bold"),
            (HEADLINE, ""),
            (_without(frame), "bold red" if frame.plain_full_at else "dim"),
            (f"with Loom: {_request(frame)}", "bold green"),
            *_bars(frame),
            (f"made room {times}{renewed if found.renewals else ''}", "yellow"),
            (_told(frame), ""),
            *((text, "dim") for text in self._newest),
        )
        return Group(*(Text(short(text, width), style=style, no_wrap=True) for text, style in rows))


def _bars(frame: DemoStep) -> Iterator[tuple[str, str]]:
    """A line for each partition of the request, and its style: a bar of its share, its tokens."""
    pressure = frame.turn.pressure
    for name in PARTITIONS:
        tokens = getattr(pressure.tokens, name)
        yield f"  {name:<8} {bar(tokens / pressure.capacity)} {tokens:6,}", STYLES[name]
    total = f"{pressure.tokens.total:6,} of {pressure.capacity:,}"
    yield (
        f"  {'together':<8} {bar(pressure.rho)} {total}",
        "red" if pressure.rho >= 0.8 else "green",
    )


def _subject(arguments: dict[str, object]) -> str:
    return str(next(iter(arguments.values()), ""))
