"""What `git stash` does to changes: set aside, and brought back by a pop; not lost, not reverted.

A stash command is known by the run of it, so what it did becomes facts of its own: `undo` facts
whose `came` is one of the four words below. The words join what a changed file is told with.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from loom.reduce.commands import Command, parsed
from loom.reduce.deeds import DELETED, EVERY, LOST, REVERTED
from loom.reduce.verdict import failed
from loom_partitions.message import Fact

ASIDE = "set aside (git stash)"
ALL_ASIDE = f"{ASIDE}, new files too"
BACK = "set aside, then brought back"
DROPPED = "set aside, then dropped"
STASHED = (ASIDE, ALL_ASIDE, BACK, DROPPED)
PERHAPS = "perhaps "  # of a file that was written: a new one stays where it is
_SHOWN = (
    f"{PERHAPS}{ASIDE}",
    ASIDE,
    BACK,
    DROPPED,
)  # as they stand
_BEFORE = "; what was changed before: "
_JOINT = ", "
_VERBS = {"pop": BACK, "apply": BACK, "drop": DROPPED, "clear": DROPPED}
_NOT = ("list", "show", "create", "branch")
_NEW = ("-u", "--include-untracked", "-a", "--all")


def with_stashes(facts: Iterable[Fact]) -> Iterator[Fact]:
    """The facts of one entry; behind a run of `git stash`, what it did in the place of an undo."""
    known = list(facts)
    runs = [(fact, parsed(fact.about or fact.text)) for fact in known if fact.kind == "ran"]
    did = {id(fact): list(_stashes(fact, command)) for fact, command in runs}
    if not any(did.values()):
        yield from known
        return
    reset = any(one.words in _RESETS for _, command in runs for one in command.programs)
    for fact in known:
        if fact.kind == "undo" and fact.about == EVERY and not reset:
            continue
        yield fact
        yield from did.get(id(fact), ())


_RESETS = (("git", "restore"), ("git", "checkout"), ("git", "reset"))


def _stashes(run: Fact, command: Command) -> Iterator[Fact]:
    for one in command.programs:
        if one.words[:2] == ("git", "stash") and not failed(run.came) and run.came != LOST:
            came, paths = _came((*one.words[2:], *one.targets), one.options)
            if came:
                yield from (Fact("undo", path, "", path, came) for path in paths or [EVERY])


def _came(targets: Sequence[str], options: Sequence[str]) -> tuple[str, list[str]]:
    """What a stash command does, and to which files; to all where it names none."""
    word = targets[0] if targets else "push"
    if word in _NOT:
        return "", []
    paths = [target for target in targets if "." in target[1:] or "/" in target]
    if word in _VERBS:
        return _VERBS[word], []
    return (ALL_ASIDE if set(options) & set(_NEW) else ASIDE), paths


def stashed(fact: Fact, came: str) -> Fact:
    """A changed file as a stash command leaves it: committed changes stay as they are."""
    swaps = (fact.refs or "?").split()
    if fact.came in (REVERTED, DELETED, LOST) or all(swap.startswith("!") for swap in swaps):
        return fact
    note = note_of(fact.came)
    if came in (BACK, DROPPED):
        return replace(fact, came=fact.came.removesuffix(note) + came) if _is_aside(note) else fact
    shown = ASIDE if came == ALL_ASIDE or fact.kind == "edit" else f"{PERHAPS}{ASIDE}"
    base = _base(fact.came)
    return replace(fact, came=f"{base}{_JOINT if base else ''}{shown}")


def noted(came: str, now: str) -> str:
    """What came of a file, with the note on a stash that it has `now`."""
    return _base(came) + now.removeprefix(_base(now))


def since(before: str, now: str) -> str:
    """What came of an edit behind changes that are set aside, and still are."""
    note = note_of(before)
    return f"{now}{_BEFORE}{note}" if _is_aside(note) else now


def note_of(came: str) -> str:
    """The words on a stash in what came of a file; "" without any."""
    return next((word for word in _SHOWN if came.endswith(word)), "")


def _is_aside(note: str) -> bool:
    return note.endswith(ASIDE)


def _base(came: str) -> str:
    return came.removesuffix(note_of(came)).removesuffix(_BEFORE).removesuffix(_JOINT)
