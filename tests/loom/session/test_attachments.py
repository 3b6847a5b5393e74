"""Images and documents: taken in, sent to each provider, paged out, and brought back whole."""

import json
from pathlib import Path
from typing import Any

import loom
from loom.providers.formats import FORMATS
from loom.providers.media.inspect import inspect_payload
from loom.providers.media.media_tokens import payload_tokens
from loom_bench.laws.sdk_types import SdkTypes
from loom_partitions.message import Step, UserTurn
from tests.kit.audited import Audited
from tests.kit.cases import all_cases
from tests.providers.serving.pictures import coded, png

PICTURE = png(64, 48)
PARTS: dict[str, dict[str, Any]] = {
    "openai": {
        "type": "image_url",
        "image_url": {"url": f"data:image/png;base64,{coded(PICTURE)}", "detail": "low"},
    },
    "responses": {"type": "input_image", "image_url": f"data:image/png;base64,{coded(PICTURE)}"},
    "anthropic": {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": coded(PICTURE)},
    },
    "gemini": {"inline_data": {"mime_type": "image/png", "data": coded(PICTURE)}},
    "mcp": {"type": "image", "data": coded(PICTURE), "mimeType": "image/png"},
}


class Session(Audited):
    """A context of 16,000 tokens unless said, whose turns have the types of every provider."""

    def __init__(self, path: Path, **given: Any) -> None:
        super().__init__(path, **{"window": 16_000, **given})

    def turn(self) -> loom.Turn:
        """A lawful turn, of the right types in every format."""
        turn = super().turn()
        for format in FORMATS:
            assert SdkTypes(format).refused(turn.request(format, model="m")) == []
        return turn

    def turns(self) -> list[UserTurn]:
        """What stands in the window of users and attachments."""
        return [item for item in self.ctx.window.history.stream if isinstance(item, UserTurn)]

    def shown(self) -> int:
        """How many attachments stand in the window."""
        return sum(item.text.media is not None for item in self.turns())


@all_cases("format", sorted(PARTS))
def test_a_picture_of_any_shape(tmp_path: Path, format: str) -> None:
    """It is sent to every provider, costs what its formula says, and its bytes come back."""
    one = Session(tmp_path / "w")
    one.ctx.user([{"type": "text", "text": "What is this?"}, PARTS[format]])
    turn = one.turn()
    words, picture = one.turns()
    assert words.text.body == "What is this?"
    page, media = picture.text.page, picture.text.media
    assert media is not None and media.type == "image/png"
    detail = "low" if format == "openai" else media.detail or "auto"
    assert media.tokens == max(
        payload_tokens(inspect_payload(PICTURE), one, "", detail) for one in FORMATS
    )
    assert page in (picture.text.body or "") and "64×48" in (picture.text.body or "")
    assert one.ctx.history.payload(page) == PICTURE
    for name in FORMATS:
        sent = repr(turn.request(name))
        assert coded(PICTURE) in sent or repr(PICTURE)[2:40] in sent
    assert turn.pressure.tokens.total < len(coded(PICTURE)) + 3_000


def test_bytes_and_files(tmp_path: Path) -> None:
    """A picture as bytes and as a file are equal pages; a text file is a text under its name."""
    one = Session(tmp_path / "w")
    (tmp_path / "plan.png").write_bytes(PICTURE)
    (tmp_path / "notes.txt").write_text("first line\n")
    one.ctx.user([tmp_path / "plan.png", PICTURE, tmp_path / "notes.txt"])
    one.turn()
    first, second, third = one.turns()
    assert [one.ctx.history.payload(each.text.page) for each in (first, second)] == [PICTURE] * 2
    assert "plan.png" in (first.text.body or "")
    assert one.ctx.page_in(first.text.page).text.startswith("[image/png, 64×48")
    assert third.text.body == "[notes.txt]\nfirst line\n"


def test_what_is_elsewhere(tmp_path: Path) -> None:
    """An address goes to the providers that fetch one; where it is rests on the page."""
    one = Session(tmp_path / "w", window=64_000, model="claude-sonnet-4-5")
    url = "https://example.org/cat.png"
    one.ctx.user([{"type": "image_url", "image_url": {"url": url}}])
    turn = one.turn()
    (picture,) = one.turns()
    assert picture.text.media is not None and picture.text.media.format == "openai"
    assert url in one.ctx.history.payload(picture.text.page).decode()
    assert url in json.dumps(turn.request("anthropic")) and url in json.dumps(turn.request())


def test_a_result_with_pictures(tmp_path: Path) -> None:
    """The result says a line, the picture follows its step, in any order of results."""
    one = Session(tmp_path / "w")
    one.ctx.user("Take two screenshots.")
    calls = (loom.ToolCall("a", "shot", "{}"), loom.ToolCall("b", "shot", "{}"))
    one.ctx.reply(loom.Reply(calls))
    other = png(80, 80, 7)
    one.ctx.result(
        "b", [{"type": "text", "text": "second"}, {**PARTS["mcp"], "data": coded(other)}]
    )
    one.ctx.result("a", PICTURE)
    one.turn()
    assert one.shown() == 2
    results = one.ctx.history.restore(2).results
    assert results["b"].startswith("second\n[image/png, 80×80")
    assert results["a"].startswith("[image/png, 64×48")
    pages = [item.text.page for item in one.turns()][1:]
    assert [one.ctx.history.payload(page) for page in pages] == [other, PICTURE]
    (step,) = (item for item in one.ctx.window.history.stream if isinstance(item, Step))
    assert [outcome.reduction.outcome_ref for outcome in step.outcomes] == pages


def test_paged_out_and_in_again(tmp_path: Path) -> None:
    """Pressure leaves its line; page_in shows it again, once; the bytes never change."""
    one = Session(tmp_path / "w", window=8_192)
    one.ctx.user(["Remember this picture.", PICTURE])
    one.turn()
    page = one.turns()[-1].text.page
    for number in range(40):
        if not one.shown():
            break
        # Another file each time: a file read again takes the place of what was read before.
        asked = json.dumps({"path": f"{number}.txt"})
        one.ctx.reply(loom.Reply((loom.ToolCall(f"c{number}", "read", asked),)))
        one.ctx.result(f"c{number}", f"{number} is a number.\n" * 120)
        one.turn()
    assert one.shown() == 0
    assert coded(PICTURE) not in repr(one.turn().request())
    for _ in range(2):
        ask = loom.ToolCall(
            f"p{one.ctx.window.history.next_id}", "page_in", json.dumps({"ref": page})
        )
        one.ctx.reply(loom.Reply((ask,)))
        turn = one.turn()
        assert one.shown() == 1 and coded(PICTURE) in repr(turn.request())
    assert one.ctx.history.payload(page) == PICTURE


def test_many_pictures_stay_within_bounds(tmp_path: Path) -> None:
    """Of more than fit, the first are shown and the others are lines; every turn is lawful."""
    one = Session(tmp_path / "w", window=8_192)
    for round in range(6):
        one.ctx.user([png(500, 500, shade) for shade in range(round, round + 12)])
        assert one.turn().pressure.rho <= 1.0
        one.ctx.reply(loom.Reply((loom.Speech("I see."),)))
