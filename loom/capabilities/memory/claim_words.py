"""Words of rules: what they choose between, what they count, and how words are compared."""

from __future__ import annotations

import re

from loom.capabilities.memory.statements import spans
from loom.lazy import lazy_re
from loom.search.terms import STOP

# Sets of which a project has one, each member as its words: general, by what they are for.
ALTERNATIVES: dict[str, tuple[str, ...]] = {
    "indentation": ("tab", "space"),
    "quotes": ("single quote", "double quote"),
    "line ends": ("lf", "crlf"),
    "letter case": ("camelcase", "snake_case", "pascalcase", "kebab-case"),
    "packages of JavaScript": ("npm", "pnpm", "yarn", "bun"),
    "packages of Python": ("pip", "uv", "poetry", "pipenv", "conda", "pdm"),
    "tests of Python": ("pytest", "unittest", "nose2"),
    "tests of JavaScript": ("jest", "vitest", "mocha"),
    "formatter of Python": ("black", "yapf", "autopep8"),
    "merging": ("rebase", "merge commit", "squash merge"),
}
CLASS = {member: name for name, members in ALTERNATIVES.items() for member in members}
# What an alternative is for anyway: said or not, it is the same rule.
_ANYWAY = "code file project everything"
PLAIN: dict[str, frozenset[str]] = {
    name: frozenset(f"{_ANYWAY} {more}".split())
    for name, more in {
        **dict.fromkeys(ALTERNATIVES, ""),
        "indentation": "indentation indent indenting",
        "quotes": "string quote",
        "line ends": "line end ending",
        "packages of JavaScript": "package dependency management manager",
        "packages of Python": "package dependency management manager",
        "tests of Python": "test testing",
        "tests of JavaScript": "test testing",
        "formatter of Python": "formatting format",
        "merging": "merging merge branch",
    }.items()
}
_NAMED = "|".join(sorted((re.escape(one) for one in CLASS), key=len, reverse=True))
CHOICE = lazy_re(
    rf"(?:only\s+|an?\s+|(?P<number>\d+)[\s-]+)*(?P<member>{_NAMED})s?\b"
    r"(?=\s*(?:$|[,;.(]|(?:for|in|to|when|not|instead|rather|over|as|with|only|here)\b))",
    re.IGNORECASE,
)
PURPOSE = lazy_re(r"\s*(?:for|in|to|when|with)\s+(?P<what>[^,;.()]+)", re.IGNORECASE)
NUMBER = lazy_re(r"(?<![\w.])\d+(?:[.,]\d+)*(?=[A-Za-z%]{0,3}(?!\w))")
# Labels of remarks rather than of settings.
REMARKS = frozenset((
    "note", "example", "tip", "warning", "important", "todo", "see", "hint", "caution", "remember",
))  # fmt: skip
RUNS = frozenset(("use", "using", "used", "run", "running", "execute", "via", "invoke"))
# What a number counts or bounds; "Line length: 88" and "Wrap lines at 88 columns" are one setting.
BOUNDS = frozenset((
    "max", "maximum", "min", "minimum", "limit", "most", "least", "length", "long", "wide", "width",
    "wrap", "keep", "character", "char", "column", "use", "set", "is", "exceed", "within",
))  # fmt: skip
_SMALL = STOP | frozenset((
    "please", "command", "always", "only", "simply", "first", "again", "locally", "must", "freely",
    "everywhere", "directly",
))  # fmt: skip
_WORD = lazy_re(r"[^\W_](?:[\w'’.+#/-]*\w[+#]*)?")
_LETTERS = lazy_re(r"[A-Za-z]+")
_DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight")
_NUMBERS = {word: str(number) for number, word in enumerate(_DIGITS)}
_ENDS_IN_E = frozenset(("use", "write", "merge", "rebase", "update", "remove", "change", "release"))


def digits(text: str) -> str:
    """The text with small numbers in digits."""
    return _LETTERS.sub(lambda word: _NUMBERS.get(word[0].lower(), word[0]), text)


def words(text: str) -> list[str]:
    """The words that say something, without endings of the plural, in their order.

    What stands in a code span is a word of its own.
    """
    found: list[str] = []
    at = 0
    for start, end, code in [*spans(text), (len(text), len(text), "")]:
        plain = (one.casefold() for one in _WORD.findall(text[at:start]))
        found += [_singular(one) for one in plain if one not in _SMALL]
        found += [code.casefold()] if code else []
        at = end
    return found


def base(word: str) -> str:
    """A verb without its "-ing": "linting" is to lint, "using" is to use."""
    if len(word) < 5 or not word.endswith("ing"):
        return word
    stem = word[:-3]
    if f"{stem}e" in _ENDS_IN_E:
        return f"{stem}e"
    doubled = len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in "sl"
    return stem[:-1] if doubled else stem


def _singular(word: str) -> str:
    if len(word) > 3 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
