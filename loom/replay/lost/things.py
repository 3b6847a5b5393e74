"""What is in use in a session at a moment: the facts that Loom's own digest is made of.

Rules and decisions of the user, files that were changed or are being read, checks that fail, and
the ids that calls use. What was touched longer ago than `NEAR` messages is in
use where it was touched more than once, or was changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from loom.compress.digest.checked import checks, closed
from loom.compress.digest.collect import TYPED
from loom.compress.digest.state import brought_together
from loom.lazy import lazy_re
from loom.reduce.deeds import LOST, REVERTED, TOUCHED
from loom.reduce.notes import RAN
from loom.reduce.verdict import failed
from loom.replay.lost.holding import HeldTexts, stems
from loom.text import one_line
from loom_partitions.message import Fact

NEAR = 120  # messages
PARTS = 3  # of a path
LENGTH = 160  # characters of what was said
QUESTION = 4  # telling words of a question, by which its answer is known


_SEVERAL = lazy_re(r"\w[_-]\w")


class InUse(Struct, frozen=True):
    """A thing in use: its kind (rule, answer, file, check, id), the name or the words by which a
    text holds it, what is told of it, and the entry it is of."""

    kind: str
    name: str
    told: str
    entry: int

    def held(self, texts: HeldTexts) -> bool:
        """True where the texts hold it."""
        if self.kind == "answer":  # as it was typed, one word in quotes, or by what was asked
            said = self.name.partition("\n")[0].strip(" .!")
            return texts.names(said if " " in said else f'"{said}"') or texts.says(stems(self.name))
        if self.kind in ("rule", "check"):
            parts = self.name.split("\n")
            return any(texts.says(stems(part)) or texts.names(part) for part in parts)
        if self.kind == "id":
            return texts.names(self.name)
        name = self.name.rstrip("/").rpartition("/")[2]
        stem = name.rpartition(".")[0]  # of several words it says as much as the whole
        return texts.names(name) or (bool(_SEVERAL.search(stem)) and texts.names(stem))


def in_use(facts: Sequence[Fact], since: int) -> Iterator[InUse]:
    """The things in use of the facts that stand; `since` is the first entry that is near."""
    held = brought_together(facts)
    held = closed(held, [fact for fact in held if fact.kind == "ran"])
    for fact in (fact for fact in held if fact.kind in TYPED and not fact.text.startswith(RAN)):
        asked, told = question_of(fact), one_line(fact.text, LENGTH)
        if len(stems(asked)) >= QUESTION and fact.kind != "question":
            yield InUse("answer", f"{fact.text}\n{asked}", f'"{told}" to "{asked}"', fact.at)
        elif fact.kind == "rule" and not asked and stems(fact.text):
            yield InUse("rule", fact.text, f'"{told}"', fact.at)
    yield from _files(held, since)
    errors = [fact for fact in held if fact.kind == "error"]
    for fact in held:
        if fact.kind == "ran" and failed(fact.came) and checks(fact):
            why = [one.text for one in errors if one.about == fact.about]
            told = "; ".join([f"`{fact.text}` {fact.came}", *why[:1]])
            yield InUse("check", "\n".join((fact.about, *why)), one_line(told, LENGTH), fact.at)
    yield from _ids(facts, since)


def question_of(fact: Fact) -> str:
    """The question that a message of a few words answers; "" for any other."""
    lead, end = '(to "', '", step_'
    return fact.came[len(lead) :].rpartition(end)[0] if fact.came.startswith(lead) else ""


def _files(held: Iterable[Fact], since: int) -> Iterator[InUse]:
    """Files that were changed, and those that are read: each once, by its last state."""
    files: dict[str, list[Fact]] = {}
    for fact in held:
        if fact.kind in ("edit", "write", "read") and fact.came not in (LOST, REVERTED):
            files.setdefault(fact.about, []).append(fact)
    for path, touched in files.items():
        changed = [fact for fact in touched if fact.kind != "read" and fact.came != TOUCHED]
        last = max(touched, key=lambda fact: fact.at)
        often = sum(fact.times for fact in touched)
        if changed:
            times = sum(fact.times for fact in changed)
            state = ", ".join(dict.fromkeys(fact.came for fact in changed if fact.came))
            how = "written" if all(fact.kind == "write" for fact in changed) else "edited"
            told = f"`{brief(path)}` {how}{f' {times} times' if times > 1 else ''}"
            yield InUse("file", path, f"{told} ({state})" if state else told, last.at)
        elif often > 1 or (last.at >= since and last.came != TOUCHED):
            told = f"`{brief(path)}` read{f' {often} times' if often > 1 else ''}"
            yield InUse("file", path, told, last.at)


def brief(path: str) -> str:
    """The end of a path: its file and the folders next to it."""
    parts = path.replace("\\", "/").split("/")
    return path if len(parts) <= PARTS else "/".join(("…", *parts[-PARTS:]))


def _ids(facts: Iterable[Fact], since: int) -> Iterator[InUse]:
    """The ids that calls used, each where it was used last."""
    used: dict[str, tuple[int, int]] = {}
    for fact in facts:
        for id in fact.refs.split() if fact.kind == "id" else ():
            used[id] = used.get(id, (0, 0))[0] + fact.times, fact.at
    for id, (times, at) in used.items():
        if times > 1 or at >= since:
            often = f" in {times} calls" if times > 1 else " in a call"
            yield InUse("id", id, f"`{id}` used{often}", at)
