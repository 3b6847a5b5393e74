"""A session whose lines name the line before them: of several branches the last one.

A client's user who goes back and says something else begins a branch: the file holds both, and the
model of the last line never read the other. Lines of one reply, and the results of its calls, hang
side by side below it; they are no branches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from loom.replay.importers.losses import a_copy, other_branches
from loom.replay.importers.talks import RecordedMessage


class LineLinks(Struct, frozen=True):
    """How lines name each other: their own name, that of the line before ("" for none), whether a
    line without one begins anew (`root`), the reply a line is a piece of, the calls it makes and
    those it answers, and what it says, by which copies are known."""

    own: Callable[[dict[str, Any]], str]
    before: Callable[[dict[str, Any]], str]
    root: Callable[[dict[str, Any]], bool]
    reply: Callable[[dict[str, Any]], str]
    calls: Callable[[dict[str, Any]], set[str]]
    answers: Callable[[dict[str, Any]], set[str]]
    spoken: Callable[[dict[str, Any]], bool]
    said: Callable[[dict[str, Any]], str]


def last_branch(
    items: Sequence[RecordedMessage], links: LineLinks, notes: list[str]
) -> list[RecordedMessage]:
    """The lines of the last spoken line's branch, in their order; what is of others is noted.

    A line before that is not in the file is taken to be the one that stands there.
    """
    places = {links.own(item.value): at for at, item in enumerate(items) if links.own(item.value)}
    named = {links.before(item.value) for item in items} - {""}
    parents = [_parent(at, item.value, links, places, named) for at, item in enumerate(items)]
    at = max((at for at, one in enumerate(items) if links.spoken(one.value)), default=-1)
    kept: set[int] = set()
    while at >= 0 and at not in kept:
        kept.add(at)
        at = parents[at]
    kept |= _beside(items, links, kept)
    said = {links.said(items[at].value) for at in kept}
    gone: set[int] = set()
    left: list[int] = []
    for at, one in enumerate(items):
        if at in kept or not links.spoken(one.value):
            continue
        gone.add(at)
        if links.said(one.value) in said:
            notes.append(a_copy(one.index, links.own(one.value)))
        else:
            left.append(at)
    if left:
        ends = {*left} - {*parents}  # results may hang side by side below their calls
        ended = sum(not links.answers(items[at].value) for at in ends)
        notes.append(other_branches(max(ended, 1), len(left)))
    return [one for at, one in enumerate(items) if at not in gone]


def _beside(items: Sequence[RecordedMessage], links: LineLinks, on: set[int]) -> set[int]:
    """The places of further pieces of the replies that stand `on` a branch, and of results that
    only stand beside it."""
    replies = {links.reply(items[at].value) for at in on} - {""}
    said = {links.said(items[at].value) for at in on}
    pieces = {
        at
        for at, one in enumerate(items)
        if links.reply(one.value) in replies and links.said(one.value) not in said
    }
    both = on | pieces
    answered = {id for at in on for id in links.answers(items[at].value)}
    open_ = {id for at in both for id in links.calls(items[at].value)} - answered
    results = {id: at for at, one in enumerate(items) for id in links.answers(one.value) & open_}
    return pieces | {*results.values()}  # of copies the newest


def _parent(
    at: int, value: dict[str, Any], links: LineLinks, places: dict[str, int], named: set[str]
) -> int:
    """The place of the line before one, -1 for none: a line of no other begins anew where others
    are `named` to follow it."""
    before = links.before(value)
    if not before:
        return -1 if links.root(value) and links.own(value) in named else at - 1
    place = places.get(before, -1)
    return place if 0 <= place < at else at - 1
