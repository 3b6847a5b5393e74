"""What providers really say when a request is too long, and when something else is wrong."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.providers.overflow import READ, Overflow, overflow
from loom_partitions.limits import MediaLimits
from tests.kit.cases import all_cases

TABLE = tomllib.loads(Path(__file__).with_name("overflow_texts.toml").read_text("utf-8"))
LIMITS = MediaLimits.__struct_fields__
SAID = {row["source"]: row["text"] for kind in TABLE.values() for row in kind}
TOLD = {row["source"]: Overflow(row.get("limit", 0), row.get("size", 0)) for row in TABLE["long"]}
TOLD |= {
    row["source"]: Overflow(
        media=MediaLimits(**{name: row[name] for name in LIMITS if name in row})
    )
    for row in TABLE["media"]
}
OVERFLOWS = [pytest.param(SAID[source], told, id=source) for source, told in TOLD.items()]
DIFFERENT = [pytest.param(row["text"], id=row["source"]) for row in TABLE["other"]]
CHAT = "openai: evalstate/fast-agent 621"
LLAMA = "llama.cpp: oobabooga/textgen 7257"


class Refused(Exception):
    """An exception with whatever attributes an SDK's would have."""

    def __init__(self, message: str = "", /, **fields: object) -> None:
        super().__init__(message)
        self.__dict__.update(fields)


@all_cases(("text", "told"), OVERFLOWS)
def test_a_real_text(text: str, told: Overflow) -> None:
    """A provider's words are recognised, with the numbers they state and no others."""
    assert overflow(RuntimeError(text)) == told
    assert overflow(Refused(text, status_code=400)) == told
    assert overflow(Refused("Error code: 400", status_code=400, body={"message": text})) == told


@all_cases("case", [str.lower, str.upper])
@all_cases(("text", "told"), OVERFLOWS)
def test_capitals(case: Callable[[str], str], text: str, told: Overflow) -> None:
    """Capitals make no difference."""
    assert overflow(RuntimeError(case(text))) == told


@all_cases("status", [401, 403, 404, 429])
@all_cases(("text", "told"), OVERFLOWS)
def test_a_status_of_another_kind(status: int, text: str, told: Overflow) -> None:
    """Whatever is said, a rate limit or a missing right is no overflow."""
    assert overflow(Refused(text, status_code=status)) is None
    assert overflow(Refused(text, status_code=200, code=str(status))) is None


@all_cases("text", DIFFERENT)
def test_another_kind(text: str) -> None:
    """Other failures are none, with the statuses they come with."""
    for error in (RuntimeError(text), Refused(text, status_code=400), Refused(text, code=500)):
        assert overflow(error) is None


@all_cases(
    "word",
    [
        "context_length_exceeded",
        "context length exceeded",
        "request_too_large",
        "exceed_context_size_error",
        "model_context_window_exceeded",
        "Please reduce the length of the messages.",
        "413 Request Entity Too Large",
        "413 Payload Too Large",
    ],
)
def test_a_word_is_enough(word: str) -> None:
    """Codes and reasons, wherever they stand."""
    assert overflow(RuntimeError(word)) == Overflow()
    for field in ("code", "type", "message", "body", "details"):
        assert overflow(Refused("", **{field: word})) == Overflow()
    assert overflow(Refused("", response=Refused(text=word))) == Overflow()


PAYLOAD: list[dict[str, Any]] = [
    {"status_code": 413},
    {"status": 413},
    {"code": 413},
    {"code": "413"},
    {"response": Refused(status_code=413)},
    {"response": {"ResponseMetadata": {"HTTPStatusCode": 413}}},
]


@all_cases("fields", PAYLOAD, ids=[str(fields)[:40] for fields in PAYLOAD])
@all_cases("text", ["", "<h1>413 Request Entity Too Large</h1>", "boom"])
def test_too_large_a_body(text: str, fields: dict[str, Any]) -> None:
    """HTTP 413 says it all, wherever an SDK puts the status."""
    assert overflow(Refused(text, **fields)) == Overflow()


def test_too_large_for_a_minute() -> None:
    """Groq's 413 is an overflow; the limit it names is of tokens a minute (continue 10218)."""
    said = (
        "Request too large for model `x` on tokens per minute (TPM): Limit 12000, Requested 14137"
    )
    assert overflow(Refused(said, status_code=413)) == Overflow()


@all_cases(
    ("number", "limit"),
    [
        ("0", 0),
        ("255", 0),
        ("256", 256),
        ("8,192", 8_192),
        ("1_048_576", 1_048_576),
        ("100000000", 100_000_000),
        ("100000001", 0),
        ("1000000000000", 0),
        ("9" * 5_000, 0),
    ],
)
def test_plausible_limits(number: str, limit: int) -> None:
    """A limit no model has is not learnt; the overflow stays one."""
    said = f"This model's maximum context length is {number} tokens"
    assert overflow(RuntimeError(said)) == Overflow(limit)


