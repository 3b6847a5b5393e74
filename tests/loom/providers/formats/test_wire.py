"""Plain values, compact JSON and the text of content parts."""

from types import SimpleNamespace

from loom.providers.formats.wire import (
    EDITABLE,
    content_text,
    copies_for_request,
    parse_json_object,
    plain_reply,
    without_nulls,
)
from tests.kit.cases import all_cases

PNG = {"type": "base64", "media_type": "image/png", "data": "QUJDRA=="}


@all_cases(
    ("content", "text"),
    [
        ("as it was\n", "as it was\n"),
        ([{"type": "text", "text": "one"}, "two"], "one\n\ntwo"),
        ([{"type": "text", "text": ""}, {"type": "text", "text": "b"}], "b"),
        ([{"type": "refusal", "refusal": "no"}], "no"),
        ([{"type": "image", "source": PNG}], "[image omitted: image/png, 4 bytes]"),
        (
            [{"type": "image", "source": {"type": "url", "url": "https://x.test/a.png"}}],
            "[image omitted: https://x.test/a.png]",
        ),
        (
            [{"type": "image_url", "image_url": {"url": "data:image/gif;base64,QUI="}}],
            "[image omitted: image/gif, 2 bytes]",
        ),
        ([{"type": "document", "source": {"type": "text", "data": "plain"}}], "plain"),
        (
            [{"type": "tool_reference", "tool_name": "x"}],
            '{"type":"tool_reference","tool_name":"x"}',
        ),
        ({"status": "ok"}, '{"status":"ok"}'),
    ],
)
def test_text_of(content: object, text: str) -> None:
    """Content of any kind reads as text, and what is left out is named."""
    assert content_text(content) == text


@all_cases(
    ("value", "expected"),
    [
        ({"content": "x", "n": [1, None]}, {"content": "x", "n": [1, None]}),
        (SimpleNamespace(content="x", _raw=1), {"content": "x"}),
        (
            SimpleNamespace(role="a", tool_calls=(SimpleNamespace(id="c"),)),
            {"role": "a", "tool_calls": [{"id": "c"}]},
        ),
        ({"content": b"\xff\x00"}, {"content": "/wA="}),
        (SimpleNamespace(output=[b""]), {"output": [""]}),
    ],
)
def test_plain(value: object, expected: object) -> None:
    """Objects become dicts of their public attributes; what is no reply is not walked."""
    assert plain_reply(value) == expected


def test_plain_ends_on_cycles() -> None:
    """An object that refers to itself is cut off instead of walked for ever."""
    node = SimpleNamespace(content="x")
    node.self = node
    assert plain_reply(node)["content"] == "x"


@all_cases(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ("", None),
        ('{"a": ', None),
        ('{"a": NaN}', None),
        ('{"a": 1e999}', None),
        ('{"a": "\\ud800"}', None),
        ("[" * 100_000, None),
    ],
)
def test_parse_object(text: str, value: object) -> None:
    """Only JSON objects that can be sent are read; everything else is None."""
    assert parse_json_object(text) == value


@all_cases(
    ("editable", "copied"), [((), set()), ((0,), {0}), ((0, 2), {0, 2}), ((-1, 99, 7), set())]
)
def test_ones_own(editable: tuple[int, ...], copied: set[int]) -> None:
    """The last messages and the named ones are copies, the others are shared."""
    messages = [{"content": [number]} for number in range(EDITABLE + 4)]
    request = copies_for_request(messages, editable)
    assert request == messages
    own = {number for number, message in enumerate(request) if message is not messages[number]}
    assert own == copied | set(range(4, EDITABLE + 4))
    assert all(request[number]["content"] is not messages[number]["content"] for number in own)


@all_cases(
    ("value", "expected"),
    [
        ({"a": None, "b": [{"c": None}, None]}, {"b": [{}, None]}),
        ({"kept": None, "a": {"kept": None}}, {"kept": None, "a": {"kept": None}}),
        ({"whole": {"a": None}}, {"whole": {"a": None}}),
    ],
)
def test_without_nulls(value: object, expected: object) -> None:
    """Null members leave, but for the named ones and what is not to be looked into."""
    assert without_nulls(value, {"kept"}, {"whole"}) == expected
