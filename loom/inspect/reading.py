"""`loom.read`: a workspace read without its lock, while another process may write it."""

from __future__ import annotations

from functools import cached_property
from os import PathLike
from pathlib import Path

from msgspec import Struct

from loom.context.opening_arguments import checked_opening_arguments
from loom.errors import BadInput
from loom.inspect.remade_requests import request_at
from loom.inspect.requests import folded_requests, request_bill
from loom.providers.prices import MILLION, prices_of
from loom.session.archive.page_in_by_name import slice_by_name
from loom.session.archive.recall import recall
from loom.session.archive.workspace import Workspace
from loom.session.meter import model_of
from loom.session.pressure import Pressure, pressure_of
from loom.session.turn import Turn
from loom_paging import Slice, Store
from loom_paging.remote.address import is_valid_address
from loom_partitions.window import Window


class Usage(Struct, frozen=True):
    """Token counts summed over all requests of a session, and an estimate of their price.

    `sent` are all tokens sent. `cached` of them were also at the front of the previous request, so
    the provider could read them from its prompt cache. `largest` is the size of the largest
    request. The provider's counts are used where reported, else Loom's. `replied` are the tokens of
    all replies as Loom counts, without reasoning that a provider keeps to itself. `dollars` is
    computed from the model's list prices (`loom.providers.prices`)."""

    requests: int
    sent: int
    cached: int
    largest: int
    replied: int
    dollars: float


class ReadWorkspace:
    """A workspace as `loom.read` found it, without what is committed later."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def __repr__(self) -> str:
        return f"<loom.read turn {self.window.sent.turn}: {self.pressure}>"

    @property
    def window(self) -> Window:
        """The window as of the last commit."""
        return self._workspace.window

    @property
    def pressure(self) -> Pressure:
        """How full a request made now would be."""
        return pressure_of(self.window, self._workspace.pages)

    @cached_property
    def usage(self) -> Usage:
        """Token counts over all requests. The first access reads the whole journal."""
        fold, prices = folded_requests(self._workspace), prices_of(model_of(self.window))
        bill = request_bill(fold.rows)
        dollars = bill.cost(prices) + prices.output * fold.replied / MILLION
        return Usage(bill.calls, bill.sent, bill.reused, bill.peak, fold.replied, round(dollars, 6))

    def turn(self, number: int | None = None) -> Turn:
        """Return request `number` as it was sent; None means the last request. Raises BadInput."""
        return request_at(self._workspace, number).turn

    def page_in(self, ref: str, **ways: str) -> Slice:
        """Return a page or an entry, whole or the part that `lines`, `grep` or `pointer` selects,
        as in `Context.page_in`. Raises MissingPage, CorruptPage, BadInput."""
        return slice_by_name(self._workspace, ref, None, **ways)[0]

    def recall(self, query: str, chars: int = 4_000) -> str:
        """Return the passages that best match a query's words, in at most `chars` characters."""
        return recall(self._workspace, query, chars)[0]


def read(path: str | PathLike[str] | Store) -> ReadWorkspace:
    """Return a workspace, given by folder, address or store, for reading only: no lock is taken.

        >>> with loom.open("memory://read") as ctx:
        ...     name = ctx.user("Mend the parser.")
        >>> loom.read("memory://read").page_in(name).text
        'Mend the parser.'

    Another process may write the workspace meanwhile: call `read` again to see newer commits.
    Raises FileNotFoundError where there is no workspace, BadInput for an empty workspace or a
    `path` of another type, CorruptJournal, and PagingError while a purge is unfinished."""
    checked_opening_arguments("read", {"path": path})
    if isinstance(path, str) and is_valid_address(path):
        from loom_paging.remote.open_address import open_tree

        found = Workspace(open_tree(path, write=False), write=False)
    elif isinstance(path, str | PathLike):
        found = Workspace.at_path(Path(path), write=False)
    else:
        found = Workspace(path, write=False)
    if not found.commits:
        raise BadInput(f"{path}: this workspace holds nothing yet; open it with loom.open first")
    return ReadWorkspace(found)
