"""Claude Code's files: the last branch is read, a copy counts once, and odd lines are told."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest

from loom.cli import main
from loom.errors import BadSession
from loom.inputs import Reply, Result, Speech, ToolCall, User
from loom.replay.importers import load
from loom.replay.importers.loss_notes import loss_summary
from tests.kit.cases import all_cases

Wire = dict[str, Any]


def user(uuid: str, parent: str | None, text: Any) -> Wire:
    """A line of the user."""
    said = {"role": "user", "content": text}
    return {"type": "user", "uuid": uuid, "parentUuid": parent, "sessionId": "s", "message": said}


def reply(uuid: str, parent: str, id: str, *blocks: Wire) -> Wire:
    """A piece of a reply."""
    usage = {"input_tokens": 100, "output_tokens": 1}
    said = {"role": "assistant", "id": id, "content": [*blocks], "usage": usage}
    return {"type": "assistant", "uuid": uuid, "parentUuid": parent, "message": said}


def text(words: str) -> Wire:
    """A block of text."""
    return {"type": "text", "text": words}


def call(id: str) -> Wire:
    """A block of a call."""
    return {"type": "tool_use", "id": id, "name": "Bash", "input": {}}


def result(uuid: str, parent: str, id: str, words: str) -> Wire:
    """A line with the result of a call."""
    return user(uuid, parent, [{"type": "tool_result", "tool_use_id": id, "content": words}])


def renamed(rows: list[Wire]) -> list[Wire]:
    """The rows as a client copies them that goes on with a session: under names of their own."""
    made = deepcopy(rows)
    for row in made:
        row["uuid"] = f"copy-{row['uuid']}"
        row["parentUuid"] = row["parentUuid"] and f"copy-{row['parentUuid']}"
    return made


OLD = [
    user("1", None, "Go."),
    reply("2", "1", "m1", text("I look.")),
    user("3", "2", "Take the old way."),
    reply("4", "3", "m2", text("Taken.")),
]
PARALLEL = [
    user("1", None, "Go."),
    reply("2", "1", "m1", call("a")),
    reply("3", "2", "m1", call("b")),
    result("4", "2", "a", "of a"),
    result("5", "3", "b", "of b"),
    reply("6", "5", "m2", text("Done.")),
]


def said(jsonl: Any, *rows: Wire) -> tuple[list[str], list[str]]:
    """What a session says, and what is told of it."""
    [session] = load(jsonl(*rows))
    words = []
    for event in session.events:
        if isinstance(event, Reply):
            words += [p.text if isinstance(p, Speech) else p.id for p in event.parts
                      if isinstance(p, Speech | ToolCall)]  # fmt: skip
        else:
            words.append(event.text)
    return words, [*loss_summary(session.mended)]


MARK = {"type": "system", "subtype": "compact_boundary", "uuid": "5", "parentUuid": None}
SUMMARY = {**user("6", "5", "What was."), "isCompactSummary": True}
ON = reply("7", "6", "m3", text("On."))
WHOLE = ["Go.", "I look.", "Take the old way.", "Taken."]
# Lines, what the session says, and how what is told of it begins ("" where nothing is).
BRANCHES: dict[str, tuple[list[Wire], list[str], str]] = {
    "of two the last is read": (
        [*OLD, user("5", "2", "Take the new way."), reply("6", "5", "m3", text("Good."))],
        ["Go.", "I look.", "Take the new way.", "Good."],
        "2 branches: 2 lines left out",
    ),
    "begun anew before the first message": (
        [*OLD, user("5", "2", "New."), user("6", None, "Anew."), ON],
        ["Anew.", "On."],
        "3 branches: 5 lines",
    ),
    "results side by side are none": (PARALLEL, ["Go.", "a", "b", "of a", "of b", "Done."], ""),
    "a line whose parent is missing follows the one before": (
        [OLD[0], OLD[2], OLD[3], user("5", "4", "On.")],
        ["Go.", "Take the old way.", "Taken.", "On."],
        "",
    ),
    "a compaction is none": ([*OLD, MARK, SUMMARY, ON], [*WHOLE, "What was.", "On."], ""),
    "nor is one whose mark is missing": (
        [*OLD, {**SUMMARY, "parentUuid": None}, ON],
        [*WHOLE, "What was.", "On."],
        "",
    ),
}


@all_cases(("rows", "words", "left"), BRANCHES.values(), ids=BRANCHES)
def test_branches(jsonl: Any, rows: list[Wire], words: list[str], left: str) -> None:
    """Where a user went back, what was said in its place is the session; the rest is told."""
    heard, told_of = said(jsonl, *rows)
    assert heard == words
    assert len(told_of) == bool(left) and "".join(told_of).startswith(left)


@pytest.mark.parametrize("rows", [OLD, PARALLEL], ids=["plain", "parallel"])
def test_a_copied_front_counts_once(jsonl: Any, rows: list[Wire]) -> None:
    """A session that was gone on with, its lines copied under other names or under the same."""
    more = user("9", f"copy-{rows[-1]['uuid']}", "On.")
    words, _ = said(jsonl, *rows)
    assert said(jsonl, *rows, *renamed(rows), more) == (
        [*words, "On."],
        [f"{len(rows)} lines recorded twice: each counts once"],
    )
    same = [*rows, *rows, {**more, "parentUuid": rows[-1]["uuid"]}]
    assert said(jsonl, *same)[0] == [*words, "On."]


def test_a_message_that_stands_twice_is_used_once(jsonl: Any) -> None:
    """The same piece of a reply under another name: once in the reply, once in the usage."""
    rows = [*PARALLEL, {**PARALLEL[5], "uuid": "7", "parentUuid": "6"}, user("8", "7", "On.")]
    [session] = load(jsonl(*rows))
    assert [one.text for one in session.events if isinstance(one, Result)] == ["of a", "of b"]
    assert sum(isinstance(event, Reply) for event in session.events) == 2
    assert session.usage is not None and session.usage.input == 200


def test_times_are_those_of_the_recording(
    jsonl: Any, capsys: pytest.CaptureFixture[str], tmp_path: Any
) -> None:
    """Logs, reports and pages of what is replayed say when it was, not when it was read."""
    days = [{**row, "timestamp": f"2026-02-13T0{at}:00:00.000Z"} for at, row in enumerate(PARALLEL)]
    path = jsonl(*days)
    first, last = 1_770_940_800_000, 1_770_940_800_000 + 5 * 3_600_000
    assert load(path)[0].times[0] == first
    assert main(["report", str(path), "--json"]) == 0
    [agent] = json.loads(capsys.readouterr().out)["agents"]
    assert (agent["began"], agent["ended"]) == (first, last)
    assert [turn["at"] for turn in agent["turns"]] == [first, first + 4 * 3_600_000]
    for made in (["replay", str(path), "--out", str(tmp_path / "kept")],
                 ["import", str(path), str(tmp_path / "made")]):  # fmt: skip
        assert main(made) == 0
    capsys.readouterr()
    for folder in (tmp_path / "made", *(tmp_path / "kept").iterdir()):
        assert main(["log", str(folder), "--json"]) == 0
        times = [one["at"] for one in json.loads(capsys.readouterr().out)["records"]]
        assert times == sorted(times) and (times[0], times[-1]) == (first, last)
        assert main(["stat", str(folder), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["at"] == last


def test_a_session_that_goes_on_in_another_file_counts_once(
    jsonl: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """The longer one is read, and holds all of the shorter; which one is not read is told. Two that
    only begin alike are both read."""
    old = jsonl(*OLD, name="old.jsonl")
    more = [user("9", "copy-4", "On."), reply("10", "9", "m9", text("Good."))]
    jsonl(*renamed(OLD), *more, name="new.jsonl")
    other = [user("9", "copy-2", "Else."), reply("10", "9", "m8", text("Fine."))]
    jsonl(*renamed(OLD[:2]), *other, name="other.jsonl")
    assert main(["replay", str(old.parent), "--json"]) == 0
    held = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in held["sessions"]] == ["new", "other"]
    assert held["total"]["loom"]["requests"] == 3 + 2
    assert "stands in new in" in held["skipped"][0]["why"]
    assert main(["report", str(old.parent), "--json"]) == 0
    agents = json.loads(capsys.readouterr().out)["agents"]
    assert [one["name"] for one in agents] == ["new", "other"]
    assert main(["report", str(old.parent), "-o", str(old.parent.parent / "p.html")]) == 0
    assert "stands in" in capsys.readouterr().err


def test_what_the_client_wrote_itself(jsonl: Any) -> None:
    """Lines the client marks as its own are no words of the user; a skill's body is a skill's."""
    body = "Base directory for this skill: /s/audit\n\n# Audit\nList each function."
    rows = [
        user("1", None, "go"),
        {**user("2", "1", body), "isMeta": True},
        {**user("3", "2", "Continue from where you left off."), "isMeta": True},
        user("4", "3", "on"),
    ]
    [session] = load(jsonl(*rows))
    assert [one.kind for one in session.events] == ["", "", "observation", ""]


def broken(kind: str, uuid: Any = "2", **fields: Any) -> Wire:
    """A line that cannot be read."""
    return {"type": kind, "uuid": uuid, "parentUuid": "1", "sessionId": "s", **fields}


@all_cases(
    "odd",
    [
        broken("user"),
        broken("user", message="x"),
        broken("assistant", message={"role": "assistant"}),
        broken("user", ["2"], message={}),
        reply("2", "1", "m", {"type": "tool_use", "input": {}}),
        user("2", "1", [{"type": "tool_result", "content": "x"}]),
    ],
)
def test_a_line_that_cannot_be_read(jsonl: Any, odd: Wire) -> None:
    """It is left out and told by its number; alone it is no session."""
    [session] = load(jsonl(user("1", None, "go"), odd, user("3", "2", "on")))
    assert session.events == (User("go", 0), User("on", 2))
    [note] = session.mended
    assert note.startswith("message 1: ") and note.endswith(": it was left out")
    path = jsonl(broken("assistant", "1", message={"role": "assistant"}), odd, name="alone.jsonl")
    with pytest.raises(BadSession, match="left out") as caught:
        load(path)
    assert (caught.value.path, caught.value.line) == (path, 1)
