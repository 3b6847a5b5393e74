"""Keys pressed while a command draws on the terminal, read as they come."""

from __future__ import annotations

import os
import select
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# Waits so many seconds, or less when a key is pressed: what was typed, "" for nothing.
Pressed = Callable[[float], str]


@contextmanager
def pressed_keys() -> Iterator[Pressed]:
    """Read keys from the terminal of stdin, unechoed and without a newline, until the end.

    The terminal is given back as it was. Where stdin is none, or the platform has no `termios`,
    nothing is ever pressed.
    """
    try:
        import termios
        import tty
    except ImportError:
        yield _nothing
        return
    try:
        keyboard = sys.stdin.fileno()
        before = termios.tcgetattr(keyboard)
    except (OSError, ValueError, termios.error):  # no stdin, or none that is a terminal
        yield _nothing
        return

    def pressed(seconds: float) -> str:
        ready, _, _ = select.select([keyboard], [], [], seconds)
        if not ready:
            return ""
        typed = os.read(keyboard, 64).decode("utf-8", "replace")
        if not typed:  # the terminal is gone: it would be ready for ever
            return _nothing(seconds)
        return typed

    tty.setcbreak(keyboard, termios.TCSADRAIN)
    try:
        yield pressed
    finally:
        termios.tcsetattr(keyboard, termios.TCSADRAIN, before)


def _nothing(seconds: float) -> str:
    time.sleep(seconds)
    return ""
