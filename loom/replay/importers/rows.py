r"""Reads a file as rows of JSON. The file is JSONL (a value per line) or one JSON document.

Lines end only at "\n", since JSON strings may contain other line separators."""

from __future__ import annotations

import json
import os
from codecs import BOM_UTF8
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from loom.disk import plain_descriptor
from loom.errors import BadSession
from loom.lazy import lazy_re
from loom.replay.importers.loss_notes import LEFT_OUT

EVENTS = "events"  # the name of a folder with a file for each event
NOT_UTF8 = lazy_re("[\udc80-\udcff]")  # what `surrogateescape` makes of bytes that are no UTF-8
_SURROGATE = lazy_re(r"\\u[dD][89a-fA-F]")
# Bytes of a file. It is read whole, and parsed it takes some times as much memory; at four bytes a
# token this is 64 million tokens: dozens of sessions that each fill a window of a million.
LARGEST = 1 << 28
TORN_SHARE = 0.1  # of a file's lines that may be torn before it is no log of sessions
TORN_OFF, NULS = "it was torn while it was written", "NULs stood in its place"


class JsonRow(Struct, frozen=True):
    """One JSON value of a file, with notes on what was wrong with it. `line` is its line number
    from 1, or 0 for a document of several lines."""

    line: int
    value: Any
    notes: tuple[str, ...] = ()


def file_head(path: Path, size: int) -> bytes:
    """Return the first `size` bytes of a plain file, b"" if the file cannot be read."""
    try:
        with os.fdopen(plain_descriptor(path), "rb") as file:
            return file.read(size)
    except OSError:
        return b""


def read_rows(path: Path) -> list[JsonRow]:
    """Return the rows of a file, at least one. Damaged lines are left out, and the last row gets a
    note on each. Raises BadSession if the file cannot be read, is not a plain file, is larger than
    LARGEST bytes, is empty, or is not UTF-8 or JSON."""
    try:
        with os.fdopen(plain_descriptor(path), "rb") as file:
            if (size := os.fstat(file.fileno()).st_size) > LARGEST:
                raise OSError(f"{size:,} bytes, more than {LARGEST:,}: split it")
            data = file.read(size)
    except OSError as error:
        raise unreadable_error(path, error) from error
    text = decode_utf8(data)
    # A document that is spread over lines opens only one bracket at the margin: it is read whole or
    # not at all.
    several = sum(line.startswith(("{", "[")) for line in text.split("\n")) > 1
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines:
        raise BadSession(path, 0, "the file is empty: a recorded session was expected")
    if len(lines) == 1:
        return [json_row(path, *lines[0])]
    try:
        return [json_row(path, 0, text)]
    except BadSession:
        if not several:
            raise
    return _line_rows(path, lines, torn=not text.endswith("\n"))


def unreadable_error(path: Path, error: OSError) -> BadSession:
    """Return a BadSession for a file that the operating system could not read."""
    return BadSession(path, 0, f"cannot be read: {error.strerror or error}")


def decode_utf8(data: bytes) -> str:
    """Return bytes decoded as UTF-8. Invalid bytes become lone surrogates (`surrogateescape`)."""
    return data.removeprefix(BOM_UTF8).decode("utf-8", "surrogateescape")


def json_row(path: Path, number: int, text: str, *, unsaid: bool = False) -> JsonRow:
    """Parse one line of JSON and return it as a row. `number` is the line's number, or 0 if `text`
    is a whole document. Raises BadSession, also for NaN and infinities, which `unsaid` reads as
    null."""
    try:
        if found := NOT_UTF8.search(text):
            line, at = text.count("\n", 0, found.start()) + 1, found.start()
            raise BadSession(path, number or line, f"not UTF-8 (at character {at})")
        return _row_without_surrogates(
            number,
            text,
            json.loads(text, parse_constant=_null_constant if unsaid else _refuse_constant),
        )
    except RecursionError:
        raise BadSession(path, number, "the JSON is nested too deeply to be read") from None
    except ValueError as error:
        if isinstance(error, BadSession):
            raise
        line = number or getattr(error, "lineno", number)
        raise BadSession(path, line, f"malformed JSON: {error}") from error


