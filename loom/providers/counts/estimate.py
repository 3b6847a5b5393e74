"""A bound on tokens without a vocabulary, by script.

Measured on o200k: Hangul up to 0.96 and Han 0.79 tokens a character, kana 0.74, prose 0.21,
source code 0.26, minified JSON and logs near 0.5, base64 and hex 0.75. The weights below lie
above each.
"""

from __future__ import annotations

from loom.lazy import lazy_re

WIDE = lazy_re(r"[\u1100-\u11ff\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef]")
OTHER = lazy_re(r"[^\x00-\x7f]")
MARK = lazy_re(r"[^a-zA-Z0-9\s]")
# Letters and digits in one run: ids, hashes, base64, numbers.
CODE = lazy_re(r"[a-zA-Z+/_-]*[0-9][a-zA-Z0-9+/_-]*|[a-zA-Z]{25,}")


def estimate(text: str) -> int:
    """At least as many tokens as the text has, in practice; linear in its length.

    Estimates of lines bound that of their text: no run of letters and digits goes past a line.
    """
    if not text:
        return 0
    wide = len(WIDE.findall(text))
    other = len(OTHER.findall(text)) - wide
    code = sum(map(len, CODE.findall(text)))
    marks = len(MARK.findall(CODE.sub("", text))) - wide - other
    plain = len(text) - wide - other - code - marks
    return int(wide * 1.0 + other * 2.0 + code * 0.85 + marks * 0.9 + plain * 0.34) + 1
