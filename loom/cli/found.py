"""The recorded sessions found on this machine: listed, and chosen from."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from msgspec import to_builtins

from loom.cli.columns import Sheet, aligned, width_for
from loom.cli.exits import BadUsage
from loom.cli.show import complain, console, emit, line, lines, prompt, sized
from loom.cli.styled import short
from loom.replay.finding import FoundSession, FoundSessions, recorded_sessions, titled

LISTED = 20  # newest sessions that are listed
HINT = "give --latest N or FILE"
QUESTION = "Which? A number, several (1 3 5-7), or all; nothing ends: "


def sessions(given: Sequence[Path], count: int | None, *, json: bool) -> list[Path] | None:
    """The places that are given, else the newest recorded sessions of this machine: so many, or
    those that are chosen from a list. None where nobody could be asked. Raises BadUsage."""
    if count is not None:
        if given:
            raise BadUsage(f"--latest {count}: give it, or FILE, not both")
        return latest(count)
    if (chosen := [*given] or asked(json=json)) is None:
        complain(HINT)
    return chosen


def latest(count: int, instead: str = "FILE") -> list[Path]:
    """The newest recorded sessions, at most `count`; BadUsage, which says what to give `instead`,
    when there is none."""
    if count < 1:
        raise BadUsage(f"--latest {count}: give 1 or more")
    return [one.path for one in _found(instead).sessions[:count]]


def asked(*, json: bool) -> list[Path] | None:
    """List the newest recorded sessions and ask which; None where nobody can be asked.

    That is off a terminal and with `json`, which prints the list as one object instead. BadUsage
    when no session is found or nothing is chosen.
    """
    found = _found()
    newest = [titled(one) for one in found.sessions[:LISTED]]
    older = len(found.sessions) - len(newest)
    if json:
        bad = [str(error) for error in found.unreadable]
        listed = {"found": to_builtins(newest, enc_hook=str), "older": older, "unreadable": bad}
        emit({"error": HINT, "kind": BadUsage.__name__, **listed})
        return None
    width = width_for(console())
    lines(table(newest, width))
    if older:
        line(short(f"… and {older:,} older (--latest N takes the newest N)", width))
    if found.unreadable:
        line(short(f"{len(found.unreadable):,} more cannot be read (--json says why)", width))
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return None
    return [newest[at].path for at in _answer(len(newest))]


def table(found: Sequence[FoundSession], width: int) -> list[str]:
    """A line for each session: number, tool, when it was last written to, size, title."""
    rows = tuple(
        (
            f"{at}",
            one.tool,
            time.strftime("%Y-%m-%d %H:%M", time.localtime(one.modified)),
            sized(one.bytes) if one.bytes else "-",
            one.title or one.path.name,
        )
        for at, one in enumerate(found, 1)
    )
    names = (">", "", "", ">", "")
    return [short(row, width) for row in aligned(Sheet(names, rows), width)[1:]]


def _answer(count: int) -> list[int]:
    """Ask until there is an answer: places in the list, from 0, each once."""
    while True:
        prompt(QUESTION)
        given = sys.stdin.readline()
        if not given.strip():
            raise BadUsage(f"no session was chosen; {HINT}")
        try:
            return chosen(given, count)
        except ValueError as error:
            line(f"{error}")


def chosen(given: str, count: int) -> list[int]:
    """The places an answer names, from 0; ValueError says what is wrong with it."""
    if given.strip().lower() == "all":
        return list(range(count))
    places: dict[int, None] = {}
    for part in re.split(r"[\s,]+", given.strip()):
        match = re.fullmatch(r"([0-9]{1,6})(?:-([0-9]{1,6}))?", part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not 1 <= first <= last <= count:
            raise ValueError(f"{part[:40]}: give numbers from 1 to {count}, or all")
        places |= dict.fromkeys(range(first - 1, last))
    return list(places)


def _found(instead: str = "FILE") -> FoundSessions:
    found = recorded_sessions(Path.home())
    if not found.sessions:
        raise BadUsage(
            "no sessions of Claude Code, Codex or opencode were found on this machine:"
            f" give {instead}"
        )
    return found
