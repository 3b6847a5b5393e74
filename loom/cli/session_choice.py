"""Recorded sessions of coding agents on this machine: list them, and let the user choose some."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from msgspec import to_builtins

from loom.cli.output import (
    bytes_text,
    complain,
    console,
    fill_width,
    print_json,
    print_line,
    print_lines,
    prompt,
    shorten,
)
from loom.cli.text_tables import aligned_rows
from loom.errors import BadInput
from loom.replay.finding import FoundSessions, recorded_sessions, with_title

LISTED = 20  # newest sessions that are listed
HINT = "give --latest N or FILE"
QUESTION = "Which? A number, several (1 3 5-7), or all; nothing ends: "


def chosen_sessions(given: Sequence[Path], count: int | None, *, json: bool) -> list[Path] | None:
    """Return the session files to work on: the `given` files, the newest `count` recorded sessions,
    or files that the user picks from a list. Return None if nobody can be asked. Raises BadInput.
    """
    if count is not None:
        if given:
            raise BadInput(f"--latest {count}: give it, or FILE, not both")
        return latest_sessions(count)
    if (chosen := [*given] or _ask_for_sessions(json=json)) is None:
        complain(HINT)
    return chosen


def latest_sessions(count: int, instead: str = "FILE") -> list[Path]:
    """Return the files of the newest recorded sessions, at most `count`. Raises BadInput, which
    suggests the argument `instead`, if there are none."""
    if count < 1:
        raise BadInput(f"--latest {count}: give 1 or more")
    return [one.path for one in _recorded_sessions(instead).sessions[:count]]


def _recorded_sessions(instead: str) -> FoundSessions:
    """Return the recorded sessions on this machine. Raises BadInput, which suggests the argument
    `instead`, if there are none."""
    found = recorded_sessions(Path.home())
    if not found.sessions:
        raise BadInput(
            "no sessions of Claude Code, Codex or opencode were found on this machine:"
            f" give {instead}"
        )
    return found


def _ask_for_sessions(*, json: bool) -> list[Path] | None:
    """List the newest recorded sessions and ask the user which to take. Return their files.

    Return None if stdin or stdout is no terminal, or if `json` is True; the list is then printed as
    one JSON object."""
    found = _recorded_sessions("FILE")
    newest = [with_title(one) for one in found.sessions[:LISTED]]
    older = len(found.sessions) - len(newest)
    if json:
        bad = [str(error) for error in found.unreadable]
        listed = {"found": to_builtins(newest, enc_hook=str), "older": older, "unreadable": bad}
        print_json({"error": HINT, "kind": BadInput.__name__, **listed})
        return None
    width = fill_width(console())
    rows = [
        (
            f"{number}",
            one.tool,
            time.strftime("%Y-%m-%d %H:%M", time.localtime(one.modified)),  # last written to
            bytes_text(one.bytes) if one.bytes else "-",
            one.title or one.path.name,
        )
        for number, one in enumerate(newest, 1)
    ]
    told = aligned_rows((">", "", "", ">", ""), rows, width)[1:]
    if older:
        told.append(f"… and {older:,} older (--latest N takes the newest N)")
    if found.unreadable:
        told.append(f"{len(found.unreadable):,} more cannot be read (--json says why)")
    print_lines(shorten(text, width) for text in told)
    while sys.stdin.isatty() and sys.stdout.isatty():
        prompt(QUESTION)
        answer = sys.stdin.readline()
        if not answer.strip():
            raise BadInput(f"no session was chosen; {HINT}")
        try:
            return [newest[at].path for at in parse_choice(answer, len(newest))]
        except ValueError as error:
            print_line(f"{error}")
    return None


def parse_choice(given: str, count: int) -> list[int]:
    """Return the list indexes (from 0) that an answer names: "1 3 5-7" → [0, 2, 4, 5, 6]. "all"
    means all `count` indexes. Raises ValueError, whose text says what is wrong."""
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
