"""`ctx.history`: every entry and page that ever was in the window, every byte of it."""

from __future__ import annotations

from collections.abc import Callable

from loom.errors import BadInput
from loom.providers.render.neutral import neutral
from loom.reduce.lines import plural
from loom.retention import CollectedPages, Retention
from loom.session import Engine
from loom.session.archive.restore import Restored, entry_id_in_name, missing_entry, restore_entry
from loom.session.locking import one_call
from loom.session.tools.retrieval import capability_answers
from loom.text import fit_repr
from loom.typed import check_arguments
from loom_partitions.journaled import SyncedMessage
from loom_partitions.records import Brought


@check_arguments
class Archive:
    """The entries and pages of a workspace, in the window or not.

    >>> with loom.open("memory://history") as ctx:
    ...     ctx.history.restore(ctx.user("Build the parser.")).text
    'Build the parser.'"""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def __repr__(self) -> str:
        workspace = self._engine.workspace
        entries, pages = workspace.shown.history.next_id - 1, workspace.pages
        entries_told = "1 entry" if entries == 1 else f"{entries} entries"
        return f"<ctx.history: {entries_told}, {plural(pages, 'page')}>"

    @one_call
    def restore(self, entry: int | str) -> Restored:
        """Return an entry, given by its id or name ("step_0007"), with all its text. A result whose
        page garbage collection removed is shown as a line. Raises MissingPage for an unknown entry,
        or for lines of a file that Loom read ahead; Expired for a message whose page was removed.
        """
        engine = self._engine
        id = entry if isinstance(entry, int) else entry_id_in_name(entry)
        if id is None:
            raise missing_entry(str(entry), engine.window.history.next_id - 1)
        for record in engine.workspace.about(id):
            if isinstance(record, Brought) and record.turn and record.turn.ahead:
                why = "it was read ahead, and nobody said it"
                shown = f"page_in {record.ref!r} for what it shows"
                raise missing_entry(f"user_{id:04d}", 0, f"{why}: {shown}")
        return restore_entry(engine.workspace, id)

    @property
    @one_call
    def synced(self) -> tuple[SyncedMessage, ...]:
        """The messages of the host's list that `Context.sync` took in, in the list's order. Each
        has a hash, the id of its entry (0 for none), and the id given by the host."""
        return (*self._engine.workspace.folded.host.messages,)

    @one_call
    def payload(self, ref: str) -> bytes:
        """Return the bytes of a page as they came in: an image, a document, or a text in UTF-8.
        Raises MissingPage, CorruptPage, or Expired for a page that garbage collection removed."""
        return self._engine.workspace.payload(ref)

    @one_call
    def gc(self, retention: Retention | None = None, *, apply: bool = False) -> CollectedPages:
        """Collect garbage: find the pages that can be removed. Nothing in use names such a page,
        and either it was unused for longer than `retention` keeps pages of its kind, or the quota
        is exceeded (longest unused first).

        By default nothing changes. With `apply=True` the pages are given up in one commit: reading
        them then raises Expired, and the next call of `gc` deletes the files. If `retention` is
        None, the policy's value or else `Retention()` is used. Raises BadInput for bad values."""
        from loom.session.page_collection import collect_pages

        engine = self._engine
        engine.check_free()
        if not isinstance(apply, bool):
            raise BadInput(f"apply={fit_repr(apply, 80)}: give True or False")
        given = retention if retention is not None else engine.policy.retention or Retention()
        return collect_pages(engine.workspace, given, engine.commit if apply else None)

    @one_call
    def promote(self, ref: str) -> None:
        """Protect pages from garbage collection for good. `ref` names one page
        ("outputs/read_0007.json", "read_0007"), or an entry ("step_0012") for all its pages.
        Snapshots are always protected. Raises MissingPage, or Expired for a page that is removed
        already."""
        from loom.session.page_collection import promotion_records

        self._engine.commit(*promotion_records(self._engine.workspace, ref))

    @one_call
    def undo(self, to: int) -> None:
        """Make the window what it was when request number `to` (`Turn.number`) was made; 0 means
        before the first entry. Later entries leave the window but can still be restored; their ids
        are not used again. Changed files and commands are not undone; a notice tells the model of
        them. Raises BadInput."""
        from loom.context.undo import go_back_to_request

        go_back_to_request(self._engine, to)


@one_call
def recall_passages(engine: Engine, query: str, chars: int, tokens: int | None) -> str:
    """Return one text with the best passages for a query, followed by what capabilities found. It
    has at most `chars` characters or, unless `tokens` is None, at most `tokens` tokens."""
    from loom.session.archive.recall import recall

    mark = engine.window.config.mark
    count: Callable[[str], int] = len if tokens is None else engine.sizes.count
    room = max(chars if tokens is None else tokens, 0)
    beside: list[str] = []
    left = room
    for found in engine.hooks.run("recalled", capability_answers, engine.recalled, query):
        text = neutral(found.text, mark)
        if (size := count("\n" + text)) <= left:
            beside.append(text)
            left -= size
    text, hits = recall(engine.workspace, query, left, count)
    if beside and not hits:
        text = ""  # something is found, though no page or entry holds it
    made = "\n".join(filter(None, (text, *beside)))
    return made if count(made) <= room else text
