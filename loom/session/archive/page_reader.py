"""Pages as a request or a cut shows them: where a page is damaged or missing, a line stands in.

A request needs every page it shows, and a bad block on disk must not end a session. So the code
that makes requests, cuts them or compares texts with them reads pages by `PageReader`. A caller
that asks for one page by name reads the workspace itself, and gets an error for a damaged page."""

from __future__ import annotations

from loom.providers.media import is_payload_page
from loom.providers.render.neutral import neutral
from loom.providers.render.standin import StandIn
from loom.providers.render.wording import AGAIN, ASK, FROM, lost_page_text
from loom.session.archive.workspace import Workspace
from loom.text import one_line
from loom_paging import CorruptPage, Expired, MissingPage, OutsideStore, check_disk
from loom_partitions.message import Step, Text, UserTurn
from loom_partitions.window import Window

SOURCE = 100  # characters
UNREADABLE = (CorruptPage, MissingPage, OutsideStore, OSError)


SOURCES = tuple(FROM)  # arguments that name what a page was made of


def full_text(workspace: Workspace, text: Text) -> str:
    """Return a text in full; for an image or document, the line that describes it. Raises the
    errors of `Workspace.whole`."""
    if text.media is not None or (text.body is not None and is_payload_page(text.page)):
        return text.body or ""
    return workspace.whole(text.page) if text.page else text.body or ""


def stand_in(page: str, error: Exception, window: Window | None = None) -> StandIn:
    """Return a line to show in place of an unreadable page. It names the page and says why. A
    TimeoutError that does not come from the disk is raised again.

    If `window` is given, the line begins with the mark of Loom's own lines and says how to get the
    content again."""
    check_disk(error)
    kinds = {CorruptPage: "damaged", MissingPage: "gone", Expired: "retired"}
    kind = kinds.get(type(error), "unreadable")
    return lost_page_text(
        page, kind, *((window.config.mark, _origin_hint(window, page)) if window else ())
    )


def _origin_hint(window: Window, page: str) -> str:
    """Return words that say how the model can get a page's content again, such as by repeating a
    call."""
    for entry in window.history.stream.entries_back:
        if isinstance(entry, UserTurn) and entry.text.page == page:
            return ASK
        for outcome in entry.outcomes if isinstance(entry, Step) else ():
            if page in (outcome.text.page, outcome.reduction.outcome_ref):
                args = outcome.reduction.minimal_args
                key = next((key for key in SOURCES if args.get(key)), "")
                if not key:
                    return AGAIN
                source = neutral(one_line(str(args[key]), SOURCE), window.config.mark)
                return FROM[key].format(source=source)
    return AGAIN


class PageReader:
    """Reads a workspace's pages for requests and cuts. For an unreadable page a stand-in line is
    returned and no error raised.

    `window` is the window that shows the pages, None for the workspace's current window."""

    def __init__(self, workspace: Workspace, window: Window | None = None) -> None:
        self._workspace = workspace
        self._shown_in = window

    def show_in(self, window: Window) -> None:
        """Set the window that shows the pages to be read from now on."""
        self._shown_in = window

    @property
    def _window(self) -> Window:
        return self._workspace.window if self._shown_in is None else self._shown_in

    def __call__(self, page: str) -> str:
        """Return the text of a page as `Workspace.read` does; for an unreadable page a stand-in
        line."""
        try:
            return self._workspace.read(page)
        except UNREADABLE as error:
            return stand_in(page, error, self._window)

    def data(self, page: str) -> bytes | StandIn:
        """Return the bytes of a page; for an unreadable page a stand-in line."""
        try:
            return self._workspace.pager.get(page)
        except UNREADABLE as error:
            return stand_in(page, error, self._window)

    def lost(self, page: str) -> StandIn | None:
        """Return the stand-in line of an unreadable page; None for a page that can be read."""
        found = self.data(page)
        return found if isinstance(found, StandIn) else None


def readable_text(workspace: Workspace, text: Text) -> str:
    """Return a text in full. For an unreadable page return the shortened form that the window
    shows, or a stand-in line."""
    try:
        return full_text(workspace, text)
    except UNREADABLE as error:
        return stand_in(text.page, error) if text.body is None else text.body
