"""Streams of Gemini, beside what the library's own stream shows."""

from collections.abc import Callable
from typing import Any

import pytest

from loom.providers.formats.stream.gemini import GeminiCollector
from tests.kit.cases import all_cases

Collect = Callable[[Any], dict[str, Any]]
Parts = list[dict[str, Any]]

END: dict[str, Any] = {"candidates": [{"finish_reason": "STOP"}]}


def chunk(*parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a chunk with the parts."""
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, **more}]}


def call(**fields: Any) -> dict[str, Any]:
    """Return a part with a function call."""
    return {"function_call": fields}


def args(*values: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a part with arguments of the call before it."""
    return call(partial_args=list(values), **more)


def at(path: str, **value: Any) -> dict[str, Any]:
    """Return an argument for a path."""
    return {"json_path": path, **value}


SIGNED = {"thought_signature": b"\x00sig"}
OPEN = {"name": "f", "will_continue": True}
ON = {"will_continue": True}
TABLE: list[tuple[str, Parts, Parts]] = [
    ("an empty text", [{"text": ""}], []),
    ("a null thought is speech", [{"text": "a"}, {"text": "b", "thought": None}], [{"text": "ab"}]),
    ("a signature alone", [{"text": "a"}, SIGNED], [{"text": "a"}, SIGNED]),
    (
        "parts of unknown kinds",
        [{"text": "a"}, {"executable_code": {"code": "1"}}, {"text": "b", "novelty": 1}],
        [{"text": "a"}, {"executable_code": {"code": "1"}}, {"text": "b", "novelty": 1}],
    ),
    (
        "streamed arguments",
        [
            call(**OPEN, id="1") | SIGNED,
            args(at("$.path", string_value="a", will_continue=True), **ON),
            args(at("$.path", string_value="b"), at("$.n", number_value=5.0), **ON),
            args(at("$.deep['x.y'].z", bool_value=False), at("$.none", null_value="NULL_VALUE")),
            {"text": "after"},
        ],
        [
            call(
                name="f",
                id="1",
                args={"path": "ab", "n": 5, "deep": {"x.y": {"z": False}}, "none": None},
            )
            | SIGNED,
            {"text": "after"},
        ],
    ),
    (
        "streamed lists, two calls",
        [
            call(**OPEN),
            args(at("$.rows[0].id", string_value="a"), at("$.rows[1].id", string_value=""), **ON),
            args(at("$.rows[1].price", number_value=0.5)),
            call(),
            call(**OPEN),
            call(),
        ],
        [
            call(name="f", args={"rows": [{"id": "a"}, {"id": "", "price": 0.5}]}),
            call(name="f", args={}),
        ],
    ),
    (
        "arguments of no call",
        [call(**OPEN), call(), args(at("$.x", string_value="late"))],
        [call(name="f", args={}), args(at("$.x", string_value="late"))],
    ),
]


@all_cases(("parts", "expected"), [row[1:] for row in TABLE])
def test_parts(collect: Collect, parts: Parts, expected: Parts) -> None:
    """Parts add up to those of a whole reply, however the chunks group them."""
    types = pytest.importorskip("google.genai.types")
    single = [chunk(part) for part in parts]
    streams: list[list[Any]] = [[*single, END], [chunk(*parts), END]]
    if not any("novelty" in part for part in parts):
        streams.append([types.GenerateContentResponse.model_validate(c) for c in [*single, END]])
    for stream in streams:
        (candidate,) = collect(stream)["candidates"]
        assert candidate["content"] == {"role": "model", "parts": expected}
        assert type(candidate["finish_reason"]) is str
        assert candidate["finish_reason"] == "STOP"


@all_cases(
    ("last", "done"),
    [
        (chunk(finish_reason=None), False),
        (chunk(finish_reason="FINISH_REASON_UNSPECIFIED"), False),
        (chunk(finish_reason="STOP", index=1), False),
        ({"prompt_feedback": {"block_reason": None}}, False),
        (chunk({"text": "a"}, finish_reason="STOP"), True),
        ({"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL"}]}, True),
        ({"prompt_feedback": {"block_reason": "SAFETY"}}, True),
    ],
)
def test_done(last: dict[str, Any], done: bool) -> None:
    """A reply ends with a finish reason of its first candidate, or with a blocked prompt."""
    collector = GeminiCollector()
    collector.take(chunk({"text": "a"}))
    assert not collector.done
    collector.take(last)
    assert collector.done is done


def test_names_of_the_host(collect: Collect) -> None:
    """The service's names become snake_case, a function's own stay; no base64, no bytes."""
    called = {"name": "doIt", "args": {"filePath": {"innerName": 1}}}
    part = {"functionCall": called, "thoughtSignature": "not base64!"}
    (candidate,) = collect([chunk(part), END])["candidates"]
    [made] = candidate["content"]["parts"]
    assert made == {"function_call": called, "thought_signature": "not base64!"}


@pytest.mark.parametrize(("given", "kept"), [(5.0, "5"), (0.5, "0.5"), (-2, "-2")])
def test_streamed_numbers(collect: Collect, given: float, kept: str) -> None:
    """A whole number stays whole, although the library reads all numbers as floats."""
    stream = [chunk(call(**OPEN)), chunk(args(at("$.n", number_value=given))), END]
    (candidate,) = collect(stream)["candidates"]
    assert repr(candidate["content"]["parts"][0]["function_call"]["args"]["n"]) == kept