@pytest.mark.parametrize("number", ["0", "1" + "0" * 12, "7" * 9_000])
def test_plausible_sizes(number: str) -> None:
    """A size no request has is not learnt."""
    said = f"prompt is too long: {number} tokens > 200000 maximum"
    assert overflow(RuntimeError(said)) == Overflow(200_000)
    said = f"maximum context length is 4096. You requested ({number} in the messages)"
    assert overflow(RuntimeError(said)) == Overflow(4_096)


def test_the_body_tells_what_the_text_does_not() -> None:
    """Numbers come from wherever they stand; those found first count."""
    body = {"type": "exceed_context_size_error", "n_prompt_tokens": 14_429, "n_ctx": 8_192}
    error = Refused("the request exceeds the available context size", status_code=400, body=body)
    assert overflow(error) == Overflow(8_192, 14_429)
    for form in (json.dumps(body), json.dumps(body).encode(), json.dumps(json.dumps(body))):
        assert overflow(Refused("Error code: 500", body=form)) == Overflow(8_192, 14_429)


HUGE = [
    "x" * 2_000_000,
    "1" * 2_000_000,
    "1," * 1_000_000,
    "1 in the messages, " * 100_000,
    "n_ctx " * 300_000,
    "prompt is too long: " * 100_000,
    "input length (" * 100_000,
    "exceeds the model's maximum context length of " * 40_000,
]


@all_cases("filler", HUGE, ids=[text[:16] for text in HUGE])
def test_only_the_beginning_is_read(filler: str) -> None:
    """What stands behind the first characters of texts is not looked at, however large they are."""
    late = f"{'x' * READ}maximum context length is 8192"
    assert overflow(RuntimeError(late)) is None
    assert overflow(RuntimeError(f"maximum context length is 8192 {filler}")) is not None
    told = overflow(Refused("maximum context length is 8192", body={"input": filler}))
    assert told is not None
    assert told.limit == 8_192


@given(
    text=st.text(max_size=200),
    fields=st.dictionaries(
        st.sampled_from(["status_code", "status", "code", "body", "message", "response", "type"]),
        st.none()
        | st.integers()
        | st.text(max_size=50)
        | st.binary(max_size=50)
        | st.booleans()
        | st.dictionaries(st.text(max_size=9), st.integers() | st.text(max_size=9), max_size=3),
    ),
)
def test_any_exception(text: str, fields: dict[str, Any]) -> None:
    """Whatever an exception bears, the answer is none or a plausible overflow."""
    told = overflow(Refused(text, **fields))
    assert told is None or (told.limit == 0 or told.limit >= 256)


class Hostile(Exception):
    """Its parts cannot be read."""

    def __str__(self) -> str:
        """Raise, as broken exceptions do."""
        raise ValueError("no text")

    @property
    def body(self) -> str:
        """Raise, as a response does that was not read."""
        raise RuntimeError("not read")

    response = body


def test_what_cannot_be_read_is_passed_over() -> None:
    """Broken exceptions are of another kind, unless a part that can be read says otherwise."""
    error = Hostile()
    assert overflow(error) is None
    error.status_code = 413  # type: ignore[attr-defined]
    assert overflow(error) == Overflow()


def test_the_name_of_the_exception_counts() -> None:
    """LiteLLM's own class says it; so does the one for rate limits."""
    long = type("ContextWindowExceededError", (Exception,), {})
    often = type("RateLimitError", (Exception,), {})
    assert overflow(long("boom")) == Overflow()
    assert overflow(often("prompt is too long: 207791 tokens > 200000 maximum")) is None


def test_a_client_error_of_botocore() -> None:
    """Its `response` is a plain dict."""
    meta = {"HTTPStatusCode": 400, "HTTPHeaders": {"x-amzn-ratelimit": "rate limit"}}
    said = "Input is too long for requested model."
    error = Refused(
        "",
        response={
            "Error": {"Code": "ValidationException", "Message": said},
            "ResponseMetadata": meta,
        },
    )
    assert overflow(error) == Overflow()
    meta["HTTPStatusCode"] = 429
    assert overflow(error) is None


def raised(sdk: str, status: int, body: object) -> Exception:
    """What an SDK raises for a reply of that status and body."""
    httpx2 = pytest.importorskip("httpx2")
    module = pytest.importorskip(sdk)
    given: dict[str, Any] = {"text": body} if isinstance(body, str) else {"json": body}
    answer = httpx2.MockTransport(lambda request: httpx2.Response(status, **given))
    name = {"openai": "OpenAI", "anthropic": "Anthropic"}[sdk]
    with httpx2.Client(transport=answer) as http:
        client = getattr(module, name)(api_key="k", max_retries=0, http_client=http)
        with pytest.raises(module.APIStatusError) as caught:
            if sdk == "openai":
                client.chat.completions.create(model="m", messages=[])
            else:
                client.messages.create(model="m", messages=[], max_tokens=1)
    error: Exception = caught.value
    return error


