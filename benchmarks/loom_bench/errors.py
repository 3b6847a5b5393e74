"""What the kit refuses."""

from __future__ import annotations

from loom.errors import LoomError


class BadBench(LoomError):
    """A scenario, strategy, judge or report of the kit of context pressure cannot be used.

    The message says which and why. Nothing was run.
    """
