"""What an adapter cannot do is said by an error, before anything is asked or taken in."""

from __future__ import annotations

from loom.errors import LoomError


class UnsupportedRun(LoomError, ValueError):
    """A run of an agent framework uses `what`, which its adapter cannot keep; `advice` is what to
    do instead. Nothing was sent, and nothing taken in."""

    def __init__(self, what: str, advice: str) -> None:
        self.what, self.advice = what, advice
        super().__init__(f"{what}: {advice}")

    def __reduce__(self) -> tuple[type[UnsupportedRun], tuple[str, str]]:
        return type(self), (self.what, self.advice)
