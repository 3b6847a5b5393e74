"""Judge a model's answer: take it as the summary, or refuse it with the reason.

An answer is refused when it is no text, blank, much too long, no shorter than the reduction it
would replace, when it names what the payload does not, or when it has nothing of the payload (an
error's text, an apology). An answer up to twice as long as asked is judged whole and then cut at
the end of a line or sentence, which it says."""

from __future__ import annotations

from msgspec import Struct

from loom.lazy import lazy_re
from loom.providers.reasoning import separate
from loom.reduce.summary.grounding import speaks_of_payload, ungrounded
from loom.text import clip_text, encodable, one_line

OVER = 2  # times the limit up to which an answer is cut and not refused
NAMED = 120  # characters of what was ungrounded in a reason
CUT = " […]"
# What is not seen, and would part a name from itself: controls, soft hyphens, marks of direction.
_UNSEEN = lazy_re(
    r"\x1b\[[0-9;?]*[@-~]|[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
    r"|(?<=[\x00-\x7f])[\u200c\u200d]"
)
_END = lazy_re(r"[.!?](?=\s)|[。！？]|(?=\n)")


class Summarized(Struct, frozen=True):
    """The text that replaces a tool's output, at most `limit` characters long.

    `by` says how the text was made: "whole" (the output fitted), "structure" (reduced without a
    model) or "model". `why` says why the model's answer was not used, "" if no model was asked.
    `ungrounded` has the things that a refused answer names but the output does not contain."""

    text: str
    by: str
    why: str = ""
    ungrounded: tuple[str, ...] = ()


def judge_answer(
    given: object, payload: str, structure: str, *, limit: int, allowed: str, note: str
) -> Summarized:
    """Return the model's answer `given` as the summary, with `note` after it, or `structure`, the
    short form made without a model, if the answer is refused. `limit` is for the answer alone.
    `allowed` is a text with more names that the answer may use."""
    if not isinstance(given, str):
        return refused_answer(structure, f"answered {type(given).__name__}, not text")
    text = _visible_answer(given)
    if not any(sign.isalnum() for sign in text):
        return refused_answer(structure, "answered nothing")
    if len(text) > OVER * limit:
        return refused_answer(
            structure, f"answered {len(text):,} characters where {limit:,} were asked for"
        )
    missing = ungrounded(text, payload, allowed)
    if missing:
        named = one_line(", ".join(missing), NAMED)
        return refused_answer(structure, f"names what the payload does not: {named}", missing)
    if not speaks_of_payload(text, payload):
        return refused_answer(
            structure, f"answered with nothing of the payload: {one_line(text, NAMED)}"
        )
    text = _cut_at_sentence(text, limit)
    if len(text) > len(structure):
        return refused_answer(
            structure,
            f"answered {len(text):,} characters, more than the {len(structure):,} they replace",
        )
    return Summarized(f"{text}\n{note}", "model")


def refused_answer(structure: str, why: str, missing: tuple[str, ...] = ()) -> Summarized:
    """Return `structure`, the short form made without a model, as the summary. `why` says why the
    model's answer was refused; `missing` are things in the answer that the payload does not
    contain."""
    return Summarized(structure, "structure", one_line(why, 2 * NAMED), missing)


def _visible_answer(text: str) -> str:
    """Return the model's answer without reasoning and invisible characters."""
    return separate(_UNSEEN.sub("", encodable(text).replace("\r\n", "\n"))).answer.strip()


def _cut_at_sentence(text: str, limit: int) -> str:
    """Return the beginning of a text, at most `limit` characters, in whole sentences or lines."""
    if len(text) <= limit:
        return text
    room = max(0, limit - len(CUT))
    ends = [end.end() for end in _END.finditer(text, 0, room + 1) if end.end() <= room]
    return text[: ends[-1]].rstrip() + CUT if ends else clip_text(text, limit)
