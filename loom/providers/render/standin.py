"""A text shown for a page that cannot be read. It is a str, so all functions that show texts can
show it. A function that takes a text apart must check for this type first."""

from __future__ import annotations


class StandIn(str):
    """A line that says why a page cannot be read. `forms` are its versions, longest first."""

    __slots__ = ("forms",)
    forms: tuple[str, ...]

    def __new__(cls, *forms: str) -> StandIn:
        """Make a line from its versions `forms`, longest first."""
        made = super().__new__(cls, forms[0])
        made.forms = forms
        return made

    def within(self, tokens: int) -> str:
        """Return the longest version of at most `tokens` tokens, a byte counted as one; the
        shortest version if none fits."""
        fits = (form for form in self.forms if len(form.encode()) <= tokens)
        return next(fits, self.forms[-1])
