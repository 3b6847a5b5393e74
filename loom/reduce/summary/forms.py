"""The claims of a summary, recognised by their form alone, in any language.

Theory of operation
-------------------
A summary is split into chunks at blanks, brackets, quotation marks and scripts without spaces; a
chunk goes to the first line of FORMS it has the form of, which makes its *claims*: what must be in
the payload. A claim is of a kind:

- `url`     whole, not by its parts
- `number`  by value (`loom.reduce.summary.numbers`)
- `exact`   letter by letter: what holds digits, joints, `_`, `@` or capitals inside
- `word`    a capitalised word, or one in capitals: in any case, since sentences capitalise too
- `quote`   what stands between quotation marks or backticks
- `part`    of a script without spaces

A compound has `parts`, which stand for it where it is not found whole: `host:8080`, `GET/POST`.

What is not recognised: a name in small letters, or at the start of a sentence; number words; a
German name that stands alone, as German capitalises every noun.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from msgspec import Struct

from loom.lazy import lazy_re
from loom.reduce.entities import is_path
from loom.reduce.summary.chunks import SummaryChunk, chunks
from loom.reduce.summary.han import han_names
from loom.reduce.summary.numbers import MEASURE, NUMBER, UNITS, WORD
from loom.reduce.summary.url import URL, url
from loom.search.terms import STOP


class Claim(Struct, frozen=True):
    """Something a summary names; `parts` stand for a whole that is not found."""

    kind: str
    text: str
    parts: tuple[Claim, ...] = ()


Claims = tuple[Claim, ...]

# What a summary may call the thing it sums up.
FORMATS = frozenset((
    "JSON", "JSONL", "HTML", "XML", "CSV", "TSV", "YAML", "TOML", "PDF", "SQL", "URL", "URI",
    "API", "HTTP", "HTTPS", "ID", "IP", "UTF-8", "ASCII", "UUID", "ISO", "OK", "N/A",
))  # fmt: skip

# Quotations are bounded, so that a mark that is never closed costs no more than one that is.
_QUOTED = lazy_re(
    r"\"([^\"\n]{1,400})\"|“([^”\n]{1,400})”|„([^“”\n]{1,400})[“”]|«([^»\n]{1,400})»"
    r"|「([^」\n]{1,400})」|『([^』\n]{1,400})』|《([^》\n]{1,400})》|``?([^`\n]{1,400})``?"
    r"|‘([^’\n]{1,400})’|(?<![\w'])'([^'\n]{1,400})'(?![\w'])"
)
_GROUPED = lazy_re(
    rf"(?<!{WORD})(?<!\d[.,])(?:\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+,\d+)(?:{UNITS})?(?!{WORD}|[.,]\d)"
)


def claims(summary: str) -> Iterator[Claim]:
    """The claims of a summary, in no order, some of them twice. Linear in its length."""
    for found in _QUOTED.finditer(summary):
        inside = next(filter(None, found.groups())).strip()
        bare = inside.rstrip(".,;:!?，。；：！？")
        if bare:
            yield Claim("quote", inside, (Claim("quote", bare),) if bare != inside else ())
    for found in URL.finditer(summary):
        yield Claim("url", url(found[0]))
    rest = URL.sub(" ", summary)
    for found in _GROUPED.finditer(rest):
        yield from _measured(found[0])
    rest = _GROUPED.sub(" , ", rest)
    yield from (Claim("part", name) for name in han_names(rest))
    for chunk in chunks(rest):
        yield from _of(chunk)


def _of(chunk: SummaryChunk) -> Claims:
    """The claims of a chunk; none when it is a word like others."""
    text = chunk.text
    if len(text) < 2 and not text.isdigit():
        return ()
    if text in FORMATS or text.removesuffix("s") in FORMATS:
        return ()
    for form, made in FORMS:
        if form(text):
            return made(chunk)
    return ()


def _whole(chunk: SummaryChunk) -> Claims:
    """The chunk as it stands; where a sentence begins also with its first letter small."""
    text = chunk.text
    small = text[0].lower() + text[1:]
    bare = text.strip("_")
    others = {one for one in (small if chunk.initial else text, bare) if one} - {text}
    return (Claim("exact", text, tuple(Claim("exact", one) for one in sorted(others)[:1])),)


def _number(chunk: SummaryChunk) -> Claims:
    """A number by its value; one with a leading zero is an id."""
    text = chunk.text
    if len(text) > 1 and text[0] == "0" and text.isdigit():
        return (Claim("exact", text),)
    return (Claim("number", text),)


def _measured(text: str) -> Claims:
    """A number with its unit: whole, or the number alone."""
    number = NUMBER.match(text)
    assert number is not None
    inner = _number(SummaryChunk(number[0]))
    return (Claim("exact", text, inner),) if inner and number[0] != text else inner


def _joined(pattern: str, words: bool = False) -> Callable[[SummaryChunk], Claims]:
    """A compound, which stands for its pieces; with `words` plain ones must be there as well."""
    joint = re.compile(pattern)

    def made(chunk: SummaryChunk) -> Claims:
        pieces = [piece for piece in joint.split(chunk.text) if piece]
        inner: list[Claim] = []
        for at, piece in enumerate(pieces):
            found = _of(SummaryChunk(piece, chunk.initial and at == 0, chunk.common))
            if words and not found and len(piece) > 1 and piece.lower() not in STOP:
                found = (Claim("word", piece),)
            inner += found
        return (Claim("exact", chunk.text, tuple(inner)),) if inner else ()

    return made


def _range(chunk: SummaryChunk) -> Claims:
    """The numbers of a range or of a measure (`3-day`)."""
    inner = tuple(
        claim for one in NUMBER.findall(chunk.text) for claim in _number(SummaryChunk(one))
    )
    return (Claim("exact", chunk.text, inner),) if inner else ()


def _long(chunk: SummaryChunk) -> Claims:
    """Three words or more with hyphens and no stop word among them are an id, two a compound."""
    pieces = chunk.text.split("-")
    plain = len(pieces) < 3 or any(piece in STOP for piece in pieces)
    return () if plain else _whole(chunk)


def _word(chunk: SummaryChunk) -> Claims:
    """A word in capitals, or a capitalised one where nothing else makes it so."""
    text = re.sub(r"['’]\w{1,2}$", "", chunk.text)
    if text[0].islower() or len(text) < 2 or text.casefold() in STOP:
        return ()
    capitals = text.isupper() or (len(text) > 2 and text.removesuffix("s").isupper())
    if not capitals and (chunk.initial or chunk.common):
        return ()
    singular = text.removesuffix("s") if capitals else text
    others = (Claim("word", singular),) if singular != text and len(singular) > 1 else ()
    return (Claim("word", text, others),)


def _nothing(chunk: SummaryChunk) -> Claims:
    return ()


def _form(pattern: str) -> Callable[[str], object]:
    made = lazy_re(pattern)
    return lambda text: made.fullmatch(text)


_LETTER = r"[^\W\d_]"
_WORDS = rf"{_LETTER}+(?:['’]{_LETTER}+)*"
# Capitals inside: getUser, HTTPServer; not IDs.
_MIXED = lazy_re(
    rf"{_LETTER}*(?:[a-zß-ÿ][A-ZÀ-Þ]|[A-ZÀ-Þ]{{2}}(?:[a-rt-zß-ÿ]|s{_LETTER})){_LETTER}*"
)
_RANGE = rf"(?:{NUMBER.pattern})(?:-|–|—|\.\.|…)(?:{NUMBER.pattern})(?:{UNITS})?"

# The first form a chunk has says what must be in the payload.
FORMS: tuple[tuple[Callable[[str], object], Callable[[SummaryChunk], Claims]], ...] = (
    (_form(rf"(?:{_LETTER}\.)+{_LETTER}?"), _nothing),  # e.g., z.B.
    (_form(NUMBER.pattern), _number),
    (MEASURE.fullmatch, lambda chunk: _measured(chunk.text)),
    (_form(rf"(?!0\d){_RANGE}"), _range),
    (_form(rf"(?:{NUMBER.pattern})-[a-zß-ÿ]+(?:-[a-zß-ÿ]+)?"), _range),  # 3-day
    (_form(r"[^=]+=[^=]+"), _joined("=")),
    (_form(r".*[\\@].*|.*::.*|--.+|\d+(?::\d+)+(?:[.,]\d+)?"), _whole),
    (_form(r".+\.\w{1,8}:\d+(?::\d+)?"), _joined(":")),  # a place in a file
    (is_path, _whole),
    (_form(r"[^:]+(?::[^:]+)+"), _joined(":")),
    (_form(r"[^/]+/[^/]+"), _joined("/", words=True)),
    (_form(r".*\d.*|.*_.*|.*\w\.\w.*|.*/.*"), _whole),
    (_MIXED.fullmatch, _whole),
    (_form(_WORDS), _word),
    (_form(r"[^A-Z-]+(?:-[^A-Z-]+)+"), _long),
    (_form(rf"{_WORDS}(?:-{_WORDS})+"), _joined("-")),
    (_form(r".*[A-Z].*"), _whole),
)
