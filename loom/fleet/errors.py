"""The error of a worker that died, and how errors of work are put into words."""

from __future__ import annotations

from concurrent.futures import BrokenExecutor

from loom.errors import LoomError


class WorkerDied(LoomError, BrokenExecutor):
    """The worker that was at some work ended before it answered; `cause` says how.

    What the work had made durable by then is in its store; the rest of it was not done.
    """

    def __init__(self, cause: str) -> None:
        self.cause = cause
        super().__init__(f"its worker died: {cause}")


def said(error: BaseException) -> str:
    """An error as it is told: its type and its text, or that it can say none."""
    try:
        text = str(error)
    except (Exception, SystemExit):  # work's own class: it ends no map
        text = "it has no text"
    return f"{type(error).__name__}: {text}"
