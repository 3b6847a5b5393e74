"""The obligations that guides state: run a command before or after something.

Theory of operation
-------------------
An obligation is an imperative with a command in it and the moment it is for: "Always run `make
check` before committing", "After changing a model, run `make schema`", "`ruff` must pass before
merging", or an item "Run `make lint`" of a list under "Before you commit". It is read only where a
command is named, in a code span or by the name of a program that is known to check or to run a
project's tasks, and only as an order: what is forbidden, allowed, or told of others is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct

from loom.capabilities.memory.merging import GuidePart
from loom.capabilities.memory.statements import Statement, spans, statements
from loom.lazy import lazy_re
from loom.reduce.programs import CHECK_WORDS, CHECKS, TASKS
from loom.text import cut, one_line

DO_CHARS, WHEN_CHARS = 116, 70  # of what is to be done, and when
ID_CHARS = 40
SHOWN_MOST = 4  # commands of a code block: a longer one is a procedure
LONGEST = 600  # characters of a statement: a longer one is an essay

_WHEN = (
    r"(?:before|prior to|after|whenever|when|every time|each time|on every|on each"
    r"|if you (?:have )?(?:add|chang|edit|modif|updat|touch|renam|remov|mov|delet)\w*)"
)
_LEAD = lazy_re(
    r"(?:(?:always|must|shall|should|please|then|also|first|next|finally|and|you|we|agents?"
    r"|contributors?|developers?|they|remember to|make sure (?:to|you|that you)|be sure to"
    r"|ensure (?:that )?you|(?:need|needs|have|has) to|(?:is|are) required to|required:?"
    r"|important:?|note:?|rule:?)[\s,]+)*",
    re.IGNORECASE,
)
_RUN = lazy_re(r"(?:re-?run|run|execute|invoke)\s+(?:both\s+|the\s+)?", re.IGNORECASE)
_MUST = lazy_re(r"\s+(?:must|should|has to|needs to)\s+(?:pass|be run|succeed|be green)\b", re.I)
_JOIN = lazy_re(r"\s*(?:,\s*)?(?:and then|and|then|,|&&?|\+)\s*(?:re-?run\s+|run\s+)?", re.I)
_TRIGGER = lazy_re(rf"[\s,(]*(?P<when>\b{_WHEN}\b)", re.IGNORECASE)
_OPENING = lazy_re(rf"\s*(?:always\s+)?(?P<when>{_WHEN}\b(?:[^,:;.]|\.(?=\w))*?)", re.IGNORECASE)
_CLAUSE = lazy_re(r"(?:^|[,:;—–]\s*|\s-+\s+|\s(?:and|then)\s+|\s(?=(?:always\s+)?run\s))", re.I)
_WITHIN = lazy_re(r"(?<![,:;—–-])(?<!\band)(?<!\bthen)$", re.IGNORECASE)  # no clause ends
_AGAINST = lazy_re(
    r"\b(?:not|never|avoid|without|unless|instead of|rather than|no need|needn't|don['’]t|can"
    r"|could|may|might|optional(?:ly)?|consider|cannot|can['’]t|won['’]t|shouldn['’]t|mustn['’]t)\b",
    re.IGNORECASE,
)
_SHELL = lazy_re(
    r"(?:[A-Z_][A-Z0-9_]*=\S* +)*(?P<program>(?:\./|~/|/)?[A-Za-z0-9][\w.+-]*(?:/[\w.+-]+)*)"
    r"(?P<rest>(?:\s+\S.*)?)$"
)
_VIA = lazy_re(r"[^,:;.`]{1,80}?\s(?:via|with|using)\s+(?=`)", re.IGNORECASE)
_PLAIN = lazy_re(
    rf"(?P<command>[a-z][\w.-]*(?:\s+[a-z0-9:_./-]+){{0,3}}?)(?=\s+(?:{_WHEN})\b|[,.;]|$)", re.I
)
_TO_RUN = lazy_re(r",?\s*(?:always|please|you must|make sure to)?\s*(?:run)?\s*:$", re.I)
_SCRIPT = lazy_re(r"\.(?:sh|bash|py|js|mjs|ts|rb|pl|php|ps1)$")
_FILE = lazy_re(r"\.[A-Za-z]{1,5}$|/$")
_THIS = r"(?:\s+[^,:;`]{1,60}?)?"
_RUN_THIS = lazy_re(
    rf"(?:{_LEAD.pattern})(?:re-?run|run|execute){_THIS}\s+(?P<when>{_WHEN}\b[^,:;]*)", re.I
)
_THEN_THIS = lazy_re(
    rf"(?:always\s+)?(?P<when>{_WHEN}\b[^,:;]*?),?"
    rf"(?:\s*(?:{_LEAD.pattern})(?:re-?run|run|execute){_THIS})?",
    re.I,
)
_PROGRAMS = CHECKS | TASKS | CHECK_WORDS.keys() | {"uv", "uvx", "npx", "pipx", "bundle", "poetry"}
_PLACE = lazy_re(r"(?:[^,:;.()—–]|\.(?=\w))*")


class GuideObligation(Struct, frozen=True):
    """What a guide wants done: `do` ("run make test"), `when` ("before committing"), and where.

    `id` is made of the command, and the same as long as the rule is.
    """

    id: str
    do: str
    when: str
    path: str
    line: int

    @property
    def text(self) -> str:
        """Both as one line."""
        return f"{self.do} {self.when}"

    @property
    def where(self) -> str:
        """The file and the line."""
        return f"{self.path}:{self.line}"


def obligations(parts: Iterable[GuidePart]) -> tuple[GuideObligation, ...]:
    """The obligations of the guides in force; one that two state is the closest one's."""
    found: dict[tuple[str, str], GuideObligation] = {}
    for part in parts:
        for do, when, line in obligations_of(statements(part.lines)):
            found[do.casefold(), when.casefold()] = GuideObligation(
                "", do, when, part.guide.path, line
            )
    ids: set[str] = set()
    made: list[GuideObligation] = []
    for one in found.values():
        named = next(id for id in _ids(one) if id not in ids)
        ids.add(named)
        made.append(GuideObligation(named, one.do, one.when, one.path, one.line))
    return tuple(made)


