"""Errors of long-term memory; none of them harms anything stored.

LongTermError
├── BadMemory       a memory that cannot be saved as it was given
├── ClosedStore     a call on a closed store
├── BusyStore       another process has the store, longer than one was willing to wait
├── ReadOnlyStore   a write to a store that may only be read
├── CorruptStore    bytes that are not what was stored
├── NewerStore      a store that a later version of Loom wrote
└── FailedStore     the system refused; the message is its own
"""

from __future__ import annotations

from loom.errors import LoomError


class LongTermError(LoomError):
    """Base of the errors of long-term memory."""


class BadMemory(LongTermError, ValueError):
    """A memory that cannot be saved, or a time or limit that cannot be used; nothing was stored."""


class ClosedStore(LongTermError):
    """The store was closed."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} is closed: open_longterm it again to go on")


class BusyStore(LongTermError):
    """Another process has the store."""

    def __init__(self, path: str, seconds: float) -> None:
        super().__init__(
            f"{path} is in use by another process and did not come free in {seconds:g} s; nothing"
            " was changed: try again, or close it there"
        )


class ReadOnlyStore(LongTermError):
    """The store may only be read."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path} may only be read; nothing was changed: give its owner the right to write, or"
            " copy it to where you have it"
        )


class CorruptStore(LongTermError):
    """Bytes that are not what was stored, or never were a store; they stay as they are."""

    def __init__(self, path: str, why: str) -> None:
        self.why = why
        super().__init__(
            f"{path} cannot be read as long-term memory ({why}); it was left as it is: restore it"
            " from a backup, or move it away and a new one is made"
        )


class NewerStore(LongTermError):
    """A store that a later version of Loom wrote."""

    def __init__(self, path: str, version: int, known: int) -> None:
        self.version = version
        super().__init__(
            f"{path} has version {version} and this Loom knows {known}; it was left as it is:"
            " update loom-window to open it"
        )


class FailedStore(LongTermError):
    """The system refused to read or write, as when a disk is full."""

    def __init__(self, path: str, why: str) -> None:
        self.why = why
        super().__init__(
            f"{path}: {why}; what was acknowledged is kept: put that right, then call again"
        )
