"""Pages as a request or a cut may show them: one that is damaged or gone has a stand-in.

A request needs every page it shows, and a bad block on disk must not end a session. So whatever
makes requests, cuts them or compares with what stands in them reads here. What asks for one page
by name reads the workspace itself, and is told of the damage by an error.
"""

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
    """Every character of a text: from its page if it has one, else its body.

    Of an image or document it is the line that describes it.
    """
    if text.media is not None or (text.body is not None and is_payload_page(text.page)):
        return text.body or ""
    return workspace.whole(text.page) if text.page else text.body or ""


def stand_in(page: str, error: Exception, window: Window | None = None) -> StandIn:
    """The line for a page that cannot be read, and why. What is not the disk's is raised again.

    With the `window` that shows it, the line carries the mark, and says where the page came from.
    """
    check_disk(error)
    kinds = {CorruptPage: "damaged", MissingPage: "gone", Expired: "retired"}
    kind = kinds.get(type(error), "unreadable")
    return lost_page_text(
        page, kind, *((window.config.mark, _origin_hint(window, page)) if window else ())
    )


def _origin_hint(window: Window, page: str) -> str:
    """Where what a page held came from: what its call was about, where that is known."""
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
    """Reads the pages of a workspace for what is shown; it raises for none of them.

    `window` is the one they are shown in, None for the workspace's own, whichever that is then.
    """

    def __init__(self, workspace: Workspace, window: Window | None = None) -> None:
        self._workspace = workspace
        self._shown_in = window

    def show_in(self, window: Window) -> None:
        """Let what is read from here on be shown in another window."""
        self._shown_in = window

    @property
    def _window(self) -> Window:
        return self._workspace.window if self._shown_in is None else self._shown_in

    def __call__(self, page: str) -> str:
        """The text of a page as `Workspace.read` has it, or its stand-in."""
        try:
            return self._workspace.read(page)
        except UNREADABLE as error:
            return stand_in(page, error, self._window)

    def data(self, page: str) -> bytes | StandIn:
        """The bytes of a page, or its stand-in."""
        try:
            return self._workspace.pager.get(page)
        except UNREADABLE as error:
            return stand_in(page, error, self._window)

    def lost(self, page: str) -> StandIn | None:
        """The stand-in of a page that cannot be read, None for any other."""
        found = self.data(page)
        return found if isinstance(found, StandIn) else None


def readable_text(workspace: Workspace, text: Text) -> str:
    """Every character of a text; where its page cannot be read, what stands in the window."""
    try:
        return full_text(workspace, text)
    except UNREADABLE as error:
        return stand_in(text.page, error) if text.body is None else text.body
