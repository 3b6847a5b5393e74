"""The front matter of a SKILL.md, read as kindly as can be: values are text, nothing is refused.

Theory of operation
-------------------
Skills are written for many clients, and some write what no YAML parser takes: a description with a
colon and no quotes is the common case (https://agentskills.io, "Handling malformed YAML"). So the
header is read as YAML, and where YAML refuses, line by line: a word and a colon at the margin
begin a field, everything up to the next one belongs to it. Either way a value is the text that
stands there (`yes` stays "yes", `1.10` stays "1.10"), a list is its items with commas between, and
`metadata` may be a mapping of texts. Whatever was not as the specification has it is a warning.

A key that stands twice keeps its *first* value: the specification is silent, YAML and the reference
library refuse it, and so a later line cannot replace what a reader saw at the top.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias, TypeVar

from msgspec import Struct

from loom.lazy import lazy_re
from loom.text import one_line, printable, size_of

HEADER = 65_536  # bytes of a header that are read
MARK = "---"
NONE = "no front matter: the name is the folder's, the description the first paragraph"
SHOWN = 5  # keys named in a warning
Value: TypeAlias = str | dict[str, str]
T = TypeVar("T")

_FIELD = lazy_re(r"([A-Za-z_][\w.-]*)[ \t]*:(?:[ \t]+(.*))?")
_BLOCK = lazy_re(r"[|>][-+0-9]{0,2}")
_HEADING = lazy_re(r"#{1,6}[ \t]+")


class NotRead(Exception):
    """A header that is no YAML; the text says what and, where known, in which line."""


class Front(Struct, frozen=True):
    """A header's fields ({} without a header), the text after it, and warnings."""

    fields: dict[str, Value]
    body: str
    warnings: tuple[str, ...] = ()


def front(text: str) -> Front:
    """The front matter of `text` and the body after it; never raises for what stands there."""
    header, body, warnings = split(text)
    if header is None:
        return Front({}, body, warnings)
    if size_of(header) > HEADER:
        kept = header.encode("utf-8", "replace")[:HEADER].decode("utf-8", "ignore")
        header = kept.rpartition("\n")[0]
        warnings += (f"the header is larger than {HEADER:,} bytes: the rest of it was not read",)
    try:
        pairs = _by_yaml(header)
    except NotRead as error:
        warnings += (f"the header is no YAML and was read line by line ({error})",)
        pairs = list(_by_line(header))
    fields, twice = _once((printable(key), value) for key, value in pairs)
    if twice:
        named = ", ".join(one_line(key, 40) for key in twice[:SHOWN])
        warnings += (f"written twice, the first stands: {named}",)
    return Front(fields, body, warnings)


def split(text: str) -> tuple[str | None, str, tuple[str, ...]]:
    """(header or None, body, warnings) of a text.

    The header lies between two lines that hold `---` and nothing else, the first of them the first
    line of the text that holds anything. A header that is not closed ends at its first empty line.
    """
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    start = next((at for at, line in enumerate(lines) if line.strip()), 0)
    if lines[start].rstrip() != MARK:
        return None, "\n".join(lines[start:]), (NONE,)
    rest = range(start + 1, len(lines))
    end = next((at for at in rest if lines[at].rstrip() == MARK), None)
    warnings: tuple[str, ...] = ()
    if end is None:
        end = next((at for at in rest if not lines[at].strip()), len(lines))
        warnings = ("the header is not closed with ---: it was read up to its first empty line",)
    return "\n".join(lines[start + 1 : end]), "\n".join(lines[end + 1 :]), warnings


def paragraph(body: str) -> str:
    """The first paragraph of a body on one line; its heading where there is nothing else.

    At most 1,024 characters, what a description may have.
    """
    held: list[str] = []
    heading = ""
    for line in body[:HEADER].split("\n"):
        stripped = line.strip()
        found = _HEADING.match(stripped)
        if found:
            heading = heading or stripped[found.end() :]
        elif stripped.strip("-=*_` "):
            held.append(stripped)
            continue
        if held:
            break
    return one_line(" ".join(held) or heading, 1_024)


def _by_yaml(header: str) -> list[tuple[str, Value]]:
    """The fields of a header as YAML has them; raises NotRead.

    Nodes are read as they were written: PyYAML's constructors would turn `yes` into a truth value.
    """
    import yaml

    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(header, yaml.BaseLoader)):
            raise NotRead("an alias (*): write the value out")  # few lines may stand for gigabytes
        node = yaml.compose(header, yaml.BaseLoader)
        if not isinstance(node, yaml.MappingNode):
            raise NotRead("it is no mapping of fields to values")
        return [(_flat(key), _value(value)) for key, value in node.value]
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 1}: " if mark else ""
        raise NotRead(f"{where}{error.problem or error.context}") from None
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
        raise NotRead(str(error).split("\n", 1)[0]) from None


def _value(node: Any) -> Value:
    if node.id == "mapping":
        return _once((_flat(key), _flat(value)) for key, value in node.value)[0]
    return _flat(node)


def _flat(node: Any) -> str:
    """A node of YAML as one text."""
    if node.id == "mapping":
        return ", ".join(f"{_flat(key)}: {_flat(value)}" for key, value in node.value)
    if node.id == "sequence":
        return ", ".join(map(_flat, node.value))
    return printable(node.value)


def _once(pairs: Iterable[tuple[str, T]]) -> tuple[dict[str, T], list[str]]:
    """(the first value of every key, the keys that came again)."""
    made: dict[str, T] = {}
    again: dict[str, None] = {}
    for key, value in pairs:
        if key in made:
            again[key] = None
        made.setdefault(key, value)
    return made, list(again)


def _by_line(header: str) -> Iterator[tuple[str, Value]]:
    """The fields of a header no YAML parser takes."""
    fields: list[tuple[str, str, list[str]]] = []
    for line in header.split("\n"):
        found = _FIELD.fullmatch(line)
        if found:
            fields.append((found[1], (found[2] or "").strip(), []))
        elif fields:
            fields[-1][2].append(line)
    for key, first, rest in fields:
        yield key, _gathered(first, rest)


def _gathered(first: str, rest: list[str]) -> Value:
    """The value of a field: what stands on its line, and the lines below it."""
    lines = [line.strip() for line in rest if line.strip()]
    if _BLOCK.fullmatch(first):
        return ("\n" if first[0] == "|" else " ").join(lines)
    lines = [line for line in lines if not line.startswith("#")]
    if first or not lines:
        return _unquoted(" ".join([first, *lines]))
    if all(line.startswith("- ") for line in lines):
        return ", ".join(_unquoted(line[2:]) for line in lines)
    inner = [_FIELD.fullmatch(line) for line in lines]
    if all(inner):
        return _once((found[1], _unquoted(found[2] or "")) for found in inner if found)[0]
    return " ".join(lines)


def _unquoted(text: str) -> str:
    text = text.strip()
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1] if quoted else text
