"""How errors of work are put into words."""

from __future__ import annotations


def said(error: BaseException) -> str:
    """An error as it is told: its type and its text, or that it can say none."""
    try:
        text = str(error)
    except (Exception, SystemExit):  # work's own class: it ends no map
        text = "it has no text"
    return f"{type(error).__name__}: {text}"
