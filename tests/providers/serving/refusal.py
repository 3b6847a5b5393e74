"""What a provider answers to a request that it does not take."""

from __future__ import annotations

from typing import Any


class Refusal(Exception):
    """A request the provider refuses: an HTTP status and the body of its error."""

    def __init__(self, status: int, body: dict[str, Any] | str) -> None:
        self.status = status
        self.body = body
        super().__init__(f"{status} {body}")
