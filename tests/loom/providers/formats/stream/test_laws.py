"""However a reply is cut into a stream, it is collected as the reply it was."""

import json
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.providers.formats import FORMATS, collector_for, decode, format_of

Wire = dict[str, Any]

TEXT = st.text(max_size=12)
SOME = st.text(min_size=1, max_size=12)
NAME = st.from_regex(r"[a-z_]{1,6}", fullmatch=True)
IDS = st.from_regex(r"[A-Za-z0-9]{1,6}", fullmatch=True)
PLAIN = st.none() | st.booleans() | st.integers() | TEXT
JSON = st.recursive(
    PLAIN | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)
OBJECT = st.dictionaries(TEXT, JSON, max_size=3)
COUNTS = st.integers(0, 9999)


def cut(draw: st.DrawFn, text: str) -> list[str]:
    """Draw a text's pieces, empty ones too."""
    at = sorted(draw(st.lists(st.integers(0, len(text)), max_size=4)))
    return [text[start:end] for start, end in pairwise([0, *at, len(text)])]


def woven(draw: st.DrawFn, rows: Sequence[Sequence[Wire]]) -> list[Wire]:
    """Draw an order of all rows' items that keeps the order within each row."""
    turns = draw(st.permutations([n for n, row in enumerate(rows) for _ in row]))
    rest = [iter(row) for row in rows]
    return [next(rest[number]) for number in turns]