def _line_rows(path: Path, lines: list[tuple[int, str]], *, torn: bool) -> list[JsonRow]:
    """Return the rows of JSONL. Of a line damaged by a crash, only whole values are kept, and the
    last row gets a note. `torn` is True if the last line has no newline. Raises BadSession for a
    line that no crash explains, and if too many lines are damaged."""
    rows: list[JsonRow] = []
    bad: list[BadSession] = []
    notes: list[str] = []
    begins: set[str] = set()  # how lines begin: by that one is found behind what was torn
    for number, line in lines:
        try:
            rows.append(json_row(path, number, line))
            begins.add(line[: line.find(":") + 1])
        except BadSession as error:
            found, whole = _salvage_rows(number, line, begins - {""})
            why = _crash_damage(line)
            if not (found or why):
                raise
            rows += found
            if whole:
                many = f"{len(found)} lines stood on it without a newline, and each was read"
                beside = many if len(found) > 1 else "NULs around it were passed over"
                notes.append(f"line {number}: {beside}")
            else:
                bad.append(error)
                notes.append(f"line {number}: {why or TORN_OFF}, and was {LEFT_OUT}")
    # Accepted: one damaged line, or beside a torn last line the share TORN_SHARE of all lines; and
    # in either case fewer damaged lines than rows (a torn last line is not counted).
    last = torn and bool(bad) and bad[-1].line == lines[-1][0]
    most = last + max(1 - last, TORN_SHARE * len(lines))
    if bad and (not rows or len(bad) > most or len(bad) - last >= len(rows)):
        raise bad[0]
    return [*rows[:-1], replace(rows[-1], notes=(*rows[-1].notes, *notes))]


def _salvage_rows(number: int, line: str, begins: set[str]) -> tuple[list[JsonRow], bool]:
    """Return (JSON values found on a bad line, True if there is nothing else on the line). `begins`
    has the first characters of good lines, at which a further value may begin."""
    found: list[JsonRow] = []
    whole = True
    for piece in filter(str.strip, line.split("\0")):
        rest = piece.strip()
        while rest:
            try:
                value, end = _DECODER.raw_decode(rest)
                if not isinstance(value, dict | list) or NOT_UTF8.search(rest[:end]):
                    raise ValueError("no message")
                found.append(_row_without_surrogates(number, rest[:end], value))
            except (ValueError, RecursionError):
                whole = False
                places = (rest.find(begin, 1) for begin in begins)
                end = min((at for at in places if at > 0), default=len(rest))
            rest = rest[end:].strip()
    return found, whole and bool(found)


def _crash_damage(line: str) -> str:
    """Return in words how a crash damaged a line (incomplete, NULs, or bytes that are not UTF-8),
    "" for any other fault."""
    try:
        json.loads(line)
    except json.JSONDecodeError as error:
        if error.msg.startswith("Unterminated") or error.pos >= len(line.rstrip()):
            return TORN_OFF
    except (ValueError, RecursionError):
        pass
    if NOT_UTF8.search(line):
        return "it held bytes that are no UTF-8"
    return "" if "\0" not in line else TORN_OFF if line.strip("\0 \t\r") else NULS


def _null_constant(constant: str) -> None:
    """Return None for a constant such as NaN. The JSON parser calls this."""
    return


def _refuse_constant(constant: str) -> float:
    """Raise ValueError for a constant such as NaN. The JSON parser calls this."""
    raise ValueError(f"{constant} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def _row_without_surrogates(line: int, text: str, value: Any) -> JsonRow:
    """Return `value` as a row, with unpaired surrogates replaced by U+FFFD and noted. `text` is the
    JSON that `value` was read from."""
    if _SURROGATE.search(text):
        said = json.dumps(value, ensure_ascii=False)
        mended = said.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        if mended != said:
            place = f"line {line}" if line else "the document"
            note = f"{place}: unpaired surrogates were replaced by U+FFFD"
            return JsonRow(line, json.loads(mended), (note,))
    return JsonRow(line, value)
