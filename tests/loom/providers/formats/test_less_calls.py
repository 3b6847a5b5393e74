"""A reply less the calls that are answered here, in its provider's own shape."""

from __future__ import annotations

from typing import Any

from loom.providers.formats import decode
from loom.providers.formats.less_calls import less_calls
from tests.kit.cases import all_cases
from tests.kit.hosts import FORMATS, Called, Replied, enveloped, wire

OWN, HOST = Called("c1", "note", "x"), Called("c2", "bash", "ls")


def sent(format: str, *calls: Called) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """A reply as the provider sends it, and the message in it where that is one value."""
    told = wire(format, [Replied("I look.", calls)])
    message = [one for one in told if one.get("role") not in ("system", "developer")]
    return enveloped(format, message, 10), message[0] if len(message) == 1 else None


@all_cases("format", FORMATS)
def test_only_these_calls_leave(format: str) -> None:
    """The text and the host's calls stay; the value that was given is not changed. A reply without
    such calls is whole, as plain values, with its usage."""
    value, message = sent(format, OWN, HOST)
    before = repr(value)
    for given in filter(None, (value, message)):
        left = decode(less_calls(given, {"note"}))
        assert [call.name for call in left.calls] == ["bash"]
        assert "I look." in repr(left.parts)
    assert repr(value) == before
    value, _ = sent(format, HOST)
    left_over = less_calls(value, {"note"})
    assert decode(left_over) == decode(value) and left_over.keys() >= value.keys()
