"""`loom demo`: run the scripted agent, print its progress line by line, and then a summary."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from msgspec import to_builtins

from loom.cli.demo.proof import REPLY, WINDOW, DemoResult, DemoSession
from loom.cli.exits import FINE, FOUND
from loom.cli.output import AsJson, print_line, print_lines, print_result, wrapped_lines
from loom.cli.scratch import scratch_folder
from loom.reduce.lines import plural
from loom.rewrite.new_folder import new_folder_at
from loom.session.turn import Turn

SECOND = 1.0  # the least time between two lines while it works
DIGITS = 32  # of a sha256; `--json` has all 64
INDENT = "   "
HEADLINE = (
    f"A scripted agent works in a window of {WINDOW:,} tokens, {REPLY:,} of them for its reply."
)
# Level of compression → what it does to older messages.
LEVELS = {
    "step": "a result that is no longer recent becomes one line",
    "snip": "long texts keep their beginning and end",
    "micro": "what stands there twice stands there once",
    "settle": "what changed since stands there as it is now",
    "collapse": "a digest stands for older steps",
    "auto": "older steps become one summary",
    "reactive": "all that is long gets short, since a provider refused the request",
    "renewal": "the window starts over from a short summary",
}


def demo(*, out: Path | None = None, json: AsJson = False) -> int:
    """Run a scripted agent in an 8,192-token window and prove that nothing it read was lost.

    Exit code 1: a rule was broken at a request, or a text did not come back as it was.

    Args:
        out: Keep the workspace as this folder, which must be new or empty."""
    with new_folder_at(out) if out else scratch_folder("loom-demo-") as folder:
        print_lines([] if json else [HEADLINE])
        found = DemoSession(folder / "w" if out is None else folder, DemoProgress(quiet=json)).run()
    show = f"loom show {shlex.quote(str(out or 'loom-demo'))}"
    following = {
        show if out else f"loom demo --out loom-demo && {show}": "look at the last request it sent",
        "loom replay ~/.claude/projects": "see the same with your own sessions",
        "python -c 'import loom; help(loom.open)'": (
            "put it into your own agent; the README has a loop to copy"
        ),
    }
    told = [{"command": command, "about": about} for command, about in following.items()]
    kept = {"kept": str(out) if out else "", "next": told, "passed": not found.failures}
    after = (f"{INDENT}{text}" for item in following.items() for text in (item[0], f"  {item[1]}"))
    code = FOUND if found.failures else FINE
    return print_result(
        {**to_builtins(found), **kept}, (*_proof_lines(found), *after), json=json, code=code
    )


class DemoProgress:
    """A callable for the parameter `watch` of DemoSession. It prints a progress line at most once a
    second, and one line when the messages without Loom would no longer fit the window. With `quiet`
    it prints nothing."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet, self._full = quiet, False
        self._next = time.monotonic() + SECOND

    def __call__(self, turn: Turn, so_far: DemoResult) -> None:
        """Print a line for the step that just ended, if a second has passed since the last line."""
        if self._quiet:
            return
        pressure, step = turn.pressure, f"step {so_far.steps:3}"
        if so_far.plain_full_at and not self._full:
            self._full = True
            over = f"{so_far.plain_tokens:,} tokens where {pressure.capacity:,} fit"
            print_line(f"{step}  without Loom: full at step {so_far.plain_full_at} ({over})")
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + SECOND
            print_line(
                f"{step}  a request of {pressure.tokens.total:,} tokens, {pressure.rho:.0%} full;"
                f" {so_far.tokens_read:,} read, {pressure.pages} texts on disk"
            )
        sys.stdout.flush()


def _proof_lines(found: DemoResult) -> Iterator[str]:
    """Yield the lines of the summary: figures, failures, and a heading for what to do next."""
    made = ", ".join(f"{name} {count} ×" for name, count in found.cuts.items())
    same = "the same" if found.sha256 == found.sha256_recovered else "NOT the same"
    full = f"full at step {found.plain_full_at}" if found.plain_full_at else "never full"
    rows = {
        "the session": f"{found.steps} steps in {found.seconds:.1f} s; {found.results} results,"
        f" {found.tokens_read:,} tokens of text",
        "the window": f"{found.window:,} tokens, {found.window - found.capacity:,} of them kept"
        " free for the reply",
        "with Loom": f"{found.turns} requests, the largest {found.peak_tokens:,} of"
        f" {found.capacity:,} tokens",
        "without Loom": f"{full}; the last request would have {found.plain_tokens:,} tokens",
        "made room": f"by {made}" if made else "never",
        **{f"  {name}": LEVELS.get(name, "") for name in found.cuts},
        "checked": f"{found.laws} rules at each request (within its size, calls with their"
        f" results, …): broken {found.broken} ×",
        "read again": f"{plural(found.read_again, 'time')} the agent asked for a text that had"
        " left the window",
        "brought back": f"{found.recovered} of {found.results} results, {found.bytes_recovered:,}"
        f" of {found.bytes_read:,} bytes, after the workspace was closed and opened again",
        "sha256, read": f"{found.sha256[:DIGITS]}…",
        "sha256, back": f"{found.sha256_recovered[:DIGITS]}…, {same}",
    }
    yield from ("", f"The proof: {'it failed' if found.failures else 'nothing was lost'}")
    for label, value in rows.items():
        yield from wrapped_lines(value, f"{INDENT}{label:<14}")
    for failure in found.failures:
        yield from wrapped_lines(f"failed: {failure}", INDENT)
    yield from ("", "What next")
