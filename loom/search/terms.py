"""The index terms of a text: its words, and the identifiers they stand in.

Theory of operation -------------------

An *identifier* is a run of letters and digits with single joints in it: `setup.go`, `run_all`,
`CVE-2024-1`, `src/auth/login.py`. It is found whole and by its parts, so a text becomes two lists.

*Words* are the parts: identifiers split at joints, and at the turns from lower to upper case and
between letters and digits. A part of one character counts only where joints stand on both sides.
Scripts without spaces become pairs of characters.

*Names* are identifiers of several parts, in small letters and with the joints dropped, so that
`runAll`, `run_all` and `run-all` are one name. Between two digits a joint is kept as MARK: `v1.2.3`
is not `v12.3`. A path has its own name and those of its last pieces (`auth/login.py`, `login.py`),
because the searcher may stand in another folder.

Accents are dropped. Queries go through the same function, so both sides lose the same. Every
pattern takes one pass; a run longer than LONGEST is a blob, not an identifier, and is cut."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain

from msgspec import Struct

from loom.lazy import lazy_re

LONGEST = 128  # characters of a name
LONGEST_WORD = 64  # as porter's
SUFFIXES = 4  # pieces at the end of a path that are names of their own
MARK = "·"
# Written without spaces: Thai, Lao, Burmese, Khmer, kana, Chinese, Korean.
UNSPACED = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    r"\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
# `\w`, accents, and the vowel signs of Hebrew, Arabic, the scripts of India, Thai and neighbours.
LETTER = rf"\w\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0dff{UNSPACED}"
IDENTIFIER = lazy_re(rf"[{LETTER}]+(?:(?:[-./\\]|::)[{LETTER}]+)*")
RUN = lazy_re(rf"[{UNSPACED}]+")
PIECE = lazy_re(r"[^/\\]+")
SEGMENT = lazy_re(rf"[{LETTER}]+")
ONE_PART = (
    rf"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[{UNSPACED}]+|[^\W_A-Za-z0-9{UNSPACED}]+"
    rf"(?:[^_A-Za-z0-9{UNSPACED}])*"
)
PART = lazy_re(ONE_PART)
SEVERAL = lazy_re(rf"(?:(?:(?![{UNSPACED}])[\W_])*+(?>{ONE_PART})){{2}}")  # where a text begins
JOINTS = dict.fromkeys(map(ord, "-./\\_:"))
BETWEEN_DIGITS = lazy_re(r"[-./\\_:](?<=[0-9].)[-./\\_:]*+(?=[0-9])")
ACCENT = lazy_re(r"[\u0300-\u036f]+")
SPELLINGS = str.maketrans(
    {"ß": "ss", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L"}
)
STOP = frozenset((
    "a", "about", "after", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be",
    "been", "before", "but", "by", "can", "could", "did", "do", "does", "for", "from", "had",
    "has", "have", "he", "her", "his", "how", "i", "if", "in", "into", "is", "it", "its", "just",
    "me", "my", "no", "nor", "not", "of", "on", "or", "our", "out", "over", "she", "should", "so",
    "some", "such", "than", "that", "the", "their", "them", "then", "there", "these", "they",
    "this", "those", "to", "too", "under", "up", "us", "was", "we", "were", "what", "when",
    "where", "which", "while", "who", "whom", "why", "will", "with", "would", "you", "your",
))  # fmt: skip


class Terms(Struct, frozen=True):
    """The index terms of a text: its `words`, and as `names` its identifiers in a uniform spelling,
    such as "runall". Both are in the order of the text, with repetitions."""

    words: tuple[str, ...]
    names: tuple[str, ...]


def index_terms(text: str) -> Terms:
    """Return the terms of a text: `"runAll now"` → Terms(("run", "all", "now"), ("runall",))."""
    words: list[str] = []
    named: list[str] = []
    for identifier in IDENTIFIER.findall(text):
        known = len(identifier) <= LONGEST
        parts, several = (
            _split_cached(identifier) if known else _split_cached.__wrapped__(identifier)
        )
        words += parts
        if several:
            named += several
    return Terms(tuple(words), _identifier_names(named))


def sought_terms(query: str) -> Terms:
    """Return a query's terms, each once, without stop words unless there are only stop words."""
    found = index_terms(query)
    words = tuple(dict.fromkeys(found.words))
    telling = tuple(word for word in words if word not in STOP)
    names = tuple(dict.fromkeys(found.names))
    return Terms(telling if telling or names else words, names)


def split_identifier(identifier: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return (words, names) of an identifier: `"runAll"` → `(("run", "all"), ("runall",))`."""
    known = len(identifier) <= LONGEST
    words, named = _split_cached(identifier) if known else _split_cached.__wrapped__(identifier)
    return words, _identifier_names(named)


@lru_cache(maxsize=1 << 13)
def _split_cached(identifier: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return (words, parts to be indexed as names) of an identifier."""
    if not identifier.isascii():
        identifier = without_accents(identifier)
    elif identifier.isalpha() and identifier[1:].islower():
        return (identifier.lower()[:LONGEST_WORD],), ()
    segments = SEGMENT.findall(identifier)
    words = (
        _segment_words(one) if len(one) <= LONGEST else _segment_words.__wrapped__(one)
        for one in segments
    )
    return tuple(chain.from_iterable(words)), tuple(_named_parts(identifier, segments))


def without_accents(identifier: str) -> str:
    """Return an identifier without accents and ligatures: `"ﬁancée"` → `"fiancee"`."""
    apart = unicodedata.normalize("NFKD", identifier.translate(SPELLINGS))
    return unicodedata.normalize("NFC", ACCENT.sub("", apart))


@lru_cache(maxsize=1 << 13)
def _segment_words(segment: str) -> tuple[str, ...]:
    """Return the words in a segment of an identifier, in small letters: `"runAll"` → ("run",
    "all"). Pairs of characters for a script without spaces."""
    words: list[str] = []
    for part in PART.findall(segment):
        if not part.isascii() and RUN.fullmatch(part):
            words += (part[at : at + 2] for at in range(max(len(part) - 1, 1)))
        elif len(part) > 1 or len(segment) == 1:
            words.append(part.casefold()[:LONGEST_WORD])
    return tuple(words)


def _named_parts(identifier: str, segments: list[str]) -> Iterator[str]:
    """Yield the parts of an identifier, of more than one word each, that are indexed as names."""
    pieces = PIECE.findall(identifier)
    ends = ["/".join(pieces[-n:]) for n in range(1, min(len(pieces) - 1, SUFFIXES) + 1)]
    candidates = [identifier, *ends, *(segments if len(segments) > 1 else ())]
    for one in dict.fromkeys(candidates):
        if SEVERAL.match(one) and (one.isascii() or not RUN.search(one)):
            yield one


def identifier_name(identifier: str) -> str:
    """Return the name under which an identifier is indexed: `"run_all"` → `"runall"`."""
    return _spell_names(identifier)[:LONGEST]


def _identifier_names(identifiers: list[str] | tuple[str, ...]) -> tuple[str, ...]:
    """Return the names under which identifiers are indexed, in the same order."""
    spelled = _spell_names("\n".join(identifiers)).split("\n") if identifiers else ()
    return tuple(name[:LONGEST] for name in spelled)


def _spell_names(identifiers: str) -> str:
    """Return identifiers, one on each line, in the spelling in which they are indexed."""
    return BETWEEN_DIGITS.sub(MARK, identifiers).translate(JOINTS).casefold()
