"""Which exit code an error means, and how it is said: one line on stderr, JSON with `--json`."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from cyclopts import CycloptsError
from msgspec import MsgspecError

from loom.cli.show import addressed, complain, emit
from loom.text import visible

FINE, FOUND, BAD, INTERRUPTED, PIPE = 0, 1, 2, 130, 141


@cache
def codes() -> tuple[tuple[type[Exception], int], ...]:
    """Errors and their codes; the first line that fits decides. Damage is a finding; everything
    else is the caller's to mend. Imported when there is an error."""
    from loom.errors import BrokenLaw, CorruptJournal, CorruptPage, LoomError

    return (
        (CorruptPage, FOUND),
        (CorruptJournal, FOUND),
        (BrokenLaw, FOUND),
        (LoomError, BAD),
        (CycloptsError, BAD),
        (MsgspecError, BAD),  # a record this version does not know
        (OSError, BAD),
    )


def expected() -> tuple[type[Exception], ...]:
    """The errors that say what would be right; any other is a fault."""
    return tuple(kind for kind, _ in codes())


def told(error: Exception, given: Sequence[str] = (), *, as_json: bool) -> int:
    """Say an expected error of a command line and return its exit code."""
    text = addressed(text_of(error)) + visible(_instead(error, given))
    complain(text)
    if as_json:
        with suppress(OSError):  # what cannot be said on stdout was said on stderr
            emit({"error": text, "kind": type(error).__name__})
    return code_of(error)


def _instead(error: Exception, given: Sequence[str]) -> str:
    """The same command line for the newest workspace in a folder that is none; "" for others."""
    if isinstance(error, FileNotFoundError):
        from loom.session.archive.half_purged import no_workspace, workspaces_in

        for at, word in enumerate(given):
            path = Path(word)
            named = str(error).startswith(f"{path} is no workspace") and workspaces_in(path)
            if named and str(error) == no_workspace(path):
                return f": `{shlex.join(['loom', *given[:at], str(named[0]), *given[at + 1 :]])}`"
    return ""


def code_of(error: Exception) -> int:
    """The exit code of an error; that of a finding for one nobody expected."""
    return next((code for kind, code in codes() if isinstance(error, kind)), FOUND)


def text_of(error: Exception) -> str:
    """Return the text of an error on one line, without control characters."""
    return visible(" ".join(_text(error).split()))


def silenced() -> int:
    """The reader of stdout has gone: nothing more is written, not even at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return PIPE


def _text(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        named = f"{visible(str(error.filename))}: " if error.filename else ""
        return f"{named}{error.strerror}"
    return str(error)
