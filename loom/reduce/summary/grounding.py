"""Grounding: everything a summary names must stand in its payload.

Theory of operation. A summary is split into pieces at blanks, brackets and quotation marks. A piece
names something, by its form alone: a quotation, a URL, a piece that holds a digit, a joint or a
capital inside (`INC-1042`, `src/a.py`, `getUser`), a word in capitals, a capitalised word that
begins no sentence. Each named thing is searched in the *readings* of the payload (as it stands,
with the escapes of JSON and the entities of HTML undone) by a pattern on its own bounds: `INC-104`
is not in `INC-1042`. Numbers are equal by value: `1,204` is `1204`, and `87.50` is `87.5`.

What a summary says of a named thing is not judged: a false verb passes, an invented id does not.
Names in small letters, at a sentence's start, or in a script without capitals pass as words."""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from loom.lazy import lazy_re
from loom.reduce.arguments import parse_json
from loom.reduce.entities import is_path
from loom.reduce.lines import count_lines, human_size, plural
from loom.search.terms import STOP, UNSPACED, sought_terms
from loom.text import utf8_size

MOST = 16  # ungrounded things told
LISTS = 8  # lists of an object that are counted
NESTED = 2  # JSON within JSON
HELD = "\ue000"  # stands for an escaped backslash while the other escapes are undone
WORD = rf"[^\W{UNSPACED}]"  # of a script that parts its words
# What a summary may call the thing it sums up.
FORMATS = frozenset(("JSON", "JSONL", "HTML", "XML", "CSV", "TSV", "YAML", "TOML", "PDF", "SQL",
                     "URL", "URI", "API", "HTTP", "ID", "OK", "UTF-8"))  # fmt: skip
# Function words of a language that capitalises every noun: two of them show it.
_GERMAN = frozenset(("der", "die", "das", "des", "und", "ist", "nicht", "mit", "für", "von", "dem",
                     "wurde", "auf", "durch", "wird", "ein", "eine", "im"))  # fmt: skip

_ENDS = rf"\s<>\"'`{{}}|\\^…{UNSPACED}"
_URL = lazy_re(rf"(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9+.-]{{1,19}}://[^{_ENDS}]+")
# Quotations are bounded, so that a mark that is never closed costs no more than one that is.
_QUOTED = lazy_re(
    r"\"([^\"\n]{1,400})\"|“([^”\n]{1,400})”|„([^“”\n]{1,400})[“”]|«([^»\n]{1,400})»"
    r"|「([^」\n]{1,400})」|``?([^`\n]{1,400})``?|(?<![\w'])'([^'\n]{1,400})'(?![\w'])"
)
_ITEM = lazy_re(r"^[ \t]*(?:[-*•+#>]+[ \t]+)?(?:\d{1,3}[.)](?=[ \t]))?", re.MULTILINE)
_NUMBER = r"\d+(?:[,'’_\u00a0\u202f]\d{3}(?!\d))*(?:[.,]\d+)*"
_PIECE = lazy_re(
    rf"{_NUMBER}%?(?=[\s,;)!?{UNSPACED}]|\.(?!\d)|$)|[^\s\"“”„«»‹›「」『』《》`<>(){{}}\[\],;|，。、；：！？（）…{UNSPACED}]+"
)
_TRIM = "*'’‘.:!?=+&–—#$€£¥≈≥≤^×±→•·"
_MEASURE = lazy_re(rf"({_NUMBER})(?:%|°|[A-Za-zµ]{{1,4}})?")
_COMPOUND = lazy_re(r"[:=/]|(?<=\d)(?:-|–|\.\.)(?=\d)|(?<=\d)-(?=[a-z])|(?<=[a-zß-ÿ])-(?=[A-Z])")
_PLACE = lazy_re(":")  # between a file and a line of it
_TELLS = lazy_re(r"\d|_|@|\\|\w\.\w|/|::|[a-zß-ÿ][A-ZÀ-Þ]|[A-ZÀ-Þ]{2}[a-rt-zß-ÿ]|--\w")
_LONG = lazy_re(r"[a-z]+(?:-[a-z]+){2,}")
_SENTENCE = lazy_re(r"(?:^|[.!?。！？…][\"”’')\]*_]*\s)[\s\"“„'(\[*_>#|-]*$")
_ABBREVIATED = lazy_re(r"(?:^|\s)(?:[A-Z][a-z]{0,2}|(?:\w\.)+\w)\.\s+$")
_MAYBE = lazy_re(r"[:：(\[\"“„'|–—-][\s*_\"“„]*$")
_GROUP = lazy_re(r"(?<=\d)[,'’_\u00a0\u202f ](?=\d{3}(?!\d))")
_DECIMAL = lazy_re(r"(?<=\d),(?=\d)")
_FRACTION = lazy_re(r"(?<![\d.])\d+\.\d+(?!\.?\d)")
_CODES = lazy_re(r"\\u[0-9a-fA-F]{4}(?:\\u[0-9a-fA-F]{4})*")
_SIMPLE = (('\\"', '"'), ("\\/", "/"), ("\\n", "\n"), ("\\r", "\n"), ("\\t", "\t"), (HELD, "\\"))
_BULLET = lazy_re(r"\s*(?:[-*•+]\s+)?")


