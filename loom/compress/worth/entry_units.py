"""Units: the pieces of an entry that can stay in the window or leave it, each on its own.

A unit is a slice of a tool's result or of a message of the user, one long argument of a call (an
edit's old and new text apart), or one text of the model. A piece below LEAST tokens is none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from loom.compress.worth.identifiers import defined_names, identifiers
from loom.compress.worth.slices import (
    ExcerptPart,
    Range,
    line_marks,
    lines_with_ends,
    slice_ranges,
    strip_line_numbers,
    whole_text_of,
)
from loom.reduce import arguments
from loom.reduce.aliases import EDIT, READ, SEARCH, SHELL, WRITE, canonical_tool, is_name_of_edit
from loom.reduce.arguments import PATH_KEYS, json_object, path_argument
from loom.reduce.file_rules import CONTENT_KEYS
from loom.reduce.lines import says_file_call_failed
from loom.reduce.rule import canonical_tool_of_call
from loom_partitions.edits import Where
from loom_partitions.message import Call, Outcome, Said, Step, Text, UserTurn, name_of

LEAST = 24  # tokens
LEAST_CHARS = 60  # of a text: below it nobody counts its tokens
OLD_KEYS = (*arguments.OLD_KEYS, "before")
NEW_KEYS = (*arguments.NEW_KEYS, "after", *CONTENT_KEYS)
PAIRS = ("edits", "changes", "replacements")  # arguments that list pairs of old and new text
STARTS = ("offset", "start_line", "line_start", "start")
KINDS = {READ: "read", SEARCH: "search", SHELL: "shell", EDIT: "edit", WRITE: "write"}
REFUSED = "<tool_use_error>"
COMMANDS = ("command", "cmd", "script", "shell_command")  # arguments that are a command

UnitKey = tuple[str, str, int]  # what holds it (page or entry), the argument or call, first line
Count = Callable[[list[str]], list[int]]
Read = Callable[[str], str]


class EntryUnit(Struct, frozen=True, gc=False):  # it holds nothing that could hold it
    """A piece of an entry that can stay or leave on its own, with its place, size and terms.

    `where` and `at` are the kind and index of its place in the entry, `field` the argument of a
    call, `first` and `last` its lines in the text. `number` is the line of the file at which it
    begins, 0 if unknown; once `moved`, `number` is out of date. `path` is the file as the call
    named it. If `numbered`, a tool wrote line numbers; `text` and `tokens` omit them. `terms` are
    its identifiers, `shown` the line ranges shown, () for all."""

    key: UnitKey
    kind: str
    where: Where
    at: int
    tokens: int
    text: str
    path: str = ""
    field: str = ""
    first: int = 0
    last: int = 0
    number: int = 0
    numbered: bool = False
    moved: bool = False
    terms: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    shown: tuple[Range, ...] = ()

    @property
    def shown_ranges(self) -> tuple[Range, ...]:
        """Return the line ranges of the unit that are shown, as (first, last) pairs."""
        return self.shown or ((self.first, self.last),)

    @property
    def line(self) -> int:
        """Return the line of the file at which the unit now begins, 0 if unknown."""
        return self.number if self.numbered and not self.moved else 0

    @property
    def pieces(self) -> Iterator[ExcerptPart]:
        """Yield each shown range of lines as a part of an excerpt."""
        number = self.line
        if not self.shown:
            yield ExcerptPart((self.first, self.last), self.text, number)
            return
        lines = lines_with_ends(self.text)
        for first, last in self.shown:
            text = "".join(lines[first - self.first : last - self.first + 1])
            yield ExcerptPart((first, last), text, number and number + first - self.first)

    @property
    def marks(self) -> tuple[int, ...]:
        """Return a hash for each line of the unit, equal for equal lines."""
        return line_marks(self.text)

    @property
    def is_divisible(self) -> bool:
        """Return True if single lines of the unit can be shown."""
        lines = self.text.removesuffix("\n").count("\n") + 1
        return self.where != "call" and self.first > 0 and lines == self.height

    @property
    def height(self) -> int:
        """Return the number of lines from `first` to `last`."""
        return self.last - self.first + 1

    @property
    def file_lines(self) -> tuple[int, int]:
        """Return (first, last): the unit's first and last line number in the file."""
        start = self.number or self.first
        return start, start + self.last - self.first


