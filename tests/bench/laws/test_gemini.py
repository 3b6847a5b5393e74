"""The laws of Gemini's requests, each broken once."""

from typing import Any

from tests.kit.cases import all_cases

Part = dict[str, Any]


def user(*parts: Part) -> Part:
    """Return a content of the user."""
    return {"role": "user", "parts": list(parts or ({"text": "go"},))}


def model(*parts: Part) -> Part:
    """Return a content of the model."""
    return {"role": "model", "parts": list(parts or ({"text": "ok"},))}


def call(name: str = "a", **more: Any) -> Part:
    """Return a call part."""
    return {"function_call": {"name": name, "args": {}, **more}}


def res(name: str = "a", **more: Any) -> Part:
    """Return a response part."""
    return {"function_response": {"name": name, "response": {"output": "done"}, **more}}


def tool(name: Any = "a", **more: Any) -> Part:
    """Return a tool of one declaration."""
    schema = more or {"parameters_json_schema": {"type": "object"}}
    return {"function_declarations": [{"name": name, "description": "d", **schema}]}


TEXT = {"text": "more"}
SIGNED = {**call(), "thought_signature": b"s"}
BLOB = {"inline_data": {"mime_type": "image/png", "data": b"p"}}
LAWFUL = [
    "hi",
    [user(), model(), user()],
    [{"parts": [{"text": "hi"}]}],
    [user(TEXT, BLOB)],
    [user(), model(TEXT, call("a"), call("b")), user(res("a"), res("b"), TEXT)],
    [user(), model(call("a", id="1"), call("b", id="2")), user(res("b", id="2"), res("a", id="1"))],
    [user(), model(SIGNED), user(res()), model({"text": "", "thought_signature": b"t"})],
    [user(), model({"function_call": {"name": "a"}}), user(res())],
    [user(), model({"text": "t", "thought": True}, TEXT)],
]


@all_cases(
    ("contents", "violations"),
    [
        *((contents, []) for contents in LAWFUL),
        ([], ["contents: there are none"]),
        ("", ["text part is blank"]),
        (["go"], ["no object"]),
        ([{"role": "system", "parts": [TEXT]}], ["no role is named 'system'"]),
        ([model()], ["role 'model' opens"]),
        ([user(), user()], ["content 1: role 'user' follows"]),
        ([user(), model(), model()], ["role 'model' follows"]),
        ([user(), model(call()), user(res(), TEXT), user()], ["role 'user' follows"]),
        ([{"role": "user", "parts": []}], ["no parts"]),
        ([user({"text": " "})], ["text part is blank"]),
        ([user({})], ["0 kinds of data"]),
        ([user(), model({"thought_signature": b"s"})], ["0 kinds of data"]),
        ([user({**TEXT, **BLOB})], ["2 kinds of data"]),
        ([user(), model(call())], ["contents: the call of 'a' has no response"]),
        ([user(), model(call()), user()], ["content 2: no response to the call of 'a'"]),
        ([user(), model(), user(res())], ["which was not called"]),
        ([user(), model(call(), call()), user(res())], ["1 function responses to 2"]),
        ([user(), model(call("a")), user(res("b"))], ["'b' answers the call 'a'"]),
        ([user(), model(call("a"), call("b")), user(res("b"), res("a"))],
         ["'b' answers the call 'a'", "'a' answers the call 'b'"]),
        ([user(), model(call(id="1")), user(res(id="2"))], ["'a' of id '2' answers"]),
        ([user(), model(call(id="1"), call(id="1")), user(res(id="1"), res(id="1"))],
         ["two calls have the id '1'"]),
        ([user(), model(call("")), user(res(""))], ["call has no name", "response has no name"]),
        ([user(), model(call()), user(res(response="x"))], ["response of a function_response"]),
        ([user(call())], ["function_call in a content of role 'user'", "no response"]),
        ([user(), model(res())], ["a content of role 'model'", "was not called"]),
        ([user(), model({**call(), "thought_signature": "s"}), user(res())], ["no bytes"]),
        ([user(), model({**call(), "thought_signature": b""}), user(res())], ["none of them"]),
    ],
)  # fmt: skip
def test_contents(contents: Any, violations: list[str], finds: Any) -> None:
    """What the service takes is taken; each broken law is named once, in order."""
    finds("gemini", {"contents": contents}, violations)


@all_cases(
    ("name", "contents", "violations"),
    [
        ("gemini-3-pro", [user(), model(SIGNED, call()), user(res(), res())], []),
        ("gemini-2.5-pro", [user(), model(call()), user(res())], []),
        ("gemini-3-pro", [user(), model(call()), user(res()), model(), user()], []),
        ("gemini-3-pro", [user(), model(call()), user(res())], ["content 1: its first call"]),
        (
            "models/gemini-3.5-flash",
            [user(), model(SIGNED), user(res()), model(call(), SIGNED), user(res(), res())],
            ["content 3: its first call"],
        ),
    ],
)
def test_signatures_of_the_current_turn(
    name: str, contents: list[Part], violations: list[str], finds: Any
) -> None:
    """From Gemini 3 on, the first call of each step since the user spoke is signed."""
    finds("gemini", {"model": name, "contents": contents}, violations)


@all_cases(
    ("config", "violations"),
    [
        (None, []),
        ({"system_instruction": "s", "tools": [tool("a.b:c-d")], "max_output_tokens": 1}, []),
        ({"system_instruction": {"parts": [TEXT]}, "tools": [{"google_search": {}}]}, []),
        ({"tools": [tool(parameters={"type": "OBJECT"}), tool("none", parameters=None)]}, []),
        ("none", ["config: it is no object"]),
        ({"system_instruction": " "}, ["system_instruction is blank"]),
        ({"system_instruction": {"parts": []}}, ["system_instruction is blank"]),
        ({"max_output_tokens": -1}, ["max_output_tokens: -1"]),
        ({"tools": [tool("9a")]}, ["tool 0: the name '9a'"]),
        ({"tools": [tool(), tool()]}, ["two have the name 'a'"]),
        ({"tools": [tool(parameters_json_schema={"type": "string"})]}, ["describes no object"]),
        (
            {
                "tools": [
                    tool(parameters={"type": "OBJECT"}, parameters_json_schema={"type": "object"})
                ]
            },
            ["both parameters and parameters_json_schema"],
        ),
    ],
)
def test_the_config(config: Any, violations: list[str], finds: Any) -> None:
    """Instructions, tools, and the limit of the reply stand in the config."""
    finds("gemini", {"contents": [user()], "config": config}, violations)
