"""The engine under a Context: inputs become commits, pressure cuts, windows turns."""

from loom.engine.engine import Engine

__all__ = ["Engine"]
