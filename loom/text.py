"""Functions for any text, such as to shorten it or to put it on one line. Each makes at most one
pass over the text."""

from __future__ import annotations

import hashlib
from typing import Any
from unicodedata import category

from loom.lazy import lazy_re

_SURROGATE = lazy_re(r"[\ud800-\udfff]")
_VISIBLE = lazy_re(r"\S")
_CONTROL = lazy_re(
    r"\x1b\[[0-9;?]*[@-~]|[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff"
    r"\ud800-\udfff\U000e0000-\U000e007f]"
)


def encodable(text: str) -> str:
    """Return `text` in a form that UTF-8 can encode: a pair of surrogates becomes the character for
    which the pair stands, and a lone surrogate becomes U+FFFD."""
    if text.isascii() or _SURROGATE.search(text) is None:
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def encodable_value(value: Any) -> Any:
    """Return a JSON value with every text in it, including keys, made `encodable`."""
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, dict):
        return {encodable(key): encodable_value(one) for key, one in value.items()}
    return [*map(encodable_value, value)] if isinstance(value, list) else value


def utf8_size(text: str) -> int:
    """Return the number of bytes of `text` in UTF-8. A lone surrogate counts as three."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def clip_text(text: str, limit: int) -> str:
    """Return the first `limit` characters of `text`; if text was cut off, the last is "…"."""
    return text if len(text) <= limit else text[: max(0, limit - 1)] + "…"[:limit]


def clip_front(text: str, limit: int) -> str:
    """Return the last `limit` characters of `text`; if text was cut off, the first is "…"."""
    return text if len(text) <= limit else "…" + text[len(text) - limit + 1 :]


def fit_repr(value: object, limit: int) -> str:
    """Return the `repr` of a value on one line, shortened to `limit` characters, or "a value of
    type …" if `repr` fails."""
    try:
        return one_line(repr(value), limit)
    except (ValueError, RecursionError):
        return f"a value of type {type(value).__name__}"


def one_line(text: str, limit: int) -> str:
    """Return the beginning of `text` on one line, at most `limit` characters, without control
    characters and repeated spaces."""
    first = _VISIBLE.search(text)
    if first is None:
        return ""
    # Spaces and escape sequences shrink; four times the limit is enough for any real line.
    end = first.start() + limit * 4 + 64
    line = " ".join(_CONTROL.sub(" ", text[first.start() : end]).split())
    more = " …" if end < len(text) and len(line) < limit else ""
    return clip_text(line + more, limit)


def blank_controls(text: str) -> str:
    """Return `text` with a space in place of each control character (also line ends and tabs),
    escape sequence and direction mark."""
    return text if text.isprintable() else _CONTROL.sub(" ", text)


def escape_invisible(text: str) -> str:
    r"""Return `text` on one line, safe for a terminal: control and format characters, line ends,
    direction marks and characters without width are escaped (`\x1b`, `\n`, `\u202e`). Spaces of any
    width become plain spaces."""
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() else _escape_sign(sign) for sign in text)


def escape_invisible_lines(text: str) -> str:
    """Return `text` with invisible characters escaped, except line ends and tabs."""
    if text.isprintable():
        return text
    text = text.replace("\r\n", "\n")
    return "".join(
        sign if sign.isprintable() or sign in "\n\t" else _escape_sign(sign) for sign in text
    )


def _escape_sign(sign: str) -> str:
    r"""Return an unprintable character as Python escapes it (`\x1b`), a space for any space."""
    return " " if category(sign) == "Zs" else repr(sign)[1:-1]


NAME_CHARS = 64  # the longest name of a tool every provider takes
_NAME = lazy_re(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_BAD_IN_NAME = lazy_re(r"[^A-Za-z0-9_-]")


def provider_tool_name(name: str) -> str:
    """Return a tool's name in a form that every provider accepts: `fs:read_file` → `fs_read_file`.
    A long name is cut and ends in a hash."""
    if _NAME.fullmatch(name):
        return name
    clean = _BAD_IN_NAME.sub("_", name)
    if not clean[:1].isalpha():
        clean = f"_{clean}"
    if len(clean) <= NAME_CHARS:
        return clean
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return f"{clean[: NAME_CHARS - 9]}_{digest}"
