"""Which changes a commit is known to hold: those that a `git add` before it named, or `-a` took.

A commit may leave changes out, so no file is said to be committed because a commit came after it.
In the `refs` of a changed file `!` stands before what may be committed, `!!` before what is known
to be.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from msgspec.structs import replace

from loom.compress.digest.names import FactNames
from loom.reduce.commands import Simple, parsed
from loom.reduce.deeds import EVERY, KEY
from loom.reduce.verdict import failed
from loom_partitions.message import Fact

MAY, DOES = "!", "!!"
_ALL, _OLD = {"-A", "--all"}, {"-u", "--update"}
_WHOLE = (".", "./", ":/", "*")
_NOWHERE = ("/tmp/", "/var/tmp/")


class Staged(NamedTuple):
    """What one command put before a commit, at entry `at`: `name` is a file, a folder or EVERY.

    `old`: only files that were known to git before.
    """

    at: int
    name: str
    old: bool = False


def staged(facts: Iterable[Fact], files: FactNames) -> list[Staged]:
    """The changes that commands among these facts put before a commit that came after them."""
    found: list[Staged] = []
    for fact in facts:
        if fact.kind != "ran" or failed(fact.came) or len(fact.about) >= KEY:
            continue
        if "git add" not in fact.about and "git commit" not in fact.about:
            continue
        command = parsed(fact.about)
        for one in command.programs:
            if one.words[:2] == ("git", "add"):
                found += _added(one, one.folder or command.folder, fact.at, files)
            elif one.words[:2] == ("git", "commit") and any(map(_takes_all, one.options)):
                found.append(Staged(fact.at, EVERY, old=True))
    return found


def marked(fact: Fact, name: str, adds: Iterable[Staged], written: Fact | None) -> Fact:
    """A changed file after a commit of what was `staged`; `written`: how it was written, if it was.

    What git did not know yet is known by an add alone: a new file, or one that a command made.
    """
    new = not fact.came.startswith("+") or (written is not None and not is_committed(written))
    sure = any(
        fact.at <= add.at and not (add.old and new) and _holds(add.name, name) for add in adds
    )
    swaps = (fact.refs or "?").split()
    made = (
        one if one.startswith(DOES) else f"{DOES if sure else MAY}{one.lstrip('!')}"
        for one in swaps
    )
    return replace(fact, refs=" ".join(made))


def is_committed(fact: Fact) -> bool:
    """True for a changed file all of whose changes are known to be committed."""
    return bool(fact.refs) and all(one.startswith(DOES) for one in fact.refs.split())


def written_anew(now: Fact) -> Fact:
    """A file that is written again, its change not committed yet."""
    return now if now.refs else replace(now, refs="?")


def _added(one: Simple, folder: str, at: int, files: FactNames) -> Iterable[Staged]:
    options = set(one.options)
    if options - _ALL - _OLD - {"-v", "-f", "--force", "--verbose"}:
        return
    old = bool(options & _OLD)
    if not one.targets and options & (_ALL | _OLD):
        yield Staged(at, EVERY, old)
    for target in one.targets:
        if target in _WHOLE:
            yield Staged(at, files.known(folder) or folder or EVERY, old)
        else:
            path = target if target.startswith("/") or not folder else f"{folder}/{target}"
            yield Staged(at, files.known(path) or path.removeprefix("./").rstrip("/"), old)


def _takes_all(option: str) -> bool:
    """True for the option of a commit that takes all changes of known files."""
    if option == "--all":
        return True
    letters = option.removeprefix("-").partition("=")[0]
    return not option.startswith("--") and "a" in letters.partition("m")[0]


def _holds(added: str, name: str) -> bool:
    """True when what was put before a commit, a file, a folder or EVERY, holds a file."""
    if name.startswith(_NOWHERE):
        return False
    if added in (EVERY, name) or name.startswith(f"{added}/"):
        return True
    # Where the project begins in an absolute name is not known.
    return name.startswith("/") and not added.startswith("/") and f"/{added}/" in name