def ungrounded(summary: str, payload: str, allowed: str = "") -> tuple[str, ...]:
    """Return the first MOST things that a summary names but neither `payload` nor `allowed`
    contains. `allowed` is a text with other names that the summary may use."""
    texts = (*searchable_forms(payload), *searchable_forms(allowed))
    own = {line.strip() for text in texts for line in text.split("\n")} if summary.strip() else ()
    lines = unicodedata.normalize("NFC", summary).split("\n")
    rest = (one for one in lines if not {one.strip(), _BULLET.sub("", one, 1).strip()} & set(own))
    found: dict[str, None] = {}
    for name in dict.fromkeys(named_things("\n".join(rest))):
        if len(found) < MOST and not _is_grounded(name, texts):
            found[name] = None
    return tuple(found)


def speaks_of_payload(summary: str, payload: str) -> bool:
    """Return True if a summary is about its payload, False for an error message or an apology."""
    texts = searchable_forms(payload)
    telling = (one for one in named_things(summary) if _TELLS.search(one) and not one.isdigit())
    if any(_occurs_in(name, texts) for name in telling):
        return True
    words = sought_terms(summary).words
    return 2 * sum(_occurs_in(word, texts) for word in words) >= len(words)


def named_things(summary: str) -> Iterator[str]:
    """Yield the things a summary names: quotations, URLs, numbers, ids and names."""
    for found in _QUOTED.finditer(summary):
        if inside := next(filter(None, found.groups())).strip().rstrip(".,;:!?，。；：！？"):
            yield inside
    yield from (_trim_url(found[0]) for found in _URL.finditer(summary))
    text = _ITEM.sub(lambda item: " " * len(item[0]), _URL.sub(" … ", summary))
    pieces = [(one.start(), one[0].strip(_TRIM)) for one in _PIECE.finditer(text)]
    german = len(_GERMAN.intersection(piece for _, piece in pieces)) > 1
    named = False  # the piece before is capitalised, and begins no sentence
    for start, piece in pieces:
        piece = re.sub(r"['’]s$", "", piece)
        initial = piece[:1].isupper() and _begins_sentence(text, start, len(piece))
        if _is_name(piece, initial or (german and not named)):
            yield piece
        named = piece[:1].isupper() and not initial


def _trim_url(text: str) -> str:
    """Return a URL without a final slash and the punctuation of the sentence around it."""
    while text[-1] in ".,;:!?*_~/])" and (text[-1] != ")" or text.count("(") < text.count(")")):
        text = text[:-1]
    return text


def _begins_sentence(text: str, start: int, size: int) -> bool:
    """Return True if the word at index `start`, of `size` characters, begins a sentence."""
    before = text[:start].rpartition("\n")[2]
    rest = text[start + size :].partition("\n")[0]
    if _SENTENCE.search(before) and not _ABBREVIATED.search(before):
        return bool(rest.strip(' \t.*_!"”'))
    return bool(_MAYBE.search(before)) and rest.lstrip(" \t")[:1].islower()


def _is_name(piece: str, common: bool) -> bool:
    """Return True for a word that looks like a name. `common` is True if a capital first letter
    alone does not make a name."""
    if piece.removesuffix("s") in FORMATS or (len(piece) < 2 and not piece.isdigit()):
        return False
    if _TELLS.search(piece) or _LONG.fullmatch(piece):
        return not re.fullmatch(r"(?:[^\W\d]\.)+[^\W\d]?|[a-z]+/[a-z]+", piece) and (
            not _LONG.fullmatch(piece) or not STOP.intersection(piece.split("-"))
        )
    word = piece.casefold()
    return piece[0].isupper() and word not in STOP and (piece.isupper() or not common)


