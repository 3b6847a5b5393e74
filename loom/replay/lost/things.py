"""What is in use in a session at a moment, and when a text holds it.

Rules and decisions of the user, and checks that fail, are the facts that Loom's own digest is made
of; files and ids are told by the calls (`touched`). Where it is in doubt, a text holds a thing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from loom.compress.digest.checked import checks, closed
from loom.compress.digest.collect import TYPED
from loom.compress.digest.state import brought_together
from loom.lazy import lazy_re
from loom.reduce.notes import RAN
from loom.reduce.verdict import failed
from loom.replay.lost.holding import HeldTexts, stems
from loom.text import one_line
from loom_partitions.message import Fact

NEAR = 120  # messages before a compaction in which something is in use …
RECENT = 40  # … that was touched once
PARTS = 3  # of a path
LENGTH = 160  # characters of what was said
QUESTION = 4  # telling words of a question, by which its answer is known, or of a line that is told
_SEVERAL = lazy_re(r"\w[_-]\w")


class InUse(Struct, frozen=True):
    """A thing in use: its kind (rule, answer, file, check, id), the name or the words by which a
    text holds it, what is told of it, and the event it came from. `about` are names and lines by
    which a text tells of it in other words, `also` the other forms of an id."""

    kind: str
    name: str
    told: str
    at: int
    about: tuple[str, ...] = ()
    also: tuple[str, ...] = ()

    def held(self, texts: HeldTexts) -> bool:
        """True where the texts hold it, by its name or in other words."""
        return self.named(texts) or any(map(texts.tells, self.about))

    def named(self, texts: HeldTexts) -> bool:
        """True where the texts name a file or an id, or say the rest."""
        if self.kind == "answer":  # as it was typed, one word in quotes, or by what was asked
            said = self.name.partition("\n")[0].strip(" .!")
            return texts.names(said if " " in said else f'"{said}"') or texts.says(stems(self.name))
        if self.kind in ("rule", "check"):
            parts = self.name.split("\n")
            return any(texts.says(stems(part)) or texts.names(part) for part in parts)
        if self.kind == "id":
            return any(map(texts.names, (self.name, *self.also)))
        name = self.name.rstrip("/").rpartition("/")[2]
        stem = name.rpartition(".")[0]  # of several words it says as much as the whole
        return texts.names(name) or (bool(_SEVERAL.search(stem)) and texts.names(stem))


def in_use(
    facts: Sequence[Fact], events: Mapping[int, int], first: int, end: int
) -> Iterator[InUse]:
    """What was said, and the checks that fail, of the facts that stand before the event `end`;
    `events` has the event of each entry, `first` is the one after the compaction before."""
    passing = {*_remarks(facts)}
    held = brought_together(facts)
    held = closed(held, [fact for fact in held if fact.kind == "ran"])
    for fact in (fact for fact in held if fact.kind in TYPED and not fact.text.startswith(RAN)):
        asked, told = question_of(fact), one_line(fact.text, LENGTH)
        at = events.get(fact.at, 0)
        if len(stems(asked)) >= QUESTION and fact.kind != "question":
            if at >= max(first, end - NEAR):  # an older one was acted on, or overtaken
                answer = f"{fact.text}\n{asked}"
                yield InUse("answer", answer, f'"{told}" to "{asked}"', at)
        elif fact.kind == "rule" and not asked and stems(fact.text) and fact.text not in passing:
            yield InUse("rule", fact.text, f'"{told}"', at)
    errors = [fact for fact in held if fact.kind == "error"]
    for fact in held:
        at = events.get(fact.at, 0)
        if fact.kind == "ran" and failed(fact.came) and checks(fact) and at >= end - NEAR:
            why = [one.text for one in errors if one.about == fact.about]
            told = "; ".join([f"`{fact.text}` {fact.came}", *why[:1]])
            yield InUse("check", "\n".join((fact.about, *why)), one_line(told, LENGTH), at)


def _remarks(facts: Sequence[Fact]) -> Iterator[str]:
    """Rules that are none: what goes with a question that a later message left behind; in a text
    with headings what stands behind the first sentence of its line."""
    typed = [fact for fact in facts if fact.kind in TYPED]
    asked = {fact.at for fact in typed if fact.kind == "question" and fact.at < typed[-1].at}
    headed = {fact.at for fact in typed if fact.kind == "heading"}
    lines = set[tuple[int, str]]()
    for fact in typed:
        if fact.at in asked or (fact.at in headed and (fact.at, fact.about) in lines):
            yield fact.text
        lines.add((fact.at, fact.about))


def question_of(fact: Fact) -> str:
    """The question that a message of a few words answers; "" for any other."""
    lead, end = '(to "', '", step_'
    return fact.came[len(lead) :].rpartition(end)[0] if fact.came.startswith(lead) else ""


def brief(path: str) -> str:
    """The end of a path: its file and the folders next to it."""
    parts = path.replace("\\", "/").split("/")
    return path if len(parts) <= PARTS else "/".join(("…", *parts[-PARTS:]))
