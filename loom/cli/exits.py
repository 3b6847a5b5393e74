"""How an error ends a command: its exit code, and its text as one line on stderr. With `--json`, a
JSON object with the text is printed too."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from cyclopts import CycloptsError
from msgspec import MsgspecError

from loom.cli.output import complain, print_json, with_addresses
from loom.text import escape_invisible

FINE, FOUND, BAD, INTERRUPTED, PIPE = 0, 1, 2, 130, 141


def is_expected(error: Exception) -> bool:
    """Return True for an error whose text tells the user how to correct it, False for a bug in
    Loom."""
    from loom.errors import LoomError

    # A record this version does not know is a MsgspecError.
    return isinstance(error, LoomError | CycloptsError | MsgspecError | OSError)


def exit_code(error: Exception) -> int:
    """Return the exit code for an error: FOUND (1) for damage and for a bug in Loom, BAD (2) for an
    error that the user can correct."""
    from loom.errors import BrokenLaw, CorruptJournal, CorruptPage

    damage = isinstance(error, CorruptPage | CorruptJournal | BrokenLaw)
    return FOUND if damage or not is_expected(error) else BAD


def report_error(error: Exception, given: Sequence[str], *, as_json: bool) -> int:
    """Print the error that ended a command, also as JSON if `as_json`, and return the exit code.
    `given` are the words of the command line."""
    text = with_addresses(error_text(error)) + escape_invisible(_suggested_command(error, given))
    complain(text)
    if as_json:
        with suppress(OSError):  # what cannot be said on stdout was said on stderr
            print_json({"error": text, "kind": type(error).__name__})
    return exit_code(error)


def _suggested_command(error: Exception, given: Sequence[str]) -> str:
    """Return a corrected command line, to append to an error about a folder that contains
    workspaces but is no workspace; else "". `given` are the words of the command line."""
    if isinstance(error, FileNotFoundError):
        from loom.session.archive.half_purged import no_workspace_message, workspaces_in

        for at, word in enumerate(given):
            path = Path(word)
            named = str(error).startswith(f"{path} is no workspace") and workspaces_in(path)
            if named and str(error) == no_workspace_message(path):
                return f": `{shlex.join(['loom', *given[:at], str(named[0]), *given[at + 1 :]])}`"
    return ""


def error_text(error: Exception) -> str:
    """Return the text of an error on one line, with control characters escaped."""
    text = str(error)
    if isinstance(error, OSError) and error.strerror:
        text = f"{escape_invisible(str(error.filename))}: " * bool(error.filename) + error.strerror
    return escape_invisible(" ".join(text.split()))
