"""When a later run says something of an earlier one: it ran the same, or all of it.

A success closes a failure only if it checked at least what failed: the same program in the same
folder, on the same targets or on what holds them, chosen no narrower. What was stopped half-way by
a conflict is closed by going on, or by giving it up.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

from loom.reduce.commands import LEFT_OUT, SELECT, Command, Simple, is_checking, leaves_out

_WHOLE = frozenset((".", "./", "./...", "..."))
# Options that only leave out some of what is checked.
_FEWER = SELECT | LEFT_OUT | frozenset((
    "--lf", "--last-failed", "--sw", "--stepwise", "-short", "--only-changed", "--onlyChanged",
    "--onlyFailures", "--last", "--changed",
))  # fmt: skip
_STOPPED = frozenset(("rebase", "merge", "cherry-pick", "revert", "am", "pull"))
_WENT_ON = frozenset(("--continue", "--abort", "--skip", "--quit"))
# What puts other files in the tree, and words with which it does not.
_TREES = frozenset(("git", one) for one in ("stash", "checkout", "switch", "restore"))
_KEEPS = frozenset(("pop", "apply", "drop", "list", "show", "-b", "-c", "--soft", "--staged"))
_OR = (" or ", "|", ",", "not ", " and not")


def covers(wide: Command, narrow: Command) -> bool:
    """True when a success of `wide` is one of `narrow` too: the same programs on the same, or on
    all that `narrow` works on."""
    pair = wide.key, narrow.key
    found = _KNOWN.get(pair)
    if found is None:
        if len(_KNOWN) >= PAIRS:
            _KNOWN.clear()
        found = _KNOWN[pair] = _is_covered(wide, narrow)
    return found


# Digests hold the same runs against each other again and again.
PAIRS = 65_536
_KNOWN: dict[tuple[str, str], bool] = {}


def _is_covered(wide: Command, narrow: Command) -> bool:
    if (wide.unfixed or narrow.unfixed) and wide.key != narrow.key:
        return False
    ours = _on_the_same_tree(wide, narrow)
    return bool(ours and narrow.asked) and all(
        any(wide.place(one) == narrow.place(two) and _covers(one, two) for one in ours)
        for two in narrow.asked
    )


Told = TypeVar("Told")


class RanCommands(Generic[Told]):
    """Command lines that ran, each with what is told of it, found by the programs they ran.

    A line covers another only where it runs the programs of that: the rest is not looked at.
    """

    def __init__(self, runs: Iterable[tuple[Command, Told]]) -> None:
        self._ran: dict[str, list[tuple[Command, Told]]] = {}
        self._asked: dict[str, list[tuple[Command, Told]]] = {}
        for command, told in runs:
            for name in {one.words[0]: None for one in command.programs}:
                self._ran.setdefault(name, []).append((command, told))
            for one in command.asked[:1]:
                self._asked.setdefault(one.words[0], []).append((command, told))

    def wider(self, narrow: Command) -> Iterator[Told]:
        """Yield what is told of each line that covers one, in their order."""
        for one in narrow.asked[:1]:
            ran = self._ran.get(one.words[0], ())
            yield from (told for command, told in ran if covers(command, narrow))

    def narrower(self, wide: Command) -> Iterator[tuple[Command, Told]]:
        """Yield each line that one covers, with what is told of it."""
        for name in {one.words[0]: None for one in wide.programs}:
            asked = self._asked.get(name, ())
            yield from ((command, told) for command, told in asked if covers(wide, command))


def _on_the_same_tree(wide: Command, narrow: Command) -> list[Simple]:
    """The programs of `wide` without those behind one that put other files in the tree."""
    same = set(narrow.programs)
    for at, one in enumerate(wide.programs):
        said = {*one.words, *one.targets, *one.options}
        moved = one.words[:2] in _TREES and not _KEEPS & said
        if (moved or {"git", "reset", "--hard"} <= said) and one not in same:
            return list(wide.programs[: at + 1])
    return list(wide.programs)


def _covers(wide: Simple, narrow: Simple) -> bool:
    if _goes_on(wide, narrow):
        return True
    if wide.words != narrow.words:
        return False
    if (wide.options, wide.targets) == (narrow.options, narrow.targets):
        return True
    if not is_checking(wide):
        return False
    # An option of the one alone may check something else, but for one that only chooses less.
    more = set(narrow.options) - set(wide.options)
    less = set(wide.options) - set(narrow.options)
    if any(not _chooses(option, more) for option in less) or any(map(_plain, more)):
        return False
    if not narrow.targets:
        return set(wide.targets) <= _WHOLE
    if not wide.targets:
        # `go` without a target works on one folder, `make` on what comes first in its file.
        return wide.words[0] not in ("go", "make", "gmake")
    holds = _holds_package if wide.words[0] == "go" else _holds
    return all(any(holds(one, two) for one in wide.targets) for two in narrow.targets)


def _goes_on(wide: Simple, narrow: Simple) -> bool:
    """True for `git rebase --continue` or `--abort` behind a rebase that stopped."""
    if wide.words[0] != "git" or narrow.words[0] != "git" or not _WENT_ON & set(wide.options):
        return False
    mine, other = wide.words[1:2], narrow.words[1:2]
    return (bool(_STOPPED & set(mine)) and mine == other) or (
        other == ("pull",) and mine in (("rebase",), ("merge",))
    )


def _chooses(option: str, others: set[str]) -> bool:
    """True when an option chooses what one of the others does too: `-run=Test` and `-run=TestX`."""
    name, _, value = option.partition("=")
    chosen = [other.partition("=")[2] for other in others if other.startswith(f"{name}=")]
    if name in LEFT_OUT:
        return False
    plain = value and not any(sign in one for one in (value, *chosen) for sign in _OR)
    return name in SELECT and bool(plain) and any(one.startswith(value) for one in chosen)


def _plain(option: str) -> bool:
    return option.partition("=")[0] not in _FEWER


def _holds(wide: str, narrow: str) -> bool:
    """True when one target is the other, or the folder or file it is in."""
    one, two = posixpath.normpath(wide), posixpath.normpath(narrow)
    inside = two == one or two.startswith((f"{one}/", f"{one}::"))
    return inside or (one == "." and not two.startswith(("/", "..", "~")))


def _holds_package(wide: str, narrow: str) -> bool:
    """The same of Go's packages, where only `...` holds what is below a folder."""
    if wide == narrow or not wide.endswith("..."):
        return posixpath.normpath(wide) == posixpath.normpath(narrow)
    return _holds(wide.removesuffix("...") or ".", narrow.removesuffix("...") or ".")


def targets_in(command: Command, text: str) -> bool:
    """True when a text names one of the things a command works on, as a failing line does.

    A command that leaves something out may have left out just that.
    """
    if any(leaves_out(option) for one in command.programs for option in one.options):
        return False
    chosen = [
        option.partition("=")[2]
        for one in command.programs
        for option in one.options
        if option.partition("=")[0] in SELECT
    ]
    named = [target.strip("./") for one in command.programs for target in one.targets]
    return all(value in text for value in chosen) and any(
        name in text for name in (*named, *chosen) if len(name) > 3
    )
