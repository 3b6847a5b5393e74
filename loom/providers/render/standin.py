"""A stand-in for a text whose page cannot be read.

It is a text, so everything that shows texts shows it; whoever takes a text apart asks what it is.
"""

from __future__ import annotations


class StandIn(str):
    """A line in several forms, the longest first, each of one meaning."""

    __slots__ = ("forms",)
    forms: tuple[str, ...]

    def __new__(cls, *forms: str) -> StandIn:
        """The line, and its shorter forms."""
        made = super().__new__(cls, forms[0])
        made.forms = forms
        return made

    def within(self, tokens: int) -> str:
        """The longest form of at most so many tokens, the shortest when none is. A byte counts as a
        token, which no tokenizer exceeds: so nothing is counted here, and what is shown is never
        more than was counted when the text came in."""
        fits = (form for form in self.forms if len(form.encode()) <= tokens)
        return next(fits, self.forms[-1])
