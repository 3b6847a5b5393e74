"""Every request, in every format, against what its provider accepts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

from loom.providers.formats import FORMATS
from loom.replay.audit.misplaced_texts import NO_MODEL
from loom.session.turn import Turn
from loom_bench.laws import Laws
from loom_bench.laws.bound import Bound


class RequestTypes(Protocol):
    """A provider's own request types."""

    def refused(self, request: Mapping[str, Any]) -> list[str]:
        """Return what the types do not accept, in words."""


class Lawful:
    """The providers' rules, for the requests of one session in order.

    `types(format)` makes a check of a provider's own types, when there is one.
    """

    def __init__(self, types: Callable[[str], RequestTypes] | None = None) -> None:
        self._laws = {format: (Laws(format), Bound(format)) for format in FORMATS}
        self._types = {format: types(format) for format in FORMATS} if types else {}

    def check(self, turn: Turn) -> Iterator[tuple[str, str]]:
        """(law, what is wrong) of one request."""
        for format, (laws, bound) in self._laws.items():
            request = turn.request(format, model=turn.model or NO_MODEL)
            yield from (("orphans", f"{format}: {line}") for line in laws.check(request))
            yield from (("unbound", f"{format}: {line}") for line in bound.check(request))
            if self._types:
                refused = self._types[format].refused(request)
                yield from (("mistyped", f"{format}: {line}") for line in refused)
