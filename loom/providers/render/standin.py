"""A stand-in for a text whose page cannot be read: a str, so every function that shows texts shows
it; a function that takes a text apart asks for its type first."""

from __future__ import annotations


class StandIn(str):
    """A line that says why a page cannot be read; `forms` are ever shorter forms of the line."""

    __slots__ = ("forms",)
    forms: tuple[str, ...]

    def __new__(cls, *forms: str) -> StandIn:
        """`forms` are the line and its shorter forms, the longest first."""
        made = super().__new__(cls, forms[0])
        made.forms = forms
        return made

    def within(self, tokens: int) -> str:
        """Return the longest form of at most `tokens` tokens, the shortest when none is. A byte
        counts as a token, which no tokenizer exceeds: so nothing is counted here, and the form
        takes no more than the tokens counted when the text came in."""
        fits = (form for form in self.forms if len(form.encode()) <= tokens)
        return next(fits, self.forms[-1])
