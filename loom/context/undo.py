"""Going back to an earlier request: what is taken back, and what the model is told of the rest.

Theory of operation. The window becomes the one that request was made of. Nothing on disk is taken
back: undone entries can be brought back by their names, changed files stay changed, commands have
run, and agents the model began go on. A model that does not know of its deeds would do them all
again, so a notice names them, bounded, the newest last. A notice leaves with the next cut: so where
something was done, an event on C_working tells of it too until it is acknowledged, and a page lists
every deed."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from msgspec.structs import replace

from loom.compress.digest.check_facts import last_outcome
from loom.compress.digest.current_facts import merge_facts
from loom.providers.render.neutral import neutral
from loom.providers.render.wording import UNDONE, UNDONE_DEEDS
from loom.reduce.lines import plural
from loom.reduce.result_facts import REVERTED
from loom.reduce.verdict import DONE
from loom.session import Engine
from loom.session.archive.restore import window_after_commit, window_at_request
from loom.text import one_line
from loom_partitions import records as r
from loom_partitions.message import Fact, Notice
from loom_partitions.window import Window

CHANGED, RAN = ("edit", "write"), "ran"
SHOWN = 12  # of each kind of deed
LINE = 80  # letters of each
BRIEF = 4  # of each kind in the event
UNDOING = re.compile(r"undone-\d+-(\d+)")  # an event of this kind: the request, the first entry
# Of Loom's own words; the names in it are the agent's.
EVENT = "undone {where}, but it {done}: that stands ({page}; entries {first} to {last})"


def go_back_to_request(engine: Engine, to: int) -> None:
    """Go back to request number `to`; 0 goes back to before the first entry. A no-op when nothing
    followed the request. Raises BadInput for an unknown number."""
    engine.check_free()
    workspace = engine.workspace
    if to == 0 and not workspace.index.commits:
        return
    then = window_at_request(workspace, to)
    _commit_undo(engine, to, then, [*_records_since(engine, to)])


def go_back_to_commit(engine: Engine, at: int, again: Collection[str] = ()) -> None:
    """Make the window what it was after commit `at`, even if that commit was undone since. The
    model is told only of later deeds (files changed, commands run). `again` are ids of calls that
    the host's list will bring back: the model is not told of steps with only these calls."""
    engine.check_free()
    index = engine.workspace.index
    made = (turn for turn, number in index.requests.items() if number <= at)
    to = max(
        (turn for turn in made if not index.is_commit_undone(index.requests[turn], at)), default=0
    )
    after = [*_records_since(engine, None, at + 1)]
    if at == index.request_commit(to):  # nothing of what followed the request stands
        then, after, at = window_at_request(engine.workspace, to), [*_records_since(engine, to)], 0
    else:
        then = window_after_commit(engine.workspace, at)
    _commit_undo(engine, to, then, after, at=at, brief=True, again=again)


def _commit_undo(
    engine: Engine,
    to: int,
    then: Window,
    after: Sequence[tuple[int, r.Record]],
    *,
    at: int = 0,
    brief: bool = False,
    again: Collection[str] = (),
) -> None:
    """Make `then` the window. Commit, with this, a notice and an event that tell the model of the
    undo.

    `after` holds (commit number, record) of each record since `then`. `to` is the number of the
    request that `then` follows. `at` is the commit gone back to, 0 for that request itself. With
    `brief`, the notice tells only of deeds. `again` is as in `go_back_to_commit`."""
    workspace, now = engine.workspace, engine.window
    if not after:
        return
    since = [record for commit, record in after if not workspace.index.is_commit_undone(commit)]
    first, last = then.history.next_id, now.history.next_id - 1
    since = _without_repeated_steps(since, again)
    notice = _undo_notice(engine, to, since, first, last, brief=brief)
    told = _undo_event_records(engine, to, since, first, last)
    engine.commit(
        r.Undone(to, first, last, then, notice, at), *_still_pending_events(now, then), *told
    )
    engine.remember(engine.requests.version)


def _without_repeated_steps(since: Sequence[r.Record], again: Collection[str]) -> list[r.Record]:
    """Return the records without those of steps whose call ids are all in `again`."""
    steps = (record.step for record in since if isinstance(record, r.Replied))
    gone = {one.id for one in steps if one.calls and {call.id for call in one.calls} <= {*again}}
    return [
        record
        for record in since
        if not (isinstance(record, r.Replied) and record.step.id in gone)
        and not (isinstance(record, r.Returned) and record.step in gone)
    ]