def units_of(entry: UserTurn | Step, read: Read, count: Count) -> tuple[EntryUnit, ...]:
    """Return the units (pieces) of an entry. `read` gives a page's text, `count` counts tokens."""
    if isinstance(entry, UserTurn):
        kind = "other" if entry.call else "user"
        made = _text_units(entry.text, name_of(entry), "", kind, "user", 0, read, "")
    else:
        made = _step_units(entry, read)
    bare = [unit for unit in made if _counts_at_any_size(unit) or len(unit.text) >= LEAST_CHARS]
    sizes = count([unit.text for unit in bare])
    return tuple(
        with_tokens_and_terms(unit, tokens)
        for unit, tokens in zip(bare, sizes, strict=True)
        if _counts_at_any_size(unit) or tokens >= LEAST
    )


def may_come_back(unit: EntryUnit) -> bool:
    """Return True if a unit (piece) may be brought back to the window. Words of the user may not,
    because the user's words would look like the latest request."""
    bare = unit.where == "call" and unit.kind == "argument" and unit.field in COMMANDS
    return not (unit.kind in ("old", "user") or bare)


def units_by_place(units: Iterable[EntryUnit]) -> dict[tuple[str, int], list[EntryUnit]]:
    """Return the units (pieces of an entry) by place: the key is (`where`, `at`)."""
    places: dict[tuple[str, int], list[EntryUnit]] = {}
    for unit in units:
        places.setdefault((unit.where, unit.at), []).append(unit)
    return places


def excerpt_parts_of(units: Iterable[EntryUnit]) -> list[ExcerptPart]:
    """Return the shown lines of these units (pieces of entries) as parts of one excerpt."""
    return [piece for unit in units for piece in unit.pieces]


def _counts_at_any_size(unit: EntryUnit) -> bool:
    """Return True for a piece that is a unit even if small: lines of a text, text of an edit."""
    return unit.first > 0 or unit.kind in ("old", "new")


def with_tokens_and_terms(unit: EntryUnit, tokens: int) -> EntryUnit:
    """Return the unit with `tokens`, and with the identifiers and names defined in its text."""
    source = unit.kind in ("read", "write", "new")
    return replace(
        unit,
        tokens=tokens,
        terms=tuple(identifiers(unit.text)),
        defines=tuple(defined_names(unit.text)) if source else (),
    )


def _step_units(step: Step, read: Read) -> Iterator[EntryUnit]:
    """Yield the units (pieces) of a step's texts, calls and results, without counting tokens."""
    name = name_of(step)
    calls: dict[str, Call] = {}
    for at, part in enumerate(step.parts):
        if isinstance(part, Said):
            text = part.text.body or ""
            yield EntryUnit((name, "said", at), "said", "said", at, 0, text)
        elif isinstance(part, Call):
            calls[part.id] = part
            yield from _call_units(part, name, at)
    for at, outcome in enumerate(step.outcomes):
        yield from _result_units(outcome, calls[outcome.call_id], name, at, read)


def tool_of_call(call: Call) -> str:
    """Return the canonical name of a call's tool."""
    tool = canonical_tool(call.name)
    by_arguments = tool == EDIT and '"command"' in call.arguments
    if by_arguments or (tool == call.name and is_name_of_edit(tool)):
        return canonical_tool_of_call(call.name, json_object(call.arguments))
    return tool


def path_of_call(call: Call) -> str:
    """Return the path of the file that a call names, "" if it names none."""
    return path_argument(json_object(call.arguments))


