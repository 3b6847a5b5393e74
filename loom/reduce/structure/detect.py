"""Tell the kind of a text by a bounded look at its content.

The sample is the first lines and some from the middle and the end, so that a log that ends in a
JSON body is a log. Names of tools and files are not known here.
"""

from __future__ import annotations

import re
from collections import Counter

from msgspec import Struct

from loom.lazy import lazy_re
from loom.reduce.structure.dialects import dialect_of
from loom.reduce.structure.lines.diffs import is_diff
from loom.reduce.structure.lines.excerpt import numbers_itself, split
from loom.reduce.structure.lines.line_templates import mask
from loom.reduce.structure.lines.listings import listing_of
from loom.reduce.structure.lines.outline import depth_of
from loom.reduce.structure.values.decode import decode

PREFIX = 32_000  # characters looked at from the start
PART = 8_000  # characters looked at in the middle and at the end
LINES = 200
LONG = 400  # characters of a line of markup on few lines

_SPACE = lazy_re(r"\s*+")
_HTML = lazy_re(r"\s*+<(?:!doctype html|html|head|body)\b", re.IGNORECASE)
_MARKUP = lazy_re(r"\s*+(?:<\?xml|<!DOCTYPE|<[A-Za-z][\w:.-]*[ />])")
_TAGS = lazy_re(
    r"</?(?:p|div|span|a|ul|ol|li|table|tr|td|th|h[1-6]|br|img|section|article|nav|form|script|"
    r"style|button|input|meta|link|title)\b",
    re.IGNORECASE,
)
_STAMP = lazy_re(
    r"\W{0,2}(?:\d{4}[-/.]\d\d[-/.]\d\d[T ,]|\d\d?[:.]\d\d[:.]\d\d|[A-Z][a-z]{2} +\d{1,2} \d\d:|"
    r"\d{10}(?:\.\d+)?\b|\d{1,3}(?:\.\d{1,3}){3} )"
)
_LEVEL = lazy_re(
    r".{0,60}?\b(?:DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|TRACE|PASS(?:ED)?|FAIL(?:ED)?|debug|"
    r"info|warn|ok)\b"
)
_CODE = lazy_re(r".*(?:[{};,(\[]|:)\s*$")


class TextSample(Struct, frozen=True):
    """The part of a text that is examined: first lines, and more from the middle and the end."""

    start: str
    head: list[str]
    more: list[str]


def sample_of(text: str) -> TextSample:
    """The sample of a text; bounded, whatever its length."""
    # Leading blanks, however many, are no content.
    begin = _SPACE.match(text).end() if text[:1].isspace() else 0  # type: ignore[union-attr]
    begin = text.rfind("\n", 0, begin) + 1
    start = text[begin : begin + PREFIX]
    head = split(start)[:LINES]
    if len(start) == PREFIX and len(head) > 1 and len(head) < LINES:
        head.pop()  # its last line is cut
    more: list[str] = []
    for at in (len(text) // 2, len(text) - PART):
        if at > begin + PREFIX:
            more += split(text[at : at + PART])[1:-1]
    return TextSample(start, head, more[:LINES])


def kind_of(sample: TextSample) -> str:
    """jsonl, html, markup, diff, table, log or text."""
    told = [line for line in sample.head + sample.more if line.strip()]
    if _is_jsonl(sample, told):
        return "jsonl"
    if _is_html(sample.start):
        return "html"
    if _MARKUP.match(sample.start) and len(sample.start) > LONG * len(sample.head):
        return "markup"
    if numbers_itself(sample.head):
        return "text"
    if is_diff(told):
        return "diff"
    if listing_of(told):
        return "log"
    if dialect_of(sample.head) is not None:
        return "table"
    return "log" if _is_log(told) else "text"


def _is_jsonl(sample: TextSample, told: list[str]) -> bool:
    """True when most lines are JSON objects or lists, each on its own."""
    opening = sum(line.lstrip()[:1] in ("{", "[") for line in told)
    if len(told) < 2:  # perhaps lines longer than the sample: the reducer finds out
        return bool(told) and told[0].lstrip()[:2] == '{"' and len(sample.start) == PREFIX
    if opening * 5 < 3 * len(told):
        return False
    tried = [line for line in sample.head if line.strip()][:8]
    # One line, itself cut by the sample, proves nothing against it.
    return 2 * sum(decode(line)[0] for line in tried) >= len(tried)


def _is_html(start: str) -> bool:
    """True when a text opens as a page, or is made of its tags."""
    if _HTML.match(start):
        return True
    if start.lstrip()[:1] != "<":
        return bool(_HTML.match(start[start.find("<") :])) and 0 < start.find("<") < 400
    tags = len(_TAGS.findall(start))
    return not start.lstrip().startswith("<?xml") and tags > 4 and tags * 300 > len(start)


def _is_log(told: list[str]) -> bool:
    """True for the output of a running program: stamped, levelled, or of few templates."""
    if len(told) < 6:
        return False
    count = len(told)
    stamped = sum(bool(_STAMP.match(line)) for line in told)
    levelled = sum(bool(_LEVEL.match(line)) for line in told)
    if 10 * stamped > 3 * count or 10 * levelled > 4 * count:
        return True
    heads = sum(depth_of(line) is not None for line in told)
    code = sum(bool(_CODE.match(line[:400])) for line in told)
    if 10 * code > 3 * count or 10 * heads > 3 * count:
        return False
    masks = Counter(map(mask, told))
    varied = Counter(text.split(" ", 1)[0] for text in masks.elements() if text[:1].isalnum())
    repeated = sum(
        times for text, times in masks.items() if times > 1 and ("#" in text or "*" in text)
    )
    common = sum(times for _, times in varied.most_common(2))
    return 2 * repeated > count or 10 * common > 6 * count
