"""The engine under a Context: inputs become commits, pressure cuts, windows turns."""

from loom.engine.engine import Engine, policy_of

__all__ = ["Engine", "policy_of"]