def said(message: str, **more: object) -> dict[str, object]:
    """A body as OpenAI and Anthropic nest it."""
    return {"type": "error", "error": {"message": message, **more}}


SDK: list[tuple[str, int, object, Overflow | None]] = [
    ("openai", 400, said("boom"), None),
    ("openai", 401, said("context_length_exceeded"), None),
    (
        "openai",
        429,
        said(SAID["rate, openai: vanna-ai/vanna-flask 11"], code="rate_limit_exceeded"),
        None,
    ),
    (
        "openai",
        400,
        said(SAID["string, openai: VectorlyApp/bluebox 31"], code="string_above_max_length"),
        None,
    ),
    ("openai", 400, said("too long", code="context_length_exceeded"), Overflow()),
    ("openai", 400, said(SAID[CHAT]), Overflow(131_072, 122_942)),
    ("openai", 400, SAID[CHAT], Overflow(131_072, 122_942)),
    ("openai", 400, json.loads(SAID[LLAMA]), Overflow(8_192, 14_429)),
    ("openai", 500, json.loads(SAID[LLAMA]), Overflow(8_192, 14_429)),
    (
        "openai",
        400,
        {"object": "error", "message": SAID["together, sglang: QwenLM/Qwen3 1321"]},
        Overflow(40_960, 61_709),
    ),
    ("openai", 413, said("on tokens per minute (TPM): Limit 6000", type="tokens"), Overflow()),
    ("openai", 413, "<html>413 Request Entity Too Large</html>", Overflow()),
    ("openai", 413, "", Overflow()),
    ("anthropic", 400, said("max_tokens: 100000 > 8192, the maximum"), None),
    ("anthropic", 429, said("long context", type="rate_limit_error"), None),
    ("anthropic", 400, said(SAID["anthropic: whoz-oss/coday 26"]), Overflow(200_000, 207_791)),
    (
        "anthropic",
        400,
        said(SAID["anthropic: docker/docker-agent 569"]),
        Overflow(200_000, 178_959),
    ),
    ("anthropic", 413, said("Request exceeds the maximum size"), Overflow()),
]


@all_cases(("sdk", "status", "body", "told"), SDK)
def test_what_an_sdk_raises(sdk: str, status: int, body: object, told: Overflow | None) -> None:
    """The exceptions of the SDKs themselves, made of the replies they read."""
    assert overflow(raised(sdk, status, body)) == told


@all_cases(
    ("status", "message", "told"),
    [
        (400, "API key not valid", None),
        (429, "Resource has been exhausted (e.g. check quota).", None),
        (400, SAID["gemini: google-gemini/gemini-cli 22609"], Overflow(1_048_576)),
        (400, SAID["vertex: google-gemini/gemini-cli 19727"], Overflow(1_048_576, 1_251_952)),
        (413, "Request payload size exceeds the limit", Overflow()),
    ],
)
def test_what_google_raises(status: int, message: str, told: Overflow | None) -> None:
    """The exceptions of google-genai, whose `code` is the status and `status` a word."""
    errors = pytest.importorskip("google.genai.errors")
    httpx2 = pytest.importorskip("httpx2")
    body = {"error": {"code": status, "message": message, "status": "INVALID_ARGUMENT"}}
    with pytest.raises(errors.APIError) as caught:
        errors.APIError.raise_for_response(httpx2.Response(status, json=body))
    assert overflow(caught.value) == told


@pytest.mark.parametrize("streamed", [False, True], ids=["read", "not read"])
def test_what_httpx_raises(streamed: bool) -> None:
    """The text of its response is read where it was received, and missed without harm elsewhere."""
    httpx2 = pytest.importorskip("httpx2")
    body = SAID[CHAT].encode()
    response = httpx2.Response(
        400,
        request=httpx2.Request("POST", "http://localhost"),
        **({"stream": httpx2.ByteStream(body)} if streamed else {"content": body}),
    )
    with pytest.raises(httpx2.HTTPStatusError) as caught:
        response.raise_for_status()
    assert overflow(caught.value) == (None if streamed else Overflow(131_072, 122_942))


def test_the_table() -> None:
    """No source and no text stands twice, and there are plenty of each kind."""
    rows = [row for kind in TABLE.values() for row in kind]
    assert len({row["text"] for row in rows}) == len(SAID) == len(rows)
    assert len(TABLE["long"]) > 50
    assert len(TABLE["other"]) > 20
