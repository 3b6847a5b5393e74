"""The live object a host drives, and what it offers, a file for each kind of door."""

from loom.context.context import Loop

__all__ = ["Loop"]
