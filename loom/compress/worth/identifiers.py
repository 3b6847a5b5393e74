"""The identifiers in a text, and the names a text defines: they tie one text to another."""

from __future__ import annotations

from sys import intern

from loom.compress.worth.slices import without_line_number
from loom.lazy import lazy_re

_WORD = lazy_re(r"\w{4,}")
_CJK = lazy_re(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2,}")
_DEFINED = lazy_re(
    r"\b(?:def|func|fn|fun|function|class|struct|interface|enum|trait|impl|type|module|const|let|var)"
    r"\s+(?:\([^()\n]{0,80}\)\s*)?([^\W\d]\w{3,})"
)
MOST = 20_000  # characters of one text that are looked at
LONGEST = 64  # characters of a word
# Of plain ASCII, which most texts are, the words are what is left when all else is blank.
_BLANKED = "".join(one if one.isalnum() or one == "_" else " " for one in map(chr, range(128)))


def identifiers(text: str) -> frozenset[str]:
    """Return the different words and names of four or more characters in a text. For scripts
    without blanks between words, each pair of characters is returned."""
    text = text[:MOST]
    plain = text.isascii()
    words = set(text.translate(_BLANKED).split() if plain else _WORD.findall(text))
    # A short word that begins with a digit is a number.
    found = {
        intern(word)
        for word in words
        if 4 < (size := len(word)) <= LONGEST or (size == 4 and not word[0].isdecimal())
    }
    if not plain:
        for run in _CJK.findall(text):
            found.update(run[at : at + 2] for at in range(len(run) - 1))
    return frozenset(found)


def defined_names(text: str) -> frozenset[str]:
    """Return the names that source code defines, found by keywords such as `def` and `class`."""
    return frozenset(
        map(intern, _DEFINED.findall("\n".join(map(without_line_number, text[:MOST].split("\n")))))
    )
