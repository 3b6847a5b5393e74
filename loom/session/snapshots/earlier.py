"""The session that is carried on from, as text: an observation of the new one.

When the new one is carried on from in its turn, that text is folded into its snapshot, so the names
of pages stay known over many sessions: lines that name one are the last to be left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loom.session.archive.reading import UNREADABLE, whole
from loom.session.archive.workspace import Workspace
from loom.session.snapshots.document import NAME, Snapshot
from loom.text import one_line, printable
from loom_paging import check_disk
from loom_partitions.message import UserTurn
from loom_partitions.records import Heard

NAMED = 3  # pages that could not be copied, by name
PLACE = 300  # characters of a folder
EARLIER_CHARS = 12_000  # of what all sessions before the last left: some 3,000 tokens
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
WHOLE = "All it left, C_working and an index of the pages it names: "
BEFORE = "Of the sessions before that one, the newest first:"
REST = "(all it left: {page})"
LEFT_OUT = "({count} more lines: see what all of it is in)"


def described(made: Snapshot, workspace: str, copied: int, lost: Sequence[str], page: str) -> str:
    """The text: where it comes from, what of it can be brought back, its digest, its last entries.

    `workspace` is the folder it was made in, "" where that is not known, `copied` how many of its
    pages are here, `lost` names of those that are not, `page` holds all of it.
    """
    return "\n".join(_lines(made, workspace, copied, lost, page))


def _lines(
    made: Snapshot, workspace: str, copied: int, lost: Sequence[str], page: str
) -> Iterator[str]:
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


def carried_entry(workspace: Workspace) -> UserTurn | None:
    """The observation a workspace that carries on begins with; None where it carries on nothing."""
    first = next(iter(workspace.index.commits), 0)
    if first <= 1:
        return None  # entries of one that carries on follow on those before
    turns = (record.turn for record in workspace.about(first) if isinstance(record, Heard))
    return next((turn for turn in turns if turn.voice == "observation"), None)


def folded(workspace: Workspace) -> str:
    """The text that sessions before this one left, for its snapshot; "" where there is none."""
    turn = carried_entry(workspace)
    if turn is None:
        return ""
    try:
        text = printable(whole(workspace, turn.text))
    except UNREADABLE as error:
        check_disk(error)
        return ""
    page, _, body = text.partition(WHOLE)[2].partition("\n")
    inner = body.removeprefix(BEFORE + "\n")
    if inner != body or not body:
        return inner  # nothing came in between
    return _bounded([REST.format(page=page), *body.splitlines()])


def _bounded(lines: list[str]) -> str:
    """The lines in EARLIER_CHARS: those that name pages before others, the newer before older."""
    room = EARLIER_CHARS - len(LEFT_OUT) - len(str(len(lines)))
    kept = set()
    for at in sorted(range(len(lines)), key=lambda at: (not NAME.search(lines[at]), at)):
        if len(lines[at]) < room:
            room -= len(lines[at]) + 1
            kept.add(at)
    more = len(lines) - len(kept)
    shown = [line for at, line in enumerate(lines) if at in kept]
    return "\n".join([*shown, *([LEFT_OUT.format(count=more)] if more else [])])
