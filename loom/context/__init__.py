"""The live object a host drives (`Loop`), and its offers: a file per namespace and kind of call."""

from loom.context.context import Loop

__all__ = ["Loop"]