def _is_grounded(name: str, texts: tuple[str, ...]) -> bool:
    """Return True if the texts contain a name, all its parts, or its number in another spelling."""
    if _occurs_in(name, texts):
        return True
    measured = _MEASURE.fullmatch(name)
    if measured and (measured[1] == name or not name[-1].isdigit()):
        number = _normalize_numbers(measured[1])
        return any(
            _bounded_pattern(number, True).search(_normalize_numbers(text)) for text in texts
        )
    if "\\" in name or "@" in name or "://" in name or (is_path(name) and ":" not in name):
        return False
    joint = _PLACE if is_path(name.partition(":")[0]) else _COMPOUND
    parts = [part for part in joint.split(name) if part]
    return len(parts) > 1 and all(
        not _is_name(one, False) or _is_grounded(one, texts) for one in parts
    )


def _occurs_in(name: str, texts: tuple[str, ...]) -> bool:
    """Return True if a text contains the name, not as part of a longer name."""
    bounded = _bounded_pattern(name, False)
    return any(name in text and bounded.search(text) for text in texts) or (
        name.isalpha() and any(bounded.search(text) for text in texts)
    )


@lru_cache(maxsize=256)
def _bounded_pattern(name: str, number: bool) -> re.Pattern[str]:
    """Return a pattern that finds `name` only as a whole. If `number` is True, a unit may follow
    directly ("5MB")."""
    if "://" in name:
        return re.compile(rf"(?<![A-Za-z0-9]){re.escape(name)}(?=[.,;:!?*_~/)\]]*(?:[{_ENDS}]|$))")
    before = rf"(?<!{WORD})" if re.match(rf"{WORD}|[./~\\-]", name) else ""
    before += r"(?<![./~\\-])" if name[0] in "./~-\\" else ""
    if name[0].isdigit():
        before = rf"(?<!\d\.)(?:{before}|(?<=\bv)|(?<=\dT))"
    before += r"(?<![\w][.+-])" if "@" in name else ""
    behind = rf"(?!{WORD})" if re.match(WORD, name[-1]) else ""
    if number:
        behind = rf"(?!\.?\d)(?=[A-Za-zµ]{{0,4}}(?!{WORD}))"
    elif name[-1].isdigit():
        behind = rf"(?:(?=T\d)|(?!{WORD}))(?!\.\d)"
    if not number and re.search(r"\w[./@]\w", name):
        behind += r"(?!\.\w)"
    behind += r"(?!-\w)" if "-" in name or "@" in name else ""
    plural = "" if not name.isalpha() or not name.isascii() else "(?i:"
    return re.compile(f"{before}{plural}{re.escape(name)}{')' if plural else ''}{behind}")


@lru_cache(maxsize=8)
def _normalize_numbers(text: str) -> str:
    """Return the text with all numbers in one spelling: "1,200.50" → "1200.5"."""
    text = _DECIMAL.sub(".", _GROUP.sub("", text))
    return _FRACTION.sub(lambda found: found[0].rstrip("0").rstrip("."), text)


def searchable_forms(payload: str) -> tuple[str, ...]:
    """Return the texts in which to look for names: the payload, and the payload without JSON or
    HTML escapes, as far as they differ."""
    found = [payload]
    for _ in range(NESTED * ("\\" in payload)):
        found.append(_undo_json_escapes(found[-1]))
    if "&" in payload:
        found.append(html.unescape(payload).replace("\u00a0", " "))
    return tuple(dict.fromkeys(unicodedata.normalize("NFC", text) for text in found))


def _undo_json_escapes(text: str) -> str:
    """Return `text` with all JSON string escapes undone."""
    text = text.replace("\\\\", HELD)
    text = _CODES.sub(lambda run: str(json.loads(f'"{run[0]}"')), text)
    for escape, char in _SIMPLE:
        text = text.replace(escape, char)
    return text


def counts(payload: str) -> str:
    """Return Loom's counts of a payload, which a summary may repeat: "12 characters, 12 bytes, 1
    line". For JSON the items and keys are counted too."""
    size = utf8_size(payload)
    said = [plural(len(payload), "character"), f"{size} bytes"]
    if size >= 1024:
        said.append(human_size(size))
    value = parse_json(payload)
    if isinstance(value, list):
        said.append(plural(len(value), "item"))
    elif isinstance(value, dict):
        said.append(plural(len(value), "key"))
        # Without their names: those are the payload's, and counts stand outside its fence.
        lists = [len(one) for one in value.values() if isinstance(one, list)]
        said += [f"{plural(items, 'item')} in a list of it" for items in lists[:LISTS]]
    lines = count_lines(payload)
    said.append(plural(lines, "line"))
    if lines > 1 and value is None:
        said.append(f"{lines - 1} below the first")
    if pages := payload.count("\f"):
        said.append(plural(pages + 1, "page"))
    return ", ".join(said)
