"""`picture`: the size of a session's requests, with and without Loom, as SVG."""

from __future__ import annotations

from pathlib import Path

from benchmarks.measures.cost.picture import ENDLESS, drawn, sizes
from benchmarks.options import FromOne, Json, refuse
from benchmarks.show import end
from loom.replay.importers import load
from loom.replay.importers.unreadable import BadSession
from loom_bench.sessions.generate import session as generated


def picture(
    to: Path,
    *,
    session: Path | None = None,
    turns: FromOne = 60,
    window: FromOne = 32_000,
    json: Json = False,
) -> int:
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
        return refuse(f"{to}: give a file.svg in a folder that is there")
    try:
        one = load(session)[0] if session else generated(1, turns + 20, flavour="coding")
    except BadSession as error:
        return refuse(f"--session: {error}")
    whole, ours = sizes(one, ENDLESS, turns), sizes(one, window, turns)
    kind = "recorded" if session else "generated"
    named = f"{len(whole)} turns of a {kind} coding session"
    to.write_text(drawn(whole, ours, window, named), "utf-8")
    end({"turns": len(whole), "whole": whole[-1], "loom_most": max(ours)}, [])
    return 0