def argument_texts(members: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (field, text) for each text in arguments; in a list the field is like "edits/0/old"."""
    for field, value in members.items():
        if isinstance(value, str) and value.strip() and field not in PATH_KEYS:
            yield field, value
        elif field in PAIRS and isinstance(value, list):
            for number, pair in enumerate(value):
                for key, text in pair.items() if isinstance(pair, dict) else ():
                    if isinstance(text, str) and text.strip():
                        yield f"{field}/{number}/{key}", text


def object_with_field(members: dict[str, Any], field: str) -> tuple[dict[str, Any], str]:
    """Return (object, key) for a field: "edits/0/old" → (first object in "edits", "old"); ({}, "")
    for no such field."""
    if field in members or "/" not in field:
        return members, field
    name, number, key = field.rsplit("/", 2)
    pairs = members.get(name)
    pair = pairs[int(number)] if isinstance(pairs, list) and int(number) < len(pairs) else None
    return (pair, key) if isinstance(pair, dict) else ({}, "")


def _call_units(call: Call, name: str, at: int) -> Iterator[EntryUnit]:
    """Yield the units (pieces) of the call at index `at` of step `name`."""
    members = json_object(call.arguments)
    path, tool = path_argument(members), tool_of_call(call)
    for field, value in argument_texts(members):
        kind = _argument_kind(tool, field.rpartition("/")[2])
        lines = lines_with_ends(value)
        ranges = slice_ranges(lines)
        for first, last in ranges if len(ranges) > 1 else [(0, 0)]:
            text = "".join(lines[first - 1 : last]) if first else value
            key = (name, f"{at}.{field}", first)
            yield EntryUnit(key, kind, "call", at, 0, text, path, field, first, last)


def _argument_kind(tool: str, field: str) -> str:
    """Return the kind of an argument: "old" or "new" for text of a file, else "argument"."""
    if tool == EDIT and field in OLD_KEYS:
        return "old"
    return "new" if tool in (EDIT, WRITE) and field in NEW_KEYS else "argument"


def _result_units(
    outcome: Outcome, call: Call, name: str, at: int, read: Read
) -> Iterator[EntryUnit]:
    """Yield the units (pieces) of the result at index `at` of step `name`."""
    tool = tool_of_call(call)
    kind = "error" if is_failed_result(outcome, tool) else KINDS.get(tool, "other")
    start = _first_line_asked_for(call) if kind == "read" else 0
    yield from _text_units(
        outcome.text, outcome.text.page or name, outcome.call_id, kind, "result", at, read,
        path_of_call(call), start,
    )  # fmt: skip


def is_failed_result(outcome: Outcome, tool: str) -> bool:
    """Return True for the result of a failed call."""
    body = outcome.text.body or ""
    if outcome.error or body.startswith(REFUSED):
        return True
    return tool in (EDIT, WRITE, READ) and says_file_call_failed(body, tool == READ)


def _first_line_asked_for(call: Call) -> int:
    """Return the line at which a file read was asked to begin; 1 if the call does not say."""
    given = json_object(call.arguments)
    span = given.get("view_range")
    asked = [given.get(key) for key in STARTS] + (list(span[:1]) if isinstance(span, list) else [])
    return next((line for line in asked if isinstance(line, int) and line > 0), 1)


def _text_units(
    text: Text, ref: str, call: str, kind: str, where: Where, at: int, read: Read, path: str,
    begins: int = 0,
) -> Iterator[EntryUnit]:  # fmt: skip
    """Yield the slices of a text as units. `ref` is the page or entry with the text. `begins` is
    the line of a file at which the text begins, 0 for no file."""
    whole = whole_text_of(text, read)
    if len(whole) < LEAST_CHARS:
        return
    lines = lines_with_ends(whole)
    owner = "" if text.page else call
    for first, last in slice_ranges(lines):
        piece, start = strip_line_numbers(lines[first - 1 : last])
        number = start or (begins and begins + first - 1)
        yield EntryUnit(
            (ref, owner, first), kind, where, at, 0, piece, path,
            first=first, last=last, number=number, numbered=start > 0,
        )  # fmt: skip
