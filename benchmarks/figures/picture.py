"""`picture`: the size of a session's requests, with and without Loom, as SVG.

The session goes turn by turn through two windows: one of the size asked for, and one that never
fills, so that its requests are the whole history, as an agent sends it that removes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import loom
from benchmarks.options import CommandResult, FromOne, measuring
from loom.inputs import Session
from loom.replay.feed import replay
from loom.replay.importers import load
from loom_bench.errors import BadBench
from loom_bench.sessions.generate import session as generated

RECORDED = loom.Policy(own_tools=False)  # calls of Loom's tools were answered as it was recorded
ENDLESS = 10_000_000  # tokens of a window that no session of some hundred turns fills
WIDTH, HEIGHT = 720, 320  # of the picture, in pixels
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 52, 44  # between its edge and the axes
BESIDE = 150  # what the words above the line of the window take
INK, FAINT, PLAIN, OURS = "#24292f", "#d0d7de", "#c2410c", "#0f766e"


def sizes(session: Session, window: int, turns: int) -> list[int]:
    """Tokens of the first `turns` requests of a session in a window."""
    with (
        TemporaryDirectory(prefix="loom-picture-") as folder,
        loom.open(folder, window=window, durable=False, policy=RECORDED) as ctx,
    ):
        return [turn.pressure.tokens.total for turn in islice(replay(ctx, session), turns)]


def drawn(whole: Sequence[int], ours: Sequence[int], window: int, named: str) -> str:
    """The picture: both curves over turns, and the window as a line. `named`: what was replayed."""
    most = max(*whole, window) * 1.05
    right, low = WIDTH - RIGHT, HEIGHT - BOTTOM

    def x(turn: int) -> float:
        return round(LEFT + (right - LEFT) * turn / max(len(whole) - 1, 1), 1)

    def y(tokens: float) -> float:
        return round(low - (low - TOP) * tokens / most, 1)

    def curve(values: Sequence[int], colour: str) -> str:
        points = " ".join(f"{x(at)},{y(value)}" for at, value in enumerate(values))
        return f'<polyline fill="none" stroke="{colour}" stroke-width="2.5" points="{points}"/>'

    def text(at: float, down: float, said: str, colour: str = INK, side: str = "start") -> str:
        return f'<text x="{at}" y="{down}" fill="{colour}" text-anchor="{side}">{said}</text>'

    rules = (5_000, 10_000, 20_000, 50_000, 100_000, 10**9)
    step = next(at for at in rules if most / at <= 6)  # at most six lines across
    rows = [
        f'<line x1="{LEFT}" x2="{right}" y1="{y(at)}" y2="{y(at)}" stroke="{FAINT}"/>'
        + text(LEFT - 8, y(at) + 4, f"{at // 1000}k" if at else "0", side="end")
        for at in range(0, int(most), step)
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
            ' font-family="system-ui, sans-serif" font-size="12">',
            f"<title>Tokens of each request: {named}</title>",
            f'<rect width="{WIDTH}" height="{HEIGHT}" rx="8" fill="#f6f8fa"/>',
            f'<g font-size="14">{text(16, 26, f"Tokens of each request: {named}")}</g>',
            *rows,
            f'<line x1="{LEFT}" x2="{right}" y1="{y(window)}" y2="{y(window)}" stroke="{INK}"'
            ' stroke-dasharray="5 4"/>',
            text(right, y(window) - 6, f"window: {window:,} tokens", side="end"),
            curve(whole, PLAIN),
            curve(ours, OURS),
            text(x(len(whole) * 3 // 5) - 10, y(whole[len(whole) * 3 // 5]) - 8,
                 f"nothing removed: {whole[-1]:,} at the end", PLAIN, "end"),
            text(right - BESIDE, y(window) - 6, f"with Loom: {max(ours):,} at most", OURS, "end"),
            *(text(x(at - 1), low + 18, str(at), side="middle")
              for at in range(10, len(whole) + 1, 10)),
            text((LEFT + right) / 2, HEIGHT - 8, "request", side="middle"),
            "</svg>",
            "",
        ]
    )  # fmt: skip


@measuring
def picture(
    to: Path,
    *,
    session: Path | None = None,
    turns: FromOne = 60,
    window: FromOne = 32_000,
) -> CommandResult:
    """Draw the size of a session's requests with and without Loom, as an SVG file.

    Parameters
    ----------
    to
        The file to write.
    session
        A recorded session; without one, a generated one of a coding agent.
    turns
        How many of its requests.
    window
        Loom's window in tokens.
    """
    if to.suffix != ".svg" or not to.parent.is_dir():
        raise BadBench(f"{to}: give a file.svg in a folder that is there")
    one = load(session)[0] if session else generated(1, turns + 20, flavour="coding")
    whole, ours = sizes(one, ENDLESS, turns), sizes(one, window, turns)
    kind = "recorded" if session else "generated"
    named = f"{len(whole)} turns of a {kind} coding session"
    to.write_text(drawn(whole, ours, window, named), "utf-8")
    return CommandResult({"turns": len(whole), "whole": whole[-1], "loom_most": max(ours)})
