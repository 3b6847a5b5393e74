"""Which commands are worth a line: checks, commits and pushes; what changes things; what looks.

Where not all fit, what only looked goes first. What it saw stands on its page, and where it has no
page a line that it ran tells nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from loom.lazy import lazy_re
from loom.reduce.commands import Simple, parsed
from loom.reduce.deeds import HEAD, KEY, LOST
from loom.reduce.effects import effects
from loom.reduce.programs import READERS, shows
from loom.reduce.verdict import failed, is_check
from loom_partitions.message import Fact

CHECKED, CHANGED, LOOKED = range(3)
# Read here alone: not what runs other commands, nor what does more than show by its next words.
_LOOKS = READERS - {"for", "test", "[", "[[", "env"} | {"cd", "mkdir", "sleep"}
_SHARED = (("git", "commit"), ("git", "push"), ("git", "tag"), ("gh", "pr", "create"),
           ("gh", "pr", "merge"))  # fmt: skip
_SEEN = ("view", "list", "diff", "checks", "status")  # of what `gh` knows
_ACTS = ("-d", "-D", "-m", "-M", "--delete", "--move", "-delete", "-exec", "-ok")
_SENT = lazy_re(r"(?<![-=])>{1,2}\s*(?!/dev/null|&|=|\s)")


def weight(fact: Fact) -> int:
    """CHECKED, CHANGED or LOOKED: the lower, the earlier a command is kept."""
    return _weight(fact.about, fact.text, failed(fact.came))


def kept_first(facts: Sequence[Fact], most: int) -> list[Fact]:
    """At most so many commands, in order: of the lowest weight, of equals the newest."""
    places = sorted(range(len(facts)), key=lambda at: (weight(facts[at]), -at))[:most]
    return [facts[at] for at in sorted(places)]


def worth_a_line(facts: Sequence[Fact]) -> list[Fact]:
    """The facts without the commands that only looked and have no page; those are counted."""
    kept = [fact for fact in facts if not _idle(fact)]
    left = len(facts) - len(kept)
    return [*kept, Fact("more", "ran", times=left)] if left else kept


def _idle(fact: Fact) -> bool:
    return fact.kind == "ran" and not fact.refs and fact.came != LOST and weight(fact) == LOOKED


@lru_cache(maxsize=4_096)
def _weight(about: str, text: str, failing: bool) -> int:
    command = parsed(about)
    words = [one.words for one in command.programs]
    if is_check(command) or any(each[: len(some)] == some for each in words for some in _SHARED):
        return CHECKED
    cut = len(about) >= KEY or len(text) >= HEAD  # what stands behind is not known
    looks = all(map(_looks, command.programs)) and not _SENT.search(text)
    if failing or cut or not looks or any(True for _ in effects(about, command.masked)):
        return CHANGED
    return LOOKED


def _looks(one: Simple) -> bool:
    """True for a program that changes nothing anybody would ask for."""
    if set(one.options) & set(_ACTS):
        return False
    if one.words[0] == "gh":
        return one.words[2:3] != () and one.words[2] in _SEEN
    if one.words[:2] == ("git", "branch") and one.targets:
        return False
    return one.words[0] in _LOOKS or (len(one.words) > 1 and shows(one.words))
