"""Images and documents at their edges: texts that look like them, broken ones, odd parts."""

import json
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.context.results import _reduction_objective
from loom.providers.formats import FORMATS, format_of
from loom_bench.laws import broken
from loom_partitions.message import Step, Text
from tests.kit.cases import all_cases
from tests.loom.session.test_attachments import PARTS, PICTURE, Session
from tests.providers.serving.pictures import coded, png

SECRET = "sk-ant-" + "a1B2c3D4" * 5


def called(ctx: loom.Context, *names: str) -> list[str]:
    """Make calls in one step; their ids."""
    ids = [f"c{ctx.window.history.next_id}_{at}" for at in range(len(names))]
    pairs = zip(ids, names, strict=True)
    ctx.reply(loom.Reply(tuple(loom.ToolCall(id, name, "{}") for id, name in pairs)))
    return ids


def result(ctx: loom.Context) -> Text:
    """The first result of the last step."""
    step = next(item for item in ctx.window.history.stream.entries_back if isinstance(item, Step))
    return step.outcomes[0].text


def test_one_too_large_is_its_line(tmp_path: Path) -> None:
    """It is never sent, and rests whole; what is restored is its line, not its bytes as letters."""
    one = Session(tmp_path / "w", window=4_000)
    large = png(4_000, 4_000)
    one.ctx.user(["Look.", large])
    one.turn()
    *_, picture = one.turns()
    assert one.shown() == 0 and one.ctx.history.payload(picture.text.page) == large
    name = f"user_{picture.id:04d}"
    assert one.ctx.history.restore(name).text == one.ctx.page_in(name).text == picture.text.body


def test_a_document_of_an_office_is_sent(tmp_path: Path) -> None:
    """What is counted for it is sent, to the provider that takes it."""
    type = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    data = b"PK\x03\x04" + bytes(range(256)) * 4
    one = Session(tmp_path / "w", window=64_000)
    url = f"data:{type};base64,{coded(data)}"
    one.ctx.user([{"type": "input_file", "filename": "a.docx", "file_data": url}])
    (entry,) = one.turns()
    assert entry.text.media is not None
    assert coded(data) in repr(one.turn().request("responses"))


@pytest.mark.parametrize(
    "url", ["https://x.org/\ud800.png", f"https://x.org/a.png?key=\\u0073{SECRET[1:]}"]
)
def test_an_address_that_cannot_be_sent(tmp_path: Path, url: str) -> None:
    """A lone surrogate has no UTF-8; a secret, however it is spelt, stays here."""
    url = json.loads(f'"{url}"') if "\\u" in url else url
    one = Session(tmp_path / "w", window=200_000)
    one.ctx.user([{"type": "image_url", "image_url": {"url": url}}])
    turn = one.turn()
    for format in FORMATS:
        assert json.dumps(turn.request(format), ensure_ascii=False, default=repr).encode()
    assert one.shown() == 0


@pytest.mark.parametrize("shape", ["list", "dict"])
def test_a_result_that_holds_itself(tmp_path: Path, shape: str) -> None:
    """It is refused by the error that says so, picture or not, and the call stays open."""
    one = Session(tmp_path / "w")
    (id,) = called(one.ctx, "x")
    value: list[Any] = [PARTS["anthropic"]]
    own: dict[str, Any] = {}
    own["own"] = own
    value.append(value if shape == "list" else own)
    with pytest.raises(loom.BadInput, match="cannot be written as JSON"):
        one.ctx.result(id, value)
    assert one.ctx.window.history.open_calls == (id,)


@all_cases("format", sorted(FORMATS))
def test_a_picture_that_goes_bad_before_it_is_sent(tmp_path: Path, format: str) -> None:
    """Its stand-in is sent, with no message twice; and stays when the page is there again."""
    with loom.open(tmp_path / "w", window=16_000, durable=False) as ctx:
        ctx.user("hello")
        ctx.turn().request(format)
        ctx.user("only once")
        ctx.user(PICTURE)
        ctx.turn()
    with loom.open(tmp_path / "w", durable=False) as ctx:
        turn = ctx.turn()
        (page,) = (tmp_path / "w" / "outputs").glob("image_*")
        data = page.read_bytes()
        page.unlink()
        ctx._engine.workspace.pager._resident.__init__(0)
        turn._wire.request(format_of(format), turn.version, turn._messages, 1)
        sent = turn.request(format)
        line = f"outputs/{page.name} {ctx.window.config.mark} is gone"
        assert broken(format, sent) == [] and line in repr(sent)
        assert repr(sent).count("only once") == 1
        page.write_bytes(data)
        assert turn.request(format) == sent


def test_results_are_reduced_for_what_the_user_said(tmp_path: Path) -> None:
    """The words, not the line of the picture that stood behind them."""
    with loom.open(tmp_path / "w", window=16_000, durable=False) as ctx:
        ctx.user(["Which orders failed?", PICTURE, b"\x89PNG\r\n\x1a\nrubbish"])
        assert _reduction_objective(ctx._engine) == "Which orders failed?"


class Part:
    """A part as a library of a provider has it."""

    def __init__(self, part: dict[str, Any]) -> None:
        self.part = part

    def model_dump(self) -> dict[str, Any]:
        """The part as a dict."""
        return self.part


@pytest.mark.parametrize("piece", [Part(PARTS["mcp"]), PICTURE, PARTS["mcp"]])
def test_a_result_of_pieces(tmp_path: Path, piece: object) -> None:
    """Objects of a library and bytes in a list are what they are in a message of the user."""
    one = Session(tmp_path / "w")
    (id,) = called(one.ctx, "x")
    one.ctx.result(id, [piece, "a word"])
    assert one.shown() == 1 and "a word" in (result(one.ctx).body or "")
    one.turn()
