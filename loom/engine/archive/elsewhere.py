"""Pages of a session that is carried on from, where they did not come along."""

from __future__ import annotations

from loom.engine.archive.workspace import Workspace
from loom.lazy import lazy_re
from loom_paging import MissingPage

NUMBER = lazy_re(r"(?:.*/)?[a-z0-9-]+_(\d{1,15})(?:\.[a-z0-9]+)*")
EARLIER = "outputs/earlier_"
ADVICE = (
    "it is of the session this one carries on from, rests in that session's workspace and did not"
    " come along; what that session left is in {page}"
)


def named(workspace: Workspace, ref: str) -> str:
    """The name of the page a model or host means.

    Raises MissingPage, which of a page of an earlier session says that it is of that one.
    """
    try:
        return workspace.pager.resolve(ref).name
    except MissingPage as error:
        match = NUMBER.fullmatch(ref.strip())
        left = [name for name in workspace.pager.table if name.startswith(EARLIER)]
        if match is None or not left:
            raise
        page = max(left, key=_number)
        if int(match[1]) >= _number(page):
            raise
        raise MissingPage(error.name, error.where, ADVICE.format(page=page)) from None


def _number(name: str) -> int:
    match = NUMBER.fullmatch(name)
    return int(match[1]) if match else 0
