"""The live object a host drives (`Loop`), and what it offers: a file for each namespace and each
kind of call."""

from loom.context.context import Loop

__all__ = ["Loop"]
