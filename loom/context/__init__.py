"""The live object a host drives, and what it offers, a file for each kind of door."""

from loom.context.context import Context

__all__ = ["Context"]
