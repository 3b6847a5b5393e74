"""The engine under a Context: inputs become commits, pressure cuts, windows turns."""

from loom.session.engine import Engine

__all__ = ["Engine"]