def _ids(one: GuideObligation) -> Iterator[str]:
    """Names for an obligation, the shortest first: of its command, with its moment, numbered."""
    do = _slug(one.do.partition(" ")[2]) or "obligation"
    yield do
    long = cut(f"{do}-{_slug(one.when)}", 2 * ID_CHARS - 8).rstrip("…-")
    yield long
    number = 2
    while True:
        yield f"{long}-{number}"
        number += 1


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower())[:ID_CHARS].strip("-")


def obligations_of(found: Iterable[Statement]) -> Iterator[tuple[str, str, int]]:
    """(do, when, line) of each obligation that statements state."""
    for statement in found:
        if len(statement.text) > LONGEST:
            continue
        said = _stated(statement)
        if said is not None:
            do, when = said
            yield one_line(do, DO_CHARS), one_line(when, WHEN_CHARS), statement.line


def _stated(statement: Statement) -> tuple[str, str] | None:
    """(do, when) of a statement that states an obligation."""
    text = statement.text
    if statement.code:
        return _shown(statement)
    for start in _clauses(text):
        do = _ordered(text, start)
        if do is None:
            continue
        said, end = do
        trigger = _TRIGGER.match(text, end)
        before = text[:start].strip()
        opening = _OPENING.fullmatch(before.rstrip(" ,:;—–-")) if before else None
        if opening is not None:
            return said, _moment(opening["when"])
        if before and _WITHIN.search(before):
            continue
        if trigger is not None and not _AGAINST.search(before):
            place = _PLACE.match(text, trigger.end("when"))
            assert place is not None
            if place[0].strip():
                return said, _moment(trigger["when"] + place[0])
        elif trigger is None and statement.item and not before:
            above = _OPENING.fullmatch(_above(statement).rstrip(" :,"))
            if above is not None and not _AGAINST.search(above["when"]):
                return said, _moment(above["when"])
    return None


