"""Numbers by their value, and the spellings in which a text may hold one.

`1,024`, `1 024`, `1_024`, `1024` and `1024.0` are one value. A comma before groups of three digits
parts thousands, any other is a decimal comma; a dot parts thousands only where there are several
(`1.234.567`). Each spelling has one value, so nothing is a thousand times what was written.
"""

from __future__ import annotations

import re

from loom.lazy import lazy_re
from loom.search.terms import UNSPACED

GROUPS = (",", "'", "’", "_", "\u00a0", "\u202f", " ", ".")

LONGEST = 18  # digits of a number that may be grouped; a longer one is an id

# What may stand behind a number without being part of its value.
UNITS = (
    r"%|‰|°C|°F|°|(?:ns|us|µs|ms|secs?|s|mins?|m|hrs?|h|days?|d|weeks?|w|years?|y|[kKMGTP]i?[Bb]|B|bytes?"
    r"|px|pt|em|rem|[kMG]?Hz|[cmk]m|mm|[mk]?g|[km]?W|kWh|[mk]?V|USD|EUR|x|st|nd|rd|th)"
)
# A letter, digit or underscore of a script that parts its words.
WORD = rf"[^\W{UNSPACED}]"
_SPACED = "|".join(re.escape(group) for group in GROUPS if group not in " .")

NUMBER = lazy_re(
    rf"(?:\d{{1,3}}(?:(?:{_SPACED})\d{{3}})+(?!\d)|\d{{1,3}}(?:\.\d{{3}}){{2,}}(?!\d)|\d+)"
    rf"(?:[.,]\d+)?(?:[eE][+-]?\d+)?"
)
MEASURE = lazy_re(rf"({NUMBER.pattern})(?:{UNITS})")
_INTEGER_ENDS = lazy_re(rf"(?:[.,]0+(?!\d))?(?:{UNITS})?(?!{WORD})(?!\.\d)")
_DECIMAL_ENDS = lazy_re(rf"0*(?:{UNITS})?(?!{WORD})(?!\.\d)")


def spellings(number: str) -> tuple[str, ...]:
    """The spellings of the value of `number`, first as it stands; trailing zeros left out.

    A number with an exponent is found only as it is written.
    """
    whole, fraction = _split(number)
    if not whole.isdecimal():
        return (number,)
    whole = whole.lstrip("0") or "0"
    digits = [whole]
    if 3 < len(whole) <= LONGEST:
        first = len(whole) % 3
        groups = [whole[:first]] * bool(first)
        groups += [whole[at : at + 3] for at in range(first, len(whole), 3)]
        # One group behind a dot would be a fraction.
        digits += [by.join(groups) for by in GROUPS if by != "." or len(groups) > 2]
    if not fraction:
        return tuple(digits)
    ends = [mark + fraction for mark in ".,"]
    found = [one + end for one in digits for end in ends if end[0] not in one]
    return (*found, *([] if whole != "0" else ["." + fraction]))


def is_number_at(text: str, at: int, end: int) -> bool:
    """True when the digits at `text[at:end]` are a number there, and not part of a longer one.

    A comma before or behind is no part of it: `[1,200]` holds 200.
    """
    before = text[at - 1] if at else " "
    if _begun(text, at, before):
        return False
    decimal = any(mark in text[at:end] for mark in ".,")
    ends = _DECIMAL_ENDS if decimal else _INTEGER_ENDS
    return ends.match(text, end) is not None


def _begun(text: str, at: int, before: str) -> bool:
    """True when the characters before make it part of a longer thing: `5.120`, not `v120`."""
    earlier = text[at - 2] if at > 1 else " "
    if before == ".":
        return earlier.isdigit()
    if before in "vV":
        return is_word(earlier)
    if before == "T":
        return not earlier.isdigit()
    return is_word(before)


def is_word(char: str) -> bool:
    """True when a character joins those beside it into one word, as those of CJK do not."""
    return (char.isalnum() or char == "_") and (char.isascii() or not _UNSPACED.match(char))


_UNSPACED = lazy_re(f"[{UNSPACED}]")


def _split(number: str) -> tuple[str, str]:
    """(digits, fraction without its trailing zeros) of a number; no digits when it has none."""
    if "e" in number or "E" in number:
        return "", ""
    mark = max(number.rfind("."), number.rfind(","))
    grouped = re.fullmatch(
        rf"\d{{1,3}}(?:(?:{_SPACED})\d{{3}})+|\d{{1,3}}(?:\.\d{{3}}){{2,}}", number
    )
    whole, fraction = (number, "") if mark < 0 or grouped else (number[:mark], number[mark + 1 :])
    if whole.startswith("0") and grouped:  # 0,125: a group does not begin with nought
        whole, fraction = number[:mark], number[mark + 1 :]
    return "".join(char for char in whole if char.isdigit()), fraction.rstrip("0")