@st.composite
def chat(draw: st.DrawFn) -> tuple[Wire, list[Wire]]:
    """Draw a Chat Completion and its chunks."""
    names = ("content", "refusal", "reasoning_content", "reasoning")
    texts = {name: draw(TEXT) for name in draw(st.sets(st.sampled_from(names)))}
    message: Wire = {"role": "assistant", "content": None, **texts}
    rows: list[list[Wire]] = [
        [{name: piece} for piece in cut(draw, text)] for name, text in texts.items()
    ]
    calls = draw(st.lists(st.tuples(IDS, NAME, TEXT), max_size=3, unique_by=lambda c: c[0]))
    for index, (id, name, arguments) in enumerate(calls):
        call = {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
        message.setdefault("tool_calls", []).append(call)
        begun = {"index": index, **call, "function": {"name": name, "arguments": ""}}
        pieces = [{"index": index, "function": {"arguments": p}} for p in cut(draw, arguments)]
        rows.append([{"tool_calls": [delta]} for delta in (begun, *pieces)])
    details: list[Wire] = []
    for text, signature in draw(st.lists(st.tuples(SOME, IDS), max_size=3)):
        # Servers number all blocks 0 while they stream; the signature ends a block.
        block = {"type": "reasoning.text", "index": 0}
        message.setdefault("reasoning_details", []).append(
            block | {"text": text, "signature": signature}
        )
        details += [block | {"text": piece} for piece in cut(draw, text)]
        details.append(block | {"signature": signature})
    rows.append([{"reasoning_details": [fragment]} for fragment in details])
    head = {"id": draw(IDS), "model": draw(NAME)}
    usage = {"prompt_tokens": draw(COUNTS)}
    whole = head | {"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}
    chunks = [
        head | {"choices": [{"index": 0, "delta": delta}], "usage": None}
        for delta in woven(draw, rows)
    ]
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    return whole, [*chunks, head | end, head | {"choices": [], "usage": usage}]


def fields(**drawn: st.SearchStrategy[Any] | str | list[Any] | bool) -> st.SearchStrategy[Wire]:
    """Draw an object of these members; what is no strategy is itself."""
    strategies = {
        name: one if isinstance(one, st.SearchStrategy) else st.just(one)
        for name, one in drawn.items()
    }
    return st.fixed_dictionaries(strategies)


BLOCKS = st.one_of(
    fields(type="thinking", thinking=TEXT, signature=st.just("") | IDS),
    fields(type="redacted_thinking", data=IDS),
    fields(type="text", text=TEXT),
    fields(type="tool_use", id=IDS, name=NAME, input=OBJECT),
    fields(type="server_tool_use", id=IDS, name=NAME, input=OBJECT),
)


def started(draw: st.DrawFn, block: Wire) -> tuple[Wire, list[Wire]]:
    """Draw what a block starts as, and its deltas."""
    match block["type"]:
        case "text":
            pieces = cut(draw, block["text"])
            return block | {"text": ""}, [{"type": "text_delta", "text": p} for p in pieces]
        case "thinking":
            deltas = [
                {"type": "thinking_delta", "thinking": piece}
                for piece in cut(draw, block["thinking"])
            ]
            if block["signature"]:
                deltas.append({"type": "signature_delta", "signature": block["signature"]})
            return block | {"thinking": "", "signature": ""}, deltas
        case "redacted_thinking":
            return block, []
    text = json.dumps(block["input"], ensure_ascii=draw(st.booleans()))
    pieces = cut(draw, text) if block["input"] else [""]
    deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
    return block | {"input": {}}, deltas


@st.composite
def anthropic(draw: st.DrawFn) -> tuple[Wire, list[Wire]]:
    """Draw a message and its events, with those a helper derives in between."""
    blocks = draw(st.lists(BLOCKS, max_size=4))
    rows = []
    for index, block in enumerate(blocks):
        start, deltas = started(draw, block)
        rows.append(
            [
                {"type": "content_block_start", "index": index, "content_block": start},
                *({"type": "content_block_delta", "index": index, "delta": d} for d in deltas),
                {"type": "text", "text": "again", "snapshot": "again"},
                {"type": "content_block_stop", "index": index, "content_block": block},
            ]
        )
    read, cached = draw(COUNTS), draw(COUNTS)
    head = {"id": draw(IDS), "type": "message", "role": "assistant", "model": draw(NAME)}
    usage = {"input_tokens": read, "cache_read_input_tokens": cached, "output_tokens": 3}
    whole = head | {"content": blocks, "stop_reason": "end_turn", "usage": usage}
    begun = head | {"content": [], "usage": {"input_tokens": read, "output_tokens": 1}}
    events = [
        {"type": "message_start", "message": begun},
        *woven(draw, rows),
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn"},
            "usage": {"cache_read_input_tokens": cached, "output_tokens": 3},
        },
        {"type": "message_stop", "message": whole},
    ]
    return whole, events


SAID_ITEM = fields(type="output_text", text=TEXT, annotations=[])
DONE = {"status": "completed"}
ITEMS = st.one_of(
    fields(type="reasoning", id=IDS, summary=[], encrypted_content=IDS),
    fields(
        type="message", id=IDS, role="assistant", content=st.tuples(SAID_ITEM).map(list), **DONE
    ),
    fields(type="function_call", id=IDS, call_id=IDS, name=NAME, arguments=TEXT, **DONE),
)


@st.composite
def responses(draw: st.DrawFn) -> tuple[Wire, list[Wire]]:
    """Draw a response and its events, whose last may lack the output."""
    output = draw(st.lists(ITEMS, max_size=4, unique_by=lambda item: item["id"]))
    kind = draw(st.sampled_from(["completed", "incomplete"]))
    head = {"id": draw(IDS), "object": "response", "model": draw(NAME)}
    usage = {"input_tokens": draw(COUNTS)}
    whole = head | {"status": kind, "output": output, "usage": usage}
    rows = [
        [
            {"type": "response.output_item.added", "output_index": index, "item": {"id": "?"}},
            {"type": "response.output_text.delta", "output_index": index, "delta": "again"},
            {"type": "response.output_item.done", "output_index": index, "item": item},
        ]
        for index, item in enumerate(output)
    ]
    last = whole | {"output": draw(st.sampled_from([output, []]))}
    created = head | {"status": "in_progress", "output": [], "usage": None}
    events = [
        {"type": "response.created", "response": created},
        *woven(draw, rows),
        {"type": f"response.{kind}", "response": last},
    ]
    return whole, events


SIGNED = {"thought_signature": st.binary(min_size=1, max_size=4)}
SAID = fields(text=SOME) | fields(text=SOME, thought=True)
CALL = fields(name=NAME, args=OBJECT)
PARTS = st.one_of(
    SAID,
    fields(text=SOME, **SIGNED),
    fields(text=SOME, thought=True, **SIGNED),
    fields(text="", **SIGNED),
    fields(function_call=CALL),
    fields(function_call=CALL, **SIGNED),
)


def apart(parts: list[Wire]) -> bool:
    """Tell whether no two neighbours are unsigned texts of one kind: a reply has them as one."""
    kinds = [
        part.get("thought", False) if "text" in part and "thought_signature" not in part else None
        for part in parts
    ]
    return all(one is None or one != other for one, other in pairwise(kinds))


@st.composite
def gemini(draw: st.DrawFn) -> tuple[Wire, list[Wire]]:
    """Draw a response and its chunks; only unsigned texts come in pieces."""
    parts = draw(st.lists(PARTS, max_size=5).filter(apart))
    pieces: list[Wire] = []
    for part in parts:
        whole = "text" not in part or "thought_signature" in part
        pieces += [part] if whole else [part | {"text": text} for text in cut(draw, part["text"])]
    head = {"model_version": draw(NAME), "response_id": draw(IDS)}
    usage = {"usage_metadata": {"prompt_token_count": draw(COUNTS)}}
    chunks = [head | {"candidates": []} | usage]
    while pieces:
        size = draw(st.integers(1, len(pieces)))
        content = {"role": "model", "parts": pieces[:size]}
        chunks.append(head | {"candidates": [{"index": 0, "content": content}]})
        pieces = pieces[size:]
    end = {"index": 0, "finish_reason": "STOP"}
    chunks.append(head | {"candidates": [end]} | usage)
    content = {"role": "model", "parts": parts}
    return head | {"candidates": [end | {"content": content}]} | usage, chunks


STREAMS: dict[str, Callable[[], st.SearchStrategy[tuple[Wire, list[Wire]]]]] = {
    "openai": chat,
    "anthropic": anthropic,
    "responses": responses,
    "gemini": gemini,
}


assert STREAMS.keys() == {*FORMATS}


@pytest.mark.parametrize("name", STREAMS)
@given(data=st.data())
def test_cut_and_collected(name: str, data: st.DataObject) -> None:
    """A collected stream decodes to the same reply as the whole, and is done at its end only."""
    whole, chunks = data.draw(STREAMS[name]())
    collector = collector_for(chunks[0])
    for number, chunk in enumerate(chunks):
        assert not collector.done or (name == "openai" and number == len(chunks) - 1)
        collector.take(chunk)
    assert collector.done
    reply = collector.reply()
    assert decode(reply) == decode(whole)
    assert format_of(name).decode(reply) == format_of(name).decode(whole)
    if name in ("responses", "gemini"):
        assert reply == whole
