"""What was in use at a compaction, and whether texts hold it.

Rules of the user and failing checks are the facts that Loom's own digest is made of. A file is in
use where calls show that it was: it was opened again afterwards, at a place that had been read or
after it had been changed. One that was edited without being read was still known. Where it is in
doubt, a text holds a thing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct

from loom.compress.digest.checked import checks, closed
from loom.compress.digest.collect import TYPED
from loom.compress.digest.state import brought_together
from loom.inputs import ClientCompaction, Session
from loom.lazy import lazy_re
from loom.reduce.verdict import failed
from loom.replay.lost.calls import Called, calls_of
from loom.replay.lost.holding import HeldTexts
from loom.text import one_line
from loom_partitions.message import Fact

PARTS = 3  # of a path
LENGTH = 160  # characters of what was said
_SEVERAL = lazy_re(r"\w[_-]\w")


class InUse(Struct, frozen=True):
    """A thing in use: its kind (rule, check, file), the `words` by which a text holds it,
    what is told of it, the event it came from, and the one at which it was needed again, -1 for
    none. `written` is how Loom has it, the path of a file; `known`: what was done then shows that
    it was held."""

    kind: str
    words: str
    written: str
    told: str
    at: int
    needed: int = -1
    known: bool = False

    def held(self, texts: HeldTexts) -> bool:
        """True where the texts name the file, or say something of the rest."""
        if self.kind == "file":
            return self.known or named(texts, self.written)
        return any(map(texts.says, self.words.split("\n")))

    def stands(self, texts: HeldTexts) -> bool:
        """True where the texts have it as it is: Loom says nothing in other words."""
        return (named(texts, self.written)) if self.kind == "file" else texts.names(self.written)


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


def touched(calls: Sequence[Called]) -> dict[str, list[Called]]:
    """The calls that read or changed each file, the file that was touched last behind the rest."""
    found: dict[str, list[Called]] = {}
    for one in (one for one in calls if one.done):
        for path in one.paths:
            found[path] = [*found.pop(path, ()), one]
    return found


def files_in_use(
    before: Sequence[Called], after: Sequence[Called], again: Collection[str]
) -> Iterator[InUse]:
    """The files of calls before a compaction that calls after it opened; `again` are those of which
    the same place was read."""
    later = touched(after)
    for path, calls in touched(before).items():
        changed = any(one.changes for one in calls)
        if path in later and (changed or path in again):
            did = "changed" if changed else "read"
            opened, told = later[path][0], f"`{brief(path)}` {did}"
            yield InUse("file", path, path, told, calls[-1].at, opened.at, opened.changes)


def unnamed(session: Session, compaction: ClientCompaction) -> list[str]:
    """The files that were read or changed since the compaction before and that neither the summary
    nor what was kept beside it names, the last touched first; none where no summary is recorded."""
    first = max((one.at for one in session.compactions if one.at < compaction.at), default=0)
    calls = [one for one in calls_of(session) if first <= one.at < compaction.at]
    held = HeldTexts((compaction.summary, *compaction.kept))
    found = [*touched(calls)] if compaction.summary else []
    return [path for path in reversed(found) if not named(held, path)]


def brief(path: str) -> str:
    """The end of a path: its file and the folders next to it."""
    parts = path.replace("\\", "/").split("/")
    return path if len(parts) <= PARTS else "/".join(("…", *parts[-PARTS:]))
