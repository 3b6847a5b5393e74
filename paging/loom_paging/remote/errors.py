"""What goes wrong with a store that is elsewhere."""

from __future__ import annotations

from loom_paging.errors import PagingError, StoreReplaced


class StaleWriter(StoreReplaced):
    """Another writer took the store at `path` over: this one can write nothing any more.

    What it had not made durable is not in the store. Open it again to go on from what is there.
    """

    def __init__(self, path: str, holder: str) -> None:
        self.holder = holder
        super().__init__(path, f"{holder} took it over; open it again to go on from there")


class StoreUnreachable(PagingError):
    """The object store at `place` did not answer in time, or refused; `why` says what it said.

    What was to be written may have arrived or not: the next write finds out, and doubles nothing.
    """

    def __init__(self, place: str, doing: str, why: str) -> None:
        self.place, self.doing, self.why = place, doing, why
        super().__init__(
            f"{place}: cannot {doing}: {why}; nothing is lost here: try the call again, or open the"
            " workspace again once the store answers"
        )

    def __reduce__(self) -> tuple[type[StoreUnreachable], tuple[str, str, str]]:
        return type(self), (self.place, self.doing, self.why)
