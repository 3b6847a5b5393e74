"""Documents: sent whole where they fit, else some pages; what is elsewhere goes on as it came."""

import base64
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.providers.formats import FORMATS
from loom.providers.media.inspect import inspect_payload
from loom_partitions import laws
from loom_partitions.message import UserTurn
from tests.kit.cases import all_cases, all_pairs
from tests.kit.step import call
from tests.providers.serving.pictures import coded

FILE, HELD = "file-6F2ksmvXxt4VdoqmHRw6kL", "file_011CNha8iCJcU1wXNR6q4V8w"
REPORT = "https://example.com/report.pdf"
OWN = "https://generativelanguage.googleapis.com/v1beta/files/abc-123"
ELSEWHERE: list[tuple[str, str, dict[str, Any]]] = [
    ("openai", "gpt-4o", {"type": "file", "file": {"file_id": FILE}}),
    ("openai", "gpt-4o", {"type": "image_url", "image_url": {"url": "https://example.com/a"}}),
    ("responses", "gpt-5", {"type": "input_file", "file_url": REPORT}),
    ("responses", "gpt-5", {"type": "input_image", "file_id": FILE}),
    ("anthropic", "claude-opus-5", {"type": "document", "source": {"type": "url", "url": REPORT}}),
    ("anthropic", "claude-opus-5", {"type": "image", "source": {"type": "file", "file_id": HELD}}),
    ("gemini", "gemini-3-pro", {"file_data": {"file_uri": OWN, "mime_type": "application/pdf"}}),
    ("gemini", "gemini-2.5-pro",
     {"file_data": {"file_uri": "https://youtu.be/abc", "mime_type": "video/mp4"}}),
]  # fmt: skip


def pdf(pages: int, *, table: bool = True) -> bytes:
    """A PDF of blank pages, with its table of references or without."""
    kids = " ".join(f"{3 + at} 0 R" for at in range(pages))
    bodies = [
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Kids[{kids}]/Count {pages}>>",
        *["<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]>>"] * pages,
    ]
    made = b"%PDF-1.4\n%\xe2\xe3\n"
    places = []
    for number, body in enumerate(bodies, 1):
        places.append(len(made))
        made += f"{number} 0 obj{body}endobj\n".encode()
    if not table:
        return made + b"%%EOF"
    rows = "".join(f"{place:010} 00000 n \n" for place in places)
    count = len(bodies) + 1
    head = f"xref\n0 {count}\n0000000000 65535 f \n{rows}trailer<</Size {count}/Root 1 0 R>>\n"
    return made + head.encode() + f"startxref\n{len(made)}\n%%EOF".encode()


def given(data: bytes) -> list[dict[str, Any]]:
    """A message of Anthropic's with a document."""
    source = {"type": "base64", "media_type": "application/pdf", "data": coded(data)}
    content = [{"type": "text", "text": "Sum up."}, {"type": "document", "source": source}]
    return [{"role": "user", "content": content}]


def documents(turn: loom.Turn) -> list[bytes]:
    """The documents of a request of Anthropic's."""
    return [
        base64.b64decode(part["source"]["data"])
        for message in turn.request("anthropic", model="m")["messages"]
        for part in message["content"]
        if part["type"] == "document"
    ]


def asked(ctx: loom.Context, ref: str, **ways: str) -> str:
    """The answer of page_in, in the next request."""
    call(ctx, "page_in", {"ref": ref, **ways})
    return str(ctx.turn().request("anthropic", model="m"))


@all_cases(
    ("named", "window", "format", "model", "part"),
    [(a, b, *c) for a, b, c in all_pairs([True, False], [16_000, 128_000, 1_000_000], ELSEWHERE)],
)
def test_what_is_elsewhere_goes_on_as_it_came(
    tmp_path: Path, format: str, model: str, part: dict[str, Any], window: int, named: bool
) -> None:
    """By an address or an id, in any window: the part is sent to its own provider as it was given,
    by `sync` and by `user`, and page_in of it answers with it."""
    known = model if named else ""
    with loom.open(tmp_path / "l", window=window, model=known, durable=False) as ctx:
        kind = "parts" if format == "gemini" else "content"
        text = {"text": "Sum up."} if format == "gemini" else {"type": "text", "text": "Sum up."}
        if format == "responses":
            text["type"] = "input_text"
        turn = ctx.sync([{"role": "user", kind: [text, part]}], format=format)
        assert _holds(turn.request(format, model="m"), part)
    with loom.open(tmp_path / "u", window=window, model=known, durable=False) as ctx:
        ctx.user(["Sum up.", part])
        assert _holds(ctx.turn().request(format, model="m"), part)
        ctx.reply("It says little.")
        ctx.renew(0)
        (page,) = [name for name in ctx._engine.workspace.pager.table if "attached" in name]
        assert not _holds(ctx.turn().request(format, model="m"), part)
        asked(ctx, page)
        assert _holds(ctx.turn().request(format, model="m"), part)
        assert [*laws.counted(ctx.window), *laws.bounded(ctx.window)] == []


