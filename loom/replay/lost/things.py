"""What the user laid down and which checks fail, and whether texts hold it; which files they name.

Both are the facts that Loom's own digest is made of. Where it is in doubt, a text holds a thing: a
name as it is written, what was said where two lines that follow each other share two of its words,
since a summary says things in words of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise

from msgspec import Struct

from loom.compress.digest.checked import checks, closed
from loom.compress.digest.collect import TYPED
from loom.compress.digest.state import brought_together
from loom.inputs import ClientCompaction, Session
from loom.lazy import lazy_re
from loom.reduce.verdict import failed
from loom.replay.lost.calls import calls_of
from loom.search.terms import asked
from loom.text import one_line
from loom_partitions.message import Fact

PARTS = 3  # of a path
LENGTH = 160  # characters of what was said
_SEVERAL = lazy_re(r"\w[_-]\w")
_ENDING = lazy_re(r"(?<=\w)\.\w{1,4}\b")  # of a file: with its name it would be two words


def words_of(text: str) -> frozenset[str]:
    """The words of a text that tell something."""
    return frozenset(asked(_ENDING.sub("", text)).words)


def _plain(text: str) -> str:
    """A text in small letters, on one line, in one kind of quotes, be it as it is or in JSON."""
    text = text.casefold().replace("\\n", " ").replace("\\", "").replace('"', "'")
    return " ".join(text.split())


class HeldTexts:
    """Some texts that stand in a window."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = tuple(texts)
        self._text = _plain("\n".join(self.texts))

    @cached_property
    def _pairs(self) -> list[frozenset[str]]:
        lines = [words_of(line) for text in self.texts for line in text.split("\n") if line.strip()]
        return [one | next for one, next in pairwise([*lines, frozenset[str]()])]

    def names(self, name: str) -> bool:
        """True where a name stands as it is, and is no part of another."""
        name, at = _plain(name), -1
        while (at := self._text.find(name, at + 1)) >= 0:
            ends = self._text[max(at - 1, 0) : at] + self._text[at + len(name) :][:1]
            if not any(one.isalnum() or one == "_" for one in ends):
                return True
        return False

    def says(self, said: str) -> bool:
        """True where two lines share two of the words of what was said, or its only one."""
        words = words_of(said)
        return any(len(words & lines) >= min(len(words), 2) for lines in self._pairs)


class InUse(Struct, frozen=True):
    """A rule, or a check that fails (`kind`): the words by which a text holds it, in any of its
    lines, as it is `written`, what is told of it, and the event it came from."""

    kind: str
    words: str
    written: str
    told: str
    at: int

    def held(self, texts: HeldTexts) -> bool:
        """True where the texts say something of it."""
        return any(map(texts.says, self.words.split("\n")))


def named(texts: HeldTexts, path: str) -> bool:
    """True where texts name a file; by several words before its ending as well."""
    name = path.rstrip("/").rpartition("/")[2]
    stem = name.rpartition(".")[0]
    return texts.names(name) or (bool(_SEVERAL.search(stem)) and texts.names(stem))


def said_before(facts: Sequence[Fact], events: Mapping[int, int]) -> Iterator[InUse]:
    """The rules, and the checks that fail, of the facts that stand; `events` has the event of each
    entry. A rule of few words that answers a question is none: it was acted on."""
    held = brought_together(facts)
    held = closed(held, [fact for fact in held if fact.kind == "ran"])
    remarks = {*_remarks(facts)}
    errors = [fact for fact in held if fact.kind == "error"]
    for fact in held:
        at = events.get(fact.at, 0)
        if fact.kind == "rule" and not fact.came and fact.text not in remarks:
            told = f'"{one_line(fact.text, LENGTH)}"'
            yield InUse("rule", fact.text, fact.text, told, at)
        elif fact.kind == "ran" and failed(fact.came) and checks(fact):
            why = [one.text for one in errors if one.about == fact.about]
            told = one_line("; ".join([f"`{fact.text}` {fact.came}", *why[:1]]), LENGTH)
            yield InUse("check", "\n".join((fact.about, *why)), fact.text, told, at)


def _remarks(facts: Sequence[Fact]) -> Iterator[str]:
    """Rules that are none: what goes with a question that a later message left behind; in a text
    with headings what stands behind the first sentence of its line; what leads to a list."""
    said = [fact for fact in facts if fact.kind in TYPED]
    asked = {fact.at for fact in said if fact.kind == "question" and fact.at < said[-1].at}
    headed = {fact.at for fact in said if fact.kind == "heading"}
    lines = set[tuple[int, str]]()
    for fact in said:
        behind = fact.at in headed and (fact.at, fact.about) in lines
        if fact.at in asked or behind or fact.text.endswith(":"):
            yield fact.text
        lines.add((fact.at, fact.about))


def unnamed(session: Session, compaction: ClientCompaction) -> list[str]:
    """The files that were read or changed since the compaction before and that neither the summary
    nor what was kept beside it names, the last touched first; none where no summary is recorded."""
    first = max((one.at for one in session.compactions if one.at < compaction.at), default=0)
    calls = [one for one in calls_of(session) if first <= one.at < compaction.at and one.done]
    found = dict.fromkeys(path for one in reversed(calls) for path in one.paths)
    held = HeldTexts((compaction.summary, *compaction.kept))
    return [path for path in found if compaction.summary and not named(held, path)]


def brief(path: str) -> str:
    """The end of a path: its file and the folders next to it."""
    parts = path.replace("\\", "/").split("/")
    return path if len(parts) <= PARTS else "/".join(("…", *parts[-PARTS:]))
