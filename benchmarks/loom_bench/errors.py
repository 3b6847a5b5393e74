"""What the kit refuses, and what parts of others raise, in words."""

from __future__ import annotations

from loom.cli.scratch import is_by_signal
from loom.errors import LoomError


class BadBench(LoomError):
    """A scenario, strategy, judge or report of the kit of context pressure cannot be used.

    The message says which and why. Nothing was run.
    """


# Everything: `sys.exit` in a strategy ends that strategy, not the harness.
RAISES = (BaseException,)
SAID = 300  # characters that are told of an error


class InterruptsHere:
    """Whether Ctrl-C reaches this process. It does not reach a worker: there, a KeyboardInterrupt
    is one that a strategy raised."""

    reach = True


def said_of(error: BaseException) -> str:
    """An error as it is told: its type and the beginning of its text.

    What a signal or Ctrl-C raised is raised again: it is no fault of what was run.
    """
    if is_by_signal(error):
        raise error
    if isinstance(error, KeyboardInterrupt) and InterruptsHere.reach:
        raise error
    try:
        text = str(error)
    except RAISES:  # an error that cannot say what it is
        text = "it has no text"
    text = text[:SAID].encode("utf-8", "replace").decode()
    return f"{type(error).__name__}: {text}"