def _shown(statement: Statement) -> tuple[str, str] | None:
    """(do, when) of a statement that introduces a code block: "Before you push, run:"."""
    said = statement.text.rstrip(" :")
    lines = [line.partition(" #")[0].strip() for line in statement.code]
    commands = [line for line in lines if line and not line.startswith("#")]
    if not 0 < len(commands) <= SHOWN_MOST or not all(map(is_command, commands)):
        return None
    for form in (_RUN_THIS, _THEN_THIS):
        found = form.fullmatch(said)
        if found is not None and not _AGAINST.search(said):
            return f"run {' and '.join(commands)}", _moment(found["when"])
    return None


def _above(statement: Statement) -> str:
    """What a list item stands under: its introduction, or the heading where there is none."""
    if statement.under:
        return _TO_RUN.sub("", statement.under)
    return statement.headings[-1] if statement.headings else ""


def _clauses(text: str) -> Iterator[int]:
    """Where the clauses of a statement begin, code spans left alone."""
    inside = [(start, end) for start, end, _ in spans(text)]
    seen: set[int] = set()
    for found in _CLAUSE.finditer(text):
        at = found.end()
        if at not in seen and not any(start < at < end for start, end in inside):
            seen.add(at)
            yield at


def _ordered(text: str, start: int) -> tuple[str, int] | None:
    """(what an order that begins at `start` says to run, where it ends); None for no order."""
    lead = _LEAD.match(text, start)
    at = lead.end() if lead is not None else start
    run = _RUN.match(text, at)
    commands, end = _commands(text, run.end() if run is not None else at, plain=run is not None)
    if not commands:
        return None
    if run is None:
        passes = _MUST.match(text, end)
        labelled = _OPENING.fullmatch(text[:start].strip().rstrip(" ,:;—–-"))
        if passes is not None:
            end = passes.end()
        elif text[end:].strip(" .!") or ((labelled is None or ":" not in text[:start]) and at):
            return None
    return f"run {' and '.join(commands)}", end


def _commands(text: str, at: int, *, plain: bool) -> tuple[list[str], int]:
    """The commands that stand at a place, one behind the other, and where the last one ends."""
    held = {start: (end, code) for start, end, code in spans(text)}
    found: list[str] = []
    end = at
    while at in held:
        stop, code = held[at]
        if not is_command(code):
            break
        found.append(code)
        end = stop
        more = _JOIN.match(text, stop)
        at = more.end() if more is not None else -1
    if not found and plain:
        via = _VIA.match(text, at)
        if via is not None and via.end() in held and is_command(held[via.end()][1]):
            return [held[via.end()][1]], held[via.end()][0]
        said = _PLAIN.match(text, at)
        if said is not None and said["command"].split()[0] in _PROGRAMS:
            return [said["command"]], said.end("command")
    return found, end


def is_command(code: str, *, known: bool = False) -> bool:
    """True when the text of a code span is a command: a program, not a file, a call or a name.

    With `known` a single word counts only as the name of a known program.
    """
    found = _SHELL.fullmatch(code)
    if found is None or len(code) > DO_CHARS - 4:
        return False
    program, rest = found["program"], found["rest"].strip()
    name = program.rpartition("/")[2]
    if name in _PROGRAMS or (_SCRIPT.search(name) and (rest or not known)):
        return True
    if _FILE.search(program) or "(" in code or "=" in program:
        return False
    return bool(rest) or (program.islower() and not known)


def _moment(text: str) -> str:
    """When, as it is told: in small letters where it begins, without marks."""
    said = text.replace("`", "").strip(" ,;:.")
    first, gap, rest = said.partition(" ")
    return first.lower() + gap + rest
