"""What an adapter cannot do is said by an error, before anything is asked or taken in."""

from __future__ import annotations

from loom.errors import BadInput


def unsupported(what: str, advice: str) -> BadInput:
    """The error for a run of an agent framework that uses what its adapter cannot keep."""
    return BadInput(f"{what}: {advice}")
