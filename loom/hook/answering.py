"""How a hook answers: it reads an event on stdin and prints an answer. It never fails.

The exit code is always 0: another code would be shown to the user, or stop a tool. An error is
written to stderr, which Claude Code shows on request, and to `hook.log` in Loom's folder."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from loom.hook.places import is_page_read, pages_line, session_workspace
from loom.hook.result_shapes import shaped_result

ABOVE = 6_000  # characters of a result; over these it goes on a page
LARGEST = 16_000_000  # characters: some seconds of work; what is larger is left to the client
LOG_BYTES = 1_000_000


def answer_event(above: int = ABOVE, *, dropped: bool = False) -> int:
    """Answer the event on stdin, and return 0 whatever happens. Results of more than `above`
    characters are shortened. With `dropped`, the model is told after a compaction which files the
    client's summary does not name."""
    try:
        if said := event_answer(_parse_event(sys.stdin.buffer.read()), above, dropped=dropped):
            sys.stdout.write(said)
            sys.stdout.flush()
    except BaseException as error:  # an interrupt as well: the tool has run, its result stands
        with suppress(BaseException):
            if isinstance(error, BrokenPipeError):  # or what is left is written, and fails, at exit
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            log_error(error)
    return 0


def _parse_event(data: bytes) -> object:
    """Return the event in the JSON bytes `data`. Raises BadInput."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        from loom.errors import BadInput  # the engine's: a small result waits for none of it

        raise BadInput(
            f"stdin holds no event of Claude Code ({error}): its hooks give one each;"
            " `loom hook --install` sets them up"
        ) from None


def event_answer(event: object, above: int = ABOVE, *, dropped: bool = False) -> str:
    """Return the text that the hook prints for an event, or "" if there is nothing to answer."""
    name = str(event.get("hook_event_name")) if isinstance(event, dict) else ""
    if not isinstance(event, dict) or name not in EVENTS:
        return ""
    made, field = EVENTS[name]
    said = made(event, above, dropped)
    if not said or not field:
        return str(said)
    return json.dumps({"hookSpecificOutput": {"hookEventName": name, field: said}})


def _shorten_result(given: dict[str, Any], above: int, _dropped: bool) -> object:
    """Put a large tool result on a page. Return the result in the tool's own format with a shorter
    text, or "" if the result stays as it is."""
    tool, asked = given.get("tool_name"), given.get("tool_input")
    if not isinstance(tool, str) or not isinstance(asked, dict):
        return ""
    found = shaped_result(tool, asked, given.get("tool_response"), given.get("transcript_path"))
    if found is None or not above < len(found.text) <= LARGEST:
        return ""
    place = session_workspace(given)
    if place is None or is_page_read(tool, asked, given.get("cwd")):
        return ""
    from loom.hook.sessions import put_on_page

    short = put_on_page(place, given, found.text, above, failed=found.failed)
    return found.replaced(short) if short else ""


def _session_start_text(given: dict[str, Any], above: int, dropped: bool) -> str:
    """Return the text for the model when a session starts: where its pages are or, after a
    compaction, what Loom holds of the session."""
    place = session_workspace(given)
    if place is None or given.get("source") != "compact":
        return pages_line(place)
    from loom.hook.sessions import text_after_compaction

    return text_after_compaction(place, given, above, dropped=dropped)


def _compaction_note(given: dict[str, Any], above: int, _dropped: bool) -> str:
    """Renew the window, since the client is about to compact its own. Return a line on where the
    pages are, for the client's summary instructions, or "" if there are no pages."""
    place = session_workspace(given)
    if place is not None:
        from loom.hook.sessions import renew_for_compaction

        renew_for_compaction(place, given, above)
    return pages_line(place)


# By event what answers it, and the member the answer stands in; a text by itself where there is
# none.
EVENTS: dict[str, tuple[Callable[[dict[str, Any], int, bool], object], str]] = {
    "PostToolUse": (_shorten_result, "updatedToolOutput"),
    "SessionStart": (_session_start_text, "additionalContext"),
    "PreCompact": (_compaction_note, ""),
}


def log_error(error: BaseException) -> None:
    """Write an error to stderr and to the file `hook.log`. A log of more than LOG_BYTES is begun
    anew."""
    from loom.disk import open_private_file
    from loom.home import session_folder
    from loom.redact import Redactor
    from loom.text import escape_invisible

    line = f"loom hook: {type(error).__name__}: {escape_invisible(Redactor()(str(error))[:500])}"
    print(line, file=sys.stderr)
    path = session_folder("hook").parent / "hook.log"
    full = path.exists() and path.stat().st_size > LOG_BYTES
    fresh = os.O_TRUNC if full else os.O_APPEND
    with os.fdopen(open_private_file(path, os.O_WRONLY | os.O_CREAT | fresh), "a") as file:
        file.write(f"{time.strftime('%Y-%m-%dT%H:%M:%S%z')} {line}\n")