def _records_since(
    engine: Engine, to: int | None, first: int = 0
) -> Iterable[tuple[int, r.Record]]:
    """Yield (commit number, record) of each record after request `to` or, if `to` is None, from
    commit `first` on. Records of requests (Turned) are left out."""
    workspace, found = engine.workspace, not to
    if to is not None:
        first = workspace.index.request_commit(to) + (to == 0)
    for number in range(first, workspace.commits + 1):
        for record in workspace.records(number):
            if found and not isinstance(record, r.Turned):
                yield number, record
            found = found or (isinstance(record, r.Turned) and record.turn == to)


def _still_pending_events(now: Window, then: Window) -> Iterable[r.Record]:
    """Yield records that add the events pending in window `now` to window `then`. Events that
    `then` has are left out, and events about an undo that is itself undone."""
    known = {id for event in then.working.events for id in event.ids}
    for event in now.working.events:
        told = [UNDOING.fullmatch(id) for id in event.ids]
        if not known & {*event.ids} and not all(
            one and int(one[1]) < then.history.next_id for one in told
        ):
            yield r.Signalled(event)


def _undo_notice(
    engine: Engine, to: int, since: Sequence[r.Record], first: int, last: int, *, brief: bool
) -> Notice | None:
    """Return the notice that tells the model what was undone and which deeds remain. `first` and
    `last` are the ids of the undone entries. None if no entry was undone or, with `brief`, if no
    deeds remain."""
    done = "; ".join(_lasting_deeds(since))
    if last < first or (brief and not done):
        return None
    mark = engine.window.config.mark
    users = sum(isinstance(one, r.Heard) for one in since)
    steps = sum(isinstance(one, r.Replied) for one in since)
    counts = " and ".join(
        what
        for many, what in (
            (steps, plural(steps, "step")),
            (users, f"{plural(users, 'message')} of the user"),
        )
        if many
    )
    text = UNDONE.format(mark=mark, where=_undone_place(to), counts=counts or "what was recorded")
    if done:
        text += UNDONE_DEEDS.format(done=neutral(done, mark))
    return Notice("working", text + "]", engine.sizes.message(text + "]"))


def _undo_event_records(
    engine: Engine, to: int, since: Sequence[r.Record], first: int, last: int
) -> Iterable[r.Record]:
    """Store a page that lists all deeds since the undone request. Return the records of an event
    that names this page, () without deeds."""
    whole = "; ".join(_lasting_deeds(since, len(since)))
    if not whole:
        return ()
    page = engine.workspace.put_page("undone", ".txt", whole.replace("; ", "\n").encode() + b"\n")
    brief = "; ".join(_lasting_deeds(since, BRIEF))
    text = EVENT.format(page=page, where=_undone_place(to), first=first, last=last, done=brief)
    return engine.edits().signal(f"undone-{to}-{first}", text, "undo", "normal")


def _undone_place(to: int) -> str:
    """Return the place an undo went back to, in words: "after request 3", for 0 "from the first
    on"."""
    return f"after request {to}" if to else "from the first on"


def _lasting_deeds(since: Sequence[r.Record], shown: int = SHOWN) -> Iterable[str]:
    """Yield a text for each kind of deed that an undo cannot take back: "changed `a.py`", "ran
    `make` (failed)". Each text names the newest deeds, at most `shown`."""
    done = (record for record in since if isinstance(record, r.Returned))
    facts = merge_facts([replace(fact, at=record.step) for record in done for fact in record.facts])
    changes = (
        fact for fact in facts if fact.kind in CHANGED and fact.times and fact.came != REVERTED
    )
    if files := _newest_joined((f"`{one_line(fact.text, LINE)}`" for fact in changes), shown):
        yield f"changed {files}"
    runs = (fact for fact in facts if fact.kind == RAN)
    told = (f"`{one_line(fact.text, LINE)}`{_run_outcome(fact)}" for fact in runs)
    if ran := _newest_joined(told, shown):
        yield f"ran {ran}"
    if agents := [record.child for record in since if isinstance(record, r.Spawned)]:
        yield f"began the agents {', '.join(one_line(name, LINE) for name in agents[-shown:])}"


def _run_outcome(fact: Fact) -> str:
    """Return how a command ended, such as " (failed)"; "" for success or an unknown end."""
    came = last_outcome(fact.came)
    return f" ({came})" if came and came != DONE else ""


def _newest_joined(texts: Iterable[str], shown: int) -> str:
    """Return the last `shown` texts without repeats, joined by commas, after the number of all
    earlier texts: "3 more and a, b"."""
    told = list(dict.fromkeys(texts))
    more = f"{len(told) - shown} more and " if len(told) > shown else ""
    return more + ", ".join(told[-shown:]) if told else ""
