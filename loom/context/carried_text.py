"""The observation that tells a new session of the session it carries on from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loom.session.archive.snapshot_document import Snapshot
from loom.session.snapshots import BEFORE, WHOLE
from loom.text import one_line

NAMED = 3  # pages that could not be copied, by name
PLACE = 300  # characters of a folder
OPENING = "Carried on from another session: generation {generation}, {entries} entries{model}."
COPIED = (
    "Its pages are here under their names: page_in(ref) brings them back. Its {last}"
    " entries (names like step_0001) are not: what is said of them below is all there is."
)
ELSEWHERE = (
    "Its pages and entries are not here: names like outputs/read_0001.txt and step_0001 below are"
    " of {place}, and page_in cannot bring them back."
)
LOST = "{count} of its pages could not be read and are not here{names}."
USERS = 'Below, what stands under "the user said" are the words of the user of that session.'
SAID = "the user said, in that session's newest entries:"
STANDING = "The newest entries then, in their order:"
CHILDREN = "Agents that worked for it then, and do not work for this one:"


def carried_on_text(
    made: Snapshot, workspace: str, copied: int, lost: Sequence[str], page: str
) -> str:
    """Return the text that tells a new session's model from which snapshot (`made`) it goes on.
    `workspace` is the folder of the earlier session ("" if unknown). `copied` is the number of
    pages copied from it, `lost` the names of pages that could not be copied, `page` the name of the
    page with the whole snapshot."""
    return "\n".join(_carried_on_lines(made, workspace, copied, lost, page))


def _carried_on_lines(
    made: Snapshot, workspace: str, copied: int, lost: Sequence[str], page: str
) -> Iterator[str]:
    """Yield the lines of the text of `carried_on_text`."""
    entries, gone = made.next_id - 1, len(made.pages) + made.others - copied
    model = f", model {made.model}" if made.model else ""
    yield OPENING.format(generation=made.generation, entries=entries, model=one_line(model, PLACE))
    named = f"the workspace {workspace}" if workspace else "the workspace it was taken in"
    place = one_line(named, PLACE)
    yield COPIED.format(last=entries) if copied else ELSEWHERE.format(place=place)
    if copied and gone > 0:
        names = [*lost[:NAMED], *(["…"] if gone > min(len(lost), NAMED) else [])] if lost else []
        yield LOST.format(count=gone, names=": " + ", ".join(names) if names else "")
    yield USERS
    yield f"{WHOLE}{page}"
    if made.digest is not None:
        yield made.digest.text
    for heading, typed in ((SAID, True), (STANDING, False)):
        shown = [entry for entry in made.standing if entry.user is typed]
        yield from [heading] * bool(shown)
        for entry in shown:
            yield f" {entry.line}{' (pinned)' if entry.pinned else ''}"
    if made.children:
        yield CHILDREN
        yield from (f" {child.name}: {child.goal}" for child in made.children)
    if made.earlier:
        yield BEFORE
        yield made.earlier
