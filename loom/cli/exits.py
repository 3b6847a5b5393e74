"""Which exit code an error means, and how it is said: one line on stderr, JSON with `--json`."""

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
    """True for an error that says what would be right; any other is a fault."""
    from loom.errors import LoomError

    # A record this version does not know is a MsgspecError.
    return isinstance(error, LoomError | CycloptsError | MsgspecError | OSError)


def exit_code(error: Exception) -> int:
    """The exit code of an error. Damage is a finding, and so is what nobody expected; everything
    else is the caller's to mend."""
    from loom.errors import BrokenLaw, CorruptJournal, CorruptPage

    damage = isinstance(error, CorruptPage | CorruptJournal | BrokenLaw)
    return FOUND if damage or not is_expected(error) else BAD


def report_error(error: Exception, given: Sequence[str], *, as_json: bool) -> int:
    """Say an expected error of a command line and return its exit code."""
    text = with_addresses(error_text(error)) + escape_invisible(_suggested_command(error, given))
    complain(text)
    if as_json:
        with suppress(OSError):  # what cannot be said on stdout was said on stderr
            print_json({"error": text, "kind": type(error).__name__})
    return exit_code(error)


def _suggested_command(error: Exception, given: Sequence[str]) -> str:
    """The same command line for the newest workspace in a folder that is none; "" for others."""
    if isinstance(error, FileNotFoundError):
        from loom.session.archive.half_purged import no_workspace_message, workspaces_in

        for at, word in enumerate(given):
            path = Path(word)
            named = str(error).startswith(f"{path} is no workspace") and workspaces_in(path)
            if named and str(error) == no_workspace_message(path):
                return f": `{shlex.join(['loom', *given[:at], str(named[0]), *given[at + 1 :]])}`"
    return ""


def error_text(error: Exception) -> str:
    """Return the text of an error on one line, without control characters."""
    text = str(error)
    if isinstance(error, OSError) and error.strerror:
        text = f"{escape_invisible(str(error.filename))}: " * bool(error.filename) + error.strerror
    return escape_invisible(" ".join(text.split()))