def _holds(value: Any, part: dict[str, Any]) -> bool:
    """True where a request holds a part, with whatever a provider's encoder adds to it."""
    if isinstance(value, dict):
        if part.items() <= value.items():
            return True
        value = list(value.values())
    return isinstance(value, list) and any(_holds(one, part) for one in value)


def test_a_document_that_fits_is_sent_whole(tmp_path: Path) -> None:
    """Its pages are counted as its provider says: twenty of them have room in 200,000 tokens."""
    data, model = pdf(20), "claude-opus-5"
    with loom.open(tmp_path / "w", window=200_000, model=model, durable=False) as ctx:
        assert documents(ctx.sync(given(data), format="anthropic")) == [data]
        ctx.reply("It is blank.")
        ctx.renew(0)
        (page,) = [name for name in ctx._engine.workspace.pager.table if "pdf" in name]
        assert documents(ctx.turn()) == []
        asked(ctx, page)
        assert documents(ctx.turn()) == [data]


@pytest.mark.skipif(find_spec("pypdf") is not None, reason="pypdf is installed")
def test_without_pypdf_a_line_says_what_to_do(tmp_path: Path) -> None:
    """A document that does not fit is told of, with what it takes and what would show it."""
    with loom.open(tmp_path / "w", window=64_000, model="claude-opus-5", durable=False) as ctx:
        turn = ctx.sync(given(pdf(100)), format="anthropic")
        said = str(turn.request("anthropic"))
        assert documents(turn) == []
    assert (
        "100 pages take about 456,800 tokens" in said
        and "where the package pypdf is installed" in said
    )


@all_cases("table", [True, False])
@all_cases("window", [32_000, 64_000, 200_000])
def test_as_many_pages_as_have_room(tmp_path: Path, window: int, table: bool) -> None:
    """The first pages are sent, the line says which and how the others come, and page_in with
    `lines` brings those; the whole rests on its page to the byte."""
    pytest.importorskip("pypdf")
    data = pdf(400, table=table)
    with loom.open(tmp_path / "w", window=window, model="claude-opus-5", durable=False) as ctx:
        messages = given(data)
        turn = ctx.sync(messages, format="anthropic")
        (part,) = documents(turn)
        count = inspect_payload(part).pages
        assert 1 <= count < 400
        assert f"(pages 1–{count} of 400; others: lines=" in str(turn.request("anthropic"))
        again = [*messages, {"role": "assistant", "content": "Blank so far."}]
        ctx.sync([*again, {"role": "user", "content": "Go on."}], format="anthropic")
        assert sum(isinstance(one, UserTurn) for one in ctx.window.history.stream) == 3
        (page,) = [name for name in ctx._engine.workspace.pager.table if name.endswith("1.pdf")]
        ctx.reply("I look at the end.")
        ctx.renew(0)
        ctx.turn()
        assert "(pages 400–400 of 400)" in asked(ctx, page, lines="400")
        (last,) = documents(ctx.turn())
        assert inspect_payload(last).pages == 1
        assert ctx._engine.workspace.payload(page) == data
        assert [*laws.counted(ctx.window), *laws.bounded(ctx.window)] == []


@all_cases("format", sorted(FORMATS))
def test_pages_are_counted_by_what_they_hold(tmp_path: Path, format: str) -> None:
    """Pages of few words have room where as many full ones would have none."""
    pytest.importorskip("pypdf")
    with loom.open(tmp_path / format, window=24_000, durable=False) as ctx:
        ctx.user(["Sum up.", pdf(4)])
        (said,) = [one for one in str(ctx.turn().request(format)).splitlines() if "4 pages" in one]
        assert "not shown" not in said and "others: lines=" not in said


def test_more_pages_than_a_request_takes(tmp_path: Path) -> None:
    """A document of more pages than its provider takes is not sent whole, though it has room."""
    data = pdf(1_200)
    with loom.open(tmp_path / "w", window=1_000_000, model="gemini-3-pro", durable=False) as ctx:
        ctx.user(["Sum up.", data])
        ctx.turn()
        shown = [
            item.text.media
            for item in ctx.window.history.stream
            if isinstance(item, UserTurn) and item.text.media is not None
        ]
    assert all(one.pages <= 1_000 for one in shown)
    assert len(shown) == (find_spec("pypdf") is not None)


@all_cases("format", sorted(FORMATS))
def test_a_document_in_every_format(tmp_path: Path, format: str) -> None:
    """A short document reaches every provider, though no model is named."""
    with loom.open(tmp_path / "w", window=128_000, durable=False) as ctx:
        ctx.user(["Sum up.", pdf(3)])
        request = str(ctx.turn().request(format, model="m"))
    assert "%PDF" in request or coded(b"%PDF-1.4")[:8] in request
