"""One event in, one answer out: what a hook reads, what it prints, and that it never fails.

The exit code is 0 whatever happens: another one would be shown to the user, or stop a tool. What
went wrong stands on stderr, which Claude Code shows on request, and in `hook.log` in Loom's folder.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from loom.hook.places import pages_in, place_of, reads_pages
from loom.hook.shapes import shaped

ABOVE = 6_000  # characters of a result; over these it goes on a page
LARGEST = 16_000_000  # characters: some seconds of work; what is larger is left to the client
LOG_BYTES = 1_000_000


def answer(above: int = ABOVE, *, dropped: bool = False) -> int:
    """Answer the event on stdin, and return 0 whatever comes of it.

    Results over `above` characters are shortened; with `dropped` the model is told after a
    compaction which files the summary does not name.
    """
    try:
        if said := answered(_event(sys.stdin.buffer.read()), above, dropped=dropped):
            sys.stdout.write(said)
            sys.stdout.flush()
    except BaseException as error:  # an interrupt as well: the tool has run, its result stands
        with suppress(BaseException):
            if isinstance(error, BrokenPipeError):  # or what is left is written, and fails, at exit
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            told(error)
    return 0


def _event(data: bytes) -> object:
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        from loom.errors import BadInput  # the engine's: a small result waits for none of it

        raise BadInput(
            f"stdin holds no event of Claude Code ({error}): its hooks give one each;"
            " `loom hook --install` sets them up"
        ) from None


def answered(event: object, above: int = ABOVE, *, dropped: bool = False) -> str:
    """What to print for an event, "" for nothing; events of other kinds, or that miss what they
    should have, are answered with nothing."""
    name = str(event.get("hook_event_name")) if isinstance(event, dict) else ""
    if not isinstance(event, dict) or name not in EVENTS:
        return ""
    made, field = EVENTS[name]
    said = made(event, above, dropped)
    if not said or not field:
        return str(said)
    return json.dumps({"hookSpecificOutput": {"hookEventName": name, field: said}})


def _shortened(given: dict[str, Any], above: int, _dropped: bool) -> object:
    """Put a large result on a page: the result of the tool's shape with a short form in it."""
    tool, asked = given.get("tool_name"), given.get("tool_input")
    if not isinstance(tool, str) or not isinstance(asked, dict):
        return ""
    found = shaped(tool, asked, given.get("tool_response"), given.get("transcript_path"))
    if found is None or not above < len(found.text) <= LARGEST:
        return ""
    place = place_of(given)
    if place is None or reads_pages(tool, asked, given.get("cwd")):
        return ""
    from loom.hook.sessions import paged

    short = paged(place, given, found.text, above, failed=found.failed)
    return found.replaced(short) if short else ""


def _started(given: dict[str, Any], above: int, dropped: bool) -> str:
    """Tell a conversation that was compacted what is held, one that resumes where its pages are."""
    place = place_of(given)
    if place is None or given.get("source") != "compact":
        return pages_in(place)
    from loom.hook.sessions import compacted

    return compacted(place, given, above, dropped=dropped)


def _compacting(given: dict[str, Any], above: int, _dropped: bool) -> str:
    """Write a line that joins the instructions for the summary: which pages can still be read."""
    place = place_of(given)
    if place is not None:
        from loom.hook.sessions import compacting

        compacting(place, given, above)
    return pages_in(place)


# By event what answers it, and the member the answer stands in; a text by itself where there is
# none.
EVENTS: dict[str, tuple[Callable[[dict[str, Any], int, bool], object], str]] = {
    "PostToolUse": (_shortened, "updatedToolOutput"),
    "SessionStart": (_started, "additionalContext"),
    "PreCompact": (_compacting, ""),
}


def told(error: BaseException) -> None:
    """Say an error on stderr and in the log, which begins anew when it has grown long."""
    from loom.disk import private_file
    from loom.home import folder
    from loom.redact import Redactor
    from loom.text import visible

    line = f"loom hook: {type(error).__name__}: {visible(Redactor()(str(error))[:500])}"
    print(line, file=sys.stderr)
    path = folder("hook").parent / "hook.log"
    full = path.exists() and path.stat().st_size > LOG_BYTES
    fresh = os.O_TRUNC if full else os.O_APPEND
    with os.fdopen(private_file(path, os.O_WRONLY | os.O_CREAT | fresh), "a") as file:
        file.write(f"{time.strftime('%Y-%m-%dT%H:%M:%S%z')} {line}\n")
