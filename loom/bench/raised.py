"""What a part of somebody else's raises, so that the others go on and it is told by its name."""

from __future__ import annotations

# `sys.exit` in a strategy ends that strategy, not the harness.
RAISES = (Exception, SystemExit)
SAID = 300  # characters that are told of an error


def said_of(error: BaseException) -> str:
    """An error as it is told: its type and the beginning of its text.

    A subclass of SystemExit is raised again: by one, a command leaves that a signal ends.
    """
    if isinstance(error, SystemExit) and type(error) is not SystemExit:
        raise error
    try:
        text = str(error)
    except Exception:  # an error that cannot say what it is
        text = "it has no text"
    text = text[:SAID].encode("utf-8", "replace").decode()
    return f"{type(error).__name__}: {text}"
