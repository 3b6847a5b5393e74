"""URLs as they stand in prose: where they end, and what punctuation is none of theirs."""

from __future__ import annotations

from loom.lazy import lazy_re

_ENDS = r"\s<>\"'`{}|\\^…\u3000-\u9fff\uac00-\ud7af\uff00-\uffef"
URL = lazy_re(rf"(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9+.-]{{1,19}}://[^{_ENDS}]+")
REST = lazy_re(rf"[^{_ENDS}]*")


def url(text: str) -> str:
    """A URL without the punctuation of the sentence around it, and without a last slash."""
    while text and text[-1] in ".,;:!?*_~/)]" and not _is_closing(text):
        text = text[:-1]
    return text


def _is_closing(text: str) -> bool:
    """True when the last bracket belongs to the URL: `…/Foo_(bar)`."""
    opening = {")": "(", "]": "["}.get(text[-1])
    return opening is not None and text.count(opening) >= text.count(text[-1])


def is_url(text: str, at: int, end: int) -> bool:
    """True when `text[at:end]` is a whole URL there, and no part of a longer one."""
    if at and text[at - 1].isalnum() and text[at - 1].isascii():
        return False
    rest = REST.match(text, end)
    return url(text[at : rest.end() if rest else end]) == url(text[at:end])
