import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.capabilities.events import BadSignal, Signal
from loom.capabilities.events.signal import checked_text, fingerprint, occurred
from loom.errors import LoomError
from loom_partitions.working import URGENCIES
from tests.kit.cases import all_cases

BAD = [*(("id", id) for id in ("", "x" * 81, "a\nb")), ("kind", ""), ("urgency", "urgent")]
BAD += [("summary", text) for text in ("", "a" * 201, "a\tb", "a\x1b[31mb", "a\udc00b")]


@all_cases(("field", "value"), BAD)
def test_what_could_not_be_shown_is_no_signal(field: str, value: str) -> None:
    """An id, kind or summary that is no bounded line, and an unknown urgency, are refused."""
    with pytest.raises(BadSignal) as raised:
        Signal(**{"id": "a", "kind": "files", "summary": "a", "urgency": "low", field: value})
    assert isinstance(raised.value, LoomError)


@given(st.text(st.characters(), max_size=400), st.sampled_from(URGENCIES))
def test_any_text_of_an_occurrence_makes_a_signal(text: str, urgency: str) -> None:
    """A summary is cut and cleaned until it is a lawful one."""
    made = occurred("files", text, urgency, text)
    assert 1 <= len(made.summary) <= 200 and made.urgency == urgency


@given(st.text(st.characters(), max_size=300))
def test_a_text_is_shown_whole_or_refused(text: str) -> None:
    """No word of a message is cut away; checking twice changes nothing."""
    try:
        line = checked_text(text)
    except BadSignal:
        return
    assert checked_text(line) == line and len(line) <= 200
    if text.isprintable():
        assert line.split() == text.split()


@given(st.lists(st.text(max_size=4), max_size=4), st.lists(st.text(max_size=4), max_size=4))
def test_a_fingerprint_tells_marks_apart(one: list[str], other: list[str]) -> None:
    """Equal marks have one id, other marks another, however they are split."""
    assert (fingerprint("files", *one) == fingerprint("files", *other)) == (one == other)
