"""A secret is found as a terminal shows it, whatever sequences stand in it and around it."""

from __future__ import annotations

import json
import re

from hypothesis import assume, given
from hypothesis import strategies as st

from loom.redact import Redactor
from loom.redact.visible_text import VisibleText
from tests.kit.secrets_made import PLACED, SHAPED

COLOURS = ["\x1b[31m", "\x1b[m", "\x1b[1;38;5;208m", "\x1b[38:2::1:2:3m", "\x1b[K", "\x1b[0m\x0f"]
OTHERS = [
    "\x1b]8;;https://example.org/a?b\x07",
    "\x1b]8;id=1;file:///x\x1b\\",
    "\x1b]0;a title\x9c",
    "\x1bP1$r0m\x1b\\",
    "\x1b_note\x1b\\",
    "\x1b[2A",
    "\x1b[10;20H",
    "\x1b[20G",
    "\x1b[?25l",
    "\x1b[6n",
    "\x1b[1 q",
    "\x1b(B",
    "\x1b7",
    "\x1bM",
    "\x1b#8",
    "\x1b[2J",
]
C1 = ["\x9b1;31m", "\x84", "\x9d0;a title\x9c", "\x90q\x9c"]
DECORATION = st.lists(st.sampled_from([*COLOURS, *OTHERS, *C1]), max_size=2).map("".join)
SPELLABLE = st.lists(st.sampled_from([*COLOURS, *OTHERS[:2], *OTHERS[3:]]), max_size=2).map("".join)


def decorated(draw: st.DrawFn, text: str, decoration: st.SearchStrategy[str]) -> str:
    """The text with sequences between any of its characters."""
    places = draw(st.lists(st.integers(1, len(text) - 1), max_size=4)) if len(text) > 1 else []
    for place in sorted(places, reverse=True):
        text = text[:place] + draw(decoration) + text[place:]
    return text


@st.composite
def cases(draw: st.DrawFn, decoration: st.SearchStrategy[str] = DECORATION) -> tuple[str, str]:
    """A text that shows a secret, and the text as it must be after redaction."""
    kind, before, secret, after = draw(st.sampled_from(SHAPED))
    left = decorated(draw, before, decoration) + draw(decoration)
    right = draw(decoration) + decorated(draw, after, decoration)
    return left + decorated(draw, secret, decoration) + right, f"{left}[redacted:{kind}]{right}"


# Beside a secret these could be part of it, or of what makes it one.
OWN = {"aws-access-token": r"[0-9A-Za-z]", "jwt": r"[A-Za-z0-9_.=-]"}
BESIDE = st.characters() | st.sampled_from("密のé٣ıЖ🔑\u0301\u200b\ufeff\x00\x1b\x9b\\%\"'`(=,;:@&")


@given(st.sampled_from(SHAPED[1:]), BESIDE, BESIDE)
def test_a_secret_between_any_characters(
    example: tuple[str, str, str, str], left: str, right: str
) -> None:
    """Its own alphabet decides where a secret begins and ends, whatever else is a letter."""
    kind, _, secret, _ = example
    own = re.compile(OWN.get(kind, "[A-Za-z0-9_-]"))
    assume(not own.match(left) and not own.match(right))
    assume(left != "\\" or secret[0] not in "nrt")  # an escape
    redact = Redactor()
    clean = redact(f"{left}{secret}{right}")
    assert secret not in clean and clean.startswith(left)
    assert sum(redact.counts.values()) == 1


SPELLINGS = [
    lambda char: f"\\u{ord(char):04x}",
    lambda char: f"\\\\u{ord(char):04X}",
    lambda char: f"\\x{ord(char):02x}",
    lambda char: f"%{ord(char):02X}",
    lambda char: f"%25{ord(char):02x}",
]
ESCAPES = [
    "\\n", "\\t", "\\r", "\\\\n", "\\/", '\\"', "\\u003d", "\\u003c", "%3D", "%20", "%253D",
    "\\x3d",
]  # fmt: skip


@given(st.data(), st.sampled_from(SHAPED), st.sampled_from([*ESCAPES, "a="]))
def test_a_secret_that_is_spelled(
    data: st.DataObject, example: tuple[str, str, str, str], left: str
) -> None:
    """Escapes of JSON, of code and of URLs, before a secret and for any of its characters."""
    kind, _, secret, after = example
    spell = data.draw(st.sampled_from(SPELLINGS))
    places = data.draw(st.sets(st.integers(0, len(secret) - 1)))
    spelled = "".join(spell(char) if at in places else char for at, char in enumerate(secret))
    assert Redactor()(f"a{left}{spelled}{after}") == (f"a{left}[redacted:{kind}]{after}")


@st.composite
def coloured(draw: st.DrawFn) -> tuple[str, str, str, str]:
    """A secret by its place: what stands before it, the value, how it is shown, what follows."""
    _, before, secret, after = draw(st.sampled_from(PLACED))
    shown = decorated(draw, secret, st.sampled_from(COLOURS[:4]))
    start, stop = draw(st.sampled_from([("", ""), ("\x1b[31m", "\x1b[0m")]))
    return before, secret, start + shown + stop, after


@given(coloured())
def test_sequences_in_a_value(case: tuple[str, str, str, str]) -> None:
    """A value that is known by its place goes too, coloured around it or inside."""
    before, secret, shown, after = case
    clean = Redactor()(before + shown + after)
    assert secret not in VisibleText(clean).bare
    assert clean.startswith(before) and clean.endswith(after)


@given(cases())
def test_sequences_hide_no_secret(case: tuple[str, str]) -> None:
    """The secret goes with the sequences in it; all else stays byte for byte, and it is counted."""
    text, clean = case
    redact = Redactor()
    assert redact.holds_secret(text)
    assert redact.counts == {}
    assert redact(text) == clean
    assert sum(redact.counts.values()) == 1
    assert redact(clean) == clean
    assert not redact.holds_secret(clean)


@given(cases(SPELLABLE))
def test_sequences_spelled_in_json(case: tuple[str, str]) -> None:
    """In JSON, as a tool's result and as arguments, and in JSON within it; what is left is JSON."""
    text, clean = case
    redact = Redactor()
    assert json.loads(redact(json.dumps({"a": [text]}))) == {"a": [clean]}
    assert json.loads(redact.arguments(json.dumps({"a": [text]}))) == {"a": [clean]}
    nested = json.dumps({"inner": json.dumps({"a": text})})
    assert redact.holds_secret(nested)
    inner = json.loads(redact.arguments(nested))["inner"]
    assert json.loads(inner) == {"a": clean}


@given(st.text(st.sampled_from('\x1b\x9b\x9d\x07\x9c[]0;1m\\ue3"ab% \n\x00'), max_size=60))
def test_places(text: str) -> None:
    """Each character that is shown is the one that stands at its place."""
    shown = VisibleText(text)
    for at in range(len(shown.bare)):
        start, end = shown._original_start(at), shown._original_end(at + 1)
        assert VisibleText(text[start:end]).bare == shown.bare[at]
