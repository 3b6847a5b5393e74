"""Errors of long-term memory; none of them harms anything stored."""

from __future__ import annotations

from loom.errors import NewerWorkspace, PagingError, StoreLocked, StoreUnreachable


def busy_store(path: str, seconds: float) -> StoreLocked:
    """The error where another process has the store, longer than one was willing to wait."""
    said = (
        f"{path} is in use by another process and did not come free in {seconds:g} s; nothing"
        " was changed: try again, or close it there"
    )
    return StoreLocked(path, "another process", said)


def read_only_store(path: str) -> StoreUnreachable:
    """The error for a write to a store that may only be read."""
    hint = "give its owner the right to write, or copy it to where you have it"
    return StoreUnreachable(path, "write", "it may only be read", hint)


def corrupt_store(path: str, why: str) -> PagingError:
    """The error for bytes that are not what was stored, or never were a store."""
    return PagingError(
        f"{path} cannot be read as long-term memory ({why}); it was left as it is: restore it"
        " from a backup, or move it away and a new one is made"
    )


def newer_store(path: str, version: int, known: int) -> NewerWorkspace:
    """The error for a store that a later version of Loom wrote."""
    return NewerWorkspace(
        f"{path} has version {version} and this Loom knows {known}; it was left as it is:"
        " update loom-window to open it",
        version,
    )


def failed_store(path: str, why: str) -> PagingError:
    """The error where the system refused to read or write, as when a disk is full."""
    return PagingError(
        f"{path}: {why}; what was acknowledged is kept: put that right, then call again"
    )
