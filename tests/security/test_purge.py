"""A secret that was kept leaves everything Loom wrote, and the workspace goes on.

Each door of a context is gone through with `redact=()`, as one would before anybody knew, and the
bytes of everything that rests are searched after a purge.
"""

from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote
from zlib import crc32

import pytest
from msgspec import inspect, json

import loom
from loom.cli.app import main
from loom.redact import SECRETS
from loom.rewrite.own_names import FIELDS
from loom.rewrite.reports import PurgeReport
from loom.rewrite.secrets import MARK, Secrets
from loom_partitions.records import Record
from tests.kit.cases import all_cases, some
from tests.loom import test_secrets_at_rest as rest

ALSO = ("memory", "cache")
PNG = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def kept(folder: Path) -> list[Path]:
    """The folders beside the workspace that are there."""
    return [folder / "kept" / name for name in ALSO if (folder / "kept" / name).is_dir()]


def purged(folder: Path, **more: object) -> PurgeReport:
    """Purge the plain secret from a workspace that `rest.opened` made."""
    work = folder / "kept" / "work"
    return loom.purge(work, [rest.PLAIN], also=kept(folder), durable=False, **more)


def filled(folder: Path, door: str, secret: str = rest.PLAIN) -> None:
    """Go through a door with a secret that is not redacted."""
    doors = rest.DOORS | rest.NAMES
    with rest.opened(folder, secret, redact=()) as ctx, suppress(loom.LoomError):
        made = doors[door](ctx, secret)
        if not ctx.calls:
            ctx.turn()
        if isinstance(made, loom.Context):
            made.close()


@all_cases(
    ("door", "secret"),
    [(door, rest.PLAIN) for door in (*rest.DOORS, *rest.NAMES)]
    + [(door, rest.COLOURED) for door in some((*rest.DOORS, *rest.NAMES), 3)],
)
def test_a_purged_secret_is_in_no_byte(
    tmp_path: Path, door: str, secret: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Journal, pages, bus, notes, memories, cache: none holds it; it checks, opens and goes on."""
    filled(tmp_path, door, secret)
    before = rest.holding(tmp_path)
    shown = purged(tmp_path, dry_run=True)
    assert rest.holding(tmp_path) == before
    report = purged(tmp_path)
    assert bool(before) <= bool(report.places) and shown.places == report.places
    assert rest.BODY not in repr(report)
    assert rest.holding(tmp_path) == []
    work = tmp_path / "kept" / "work"
    for folder in (work, *work.glob("agents/*"), *work.glob("forks/*")):
        assert main(["check", str(folder)]) == 0, capsys.readouterr().out
    assert not purged(tmp_path).places
    with rest.opened(tmp_path, "nothing") as ctx:
        if not ctx.calls:
            ctx.user("go on")
            ctx.turn()
            ctx.renew()
    assert main(["check", str(work)]) == 0, capsys.readouterr().out


@all_cases("door", ["agent", "emit long", "overflow"])
def test_rules_purge_what_they_find(tmp_path: Path, door: str) -> None:
    """`--rules` takes out what the rules of today find, under the kind of each."""
    filled(tmp_path, door)
    work = tmp_path / "kept" / "work"
    report = loom.purge(work, rules=SECRETS, also=kept(tmp_path), durable=False)
    assert "api-key" in report.kinds
    assert rest.holding(tmp_path) == []


SPELLED = {
    "json in json": lambda v: json.encode({"a": json.encode({"b": v}).decode()}).decode(),
    "base64": lambda v: b64encode(v.encode()).decode(),
    "base64, one in": lambda v: b64encode(b"x" + v.encode() + b"yz").decode(),
    "base64, two in": lambda v: b64encode(b"xy" + v.encode()).decode(),
    "hexadecimal": lambda v: v.encode().hex(),
    "percent": lambda v: quote(v, safe=""),
    "utf-16": lambda v: v.encode("utf-16-le").decode("utf-8", "surrogateescape"),
    "cut off": lambda v: f"{v[:20]}…",
    "a part": lambda v: f"the word {v[7:30]} alone",
    "twice": lambda v: f"{v} and {v}",
}
ODD = 'pa/ss"wörd \\ of-2026'


@all_cases("value", [rest.PLAIN, ODD], ids=["plain", "odd"])
@all_cases("spelling", SPELLED)
def test_a_value_is_found_however_it_is_spelled(spelling: str, value: str) -> None:
    """Escaped, encoded, cut off or in part, a value is replaced, in texts and in bytes."""
    given = f"<{SPELLED[spelling](value)}> and more"
    if spelling in ("cut off", "a part") and value == ODD:
        given = f"{ODD[:14]}…"
    secrets, data = Secrets([value]), given.encode("utf-8", "surrogateescape")
    clean = secrets.clean_bytes(data)
    assert secrets.take_counts() and len(clean) < len(data) + len(MARK)
    assert value.encode() not in clean and value[8:20].encode() not in clean
    if "utf-16" not in spelling:
        assert secrets.clean_text(given).encode() == clean and secrets.take_counts()
    assert secrets.clean_bytes(clean) == clean and not secrets.take_counts()


def test_what_is_no_secret_stays() -> None:
    """Words that only begin or end as a value does are no secrets; JSON stays JSON."""
    secrets = Secrets(["password-production-db", "12345678"])
    for text in ("a password-protected file", "production-dbs", "123456789", "1.5", ""):
        assert secrets.clean_text(text) in (text, f"{MARK}9")
    assert json.decode(secrets.clean_text('{"pin": 12345678, "a": [true, "12345678"]}')) == {
        "pin": MARK,
        "a": [True, MARK],
    }


def test_nobody_else_has_it_open(tmp_path: Path) -> None:
    """While the agent, or one below it, is open, nothing is purged; nor one below alone."""
    filled(tmp_path, "agent")
    work = tmp_path / "kept" / "work"
    for folder in (work, work / "agents" / "one"):
        with loom.open(folder, durable=False), pytest.raises(loom.StoreLocked):
            loom.purge(work, [rest.PLAIN])
    with pytest.raises(loom.BadInput, match="purge that one"):
        loom.purge(work / "agents" / "one", [rest.PLAIN])
    assert rest.holding(tmp_path)


@pytest.mark.parametrize("engine", ["sqlite", "rocksdb"])
def test_memories_are_made_anew(tmp_path: Path, engine: str) -> None:
    """Their store holds no deleted bytes; ids, order and what supersedes what are as they were."""
    if engine == "rocksdb":
        pytest.importorskip("rocksdict")
    more = {"capabilities": [loom.Memory(tmp_path / "kept" / "memory", engine)]}
    work = tmp_path / "kept" / "work"
    with loom.open(work, durable=False, redact=(), **more) as ctx:
        ctx.memory.save(f"use {rest.PLAIN} here", key="a")
        ctx.memory.save("use the other one", key="a")
        gone = ctx.memory.save(f"never {rest.PLAIN}", ttl=1)
        ctx.memory.save("plain words stay")
    report = purged(tmp_path)
    assert rest.holding(tmp_path) == [] and not purged(tmp_path).places
    assert {one.where for one in report.places if one.place == "memory"} == {
        "memory 1",
        f"memory {gone.id}",
    }
    more = {"capabilities": [loom.Memory(tmp_path / "kept" / "memory", engine)]}
    with loom.open(work, durable=False, **more) as ctx:
        assert [one.memory.id for one in ctx.memory.query("plain words")] == [4]
        assert [one.memory.text for one in ctx.memory.query("use one", limit=1)] == [
            "use the other one"
        ]
        assert ctx.memory.save("a new one").id == 5


def test_an_image_becomes_a_text(tmp_path: Path) -> None:
    """What cannot be changed in place is a stand-in, told as one, and is sent as no image."""
    text = b"tEXtkey\0" + rest.PLAIN.encode()
    chunk = (len(text) - 4).to_bytes(4, "big") + text + crc32(text).to_bytes(4, "big")
    image = PNG[:33] + chunk + PNG[33:]
    work = tmp_path / "kept" / "work"
    with loom.open(work, model="gpt-4o", durable=False, redact=()) as ctx:
        ctx.user(["look", image])
        ctx.turn()
    (page,) = (work / "outputs").glob("image_*")
    report = purged(tmp_path)
    assert [one.became for one in report.places if one.place == "page"] == ["stand-in"]
    assert rest.holding(tmp_path) == [] and page.read_bytes().startswith(MARK.encode())
    with loom.open(work, durable=False) as ctx:
        sent = str(ctx.turn().request("openai"))
        assert "image_url" not in sent and "look" in sent
    assert main(["check", str(work)]) == 0


def test_what_comes_back_before_a_request_is_purged(tmp_path: Path) -> None:
    """A text that a request lengthened or read ahead stands whole in its record."""
    secret, folder = "zebra-quartz-4711-lantern", tmp_path / "w"
    with loom.open(folder, goal="Mend it.", window=16_000, durable=False) as ctx:
        calls = [loom.ToolCall(id, "read_file", f'{{"path": "{id}.txt"}}') for id in "abc"]
        ctx.reply(loom.Reply(tuple(calls)))
        for id in "ab":
            lines = f"line one of {id}\n" * 40, f"it is {secret}\n", f"line two of {id}\n" * 4_000
            ctx.result(id, "".join(lines))
        ctx.result("c", "ok")
        assert secret in str(ctx.turn().request("openai")["messages"])
    loom.purge(folder, [secret], durable=False)
    files = (path for path in folder.rglob("*") if path.is_file())
    assert [path for path in files if secret.encode() in path.read_bytes()] == []
    with loom.open(folder, durable=False) as ctx:
        assert secret not in str(ctx.turn().request("openai")["messages"])


@pytest.mark.parametrize("secret", ["hunter2Zq81\\TopSecret99", "hunter2Zq81'TopSecret99"])
def test_what_a_shell_read_of_a_value_is_purged(tmp_path: Path, secret: str) -> None:
    """The line of a command that ran has no quotes: neither it nor a part of it stays."""
    folder = tmp_path / "w"
    with loom.open(folder, goal="Mend it.", window=8_192, durable=False, redact=()) as ctx:
        command = json.encode({"command": f"echo {secret}"}).decode()
        ctx.reply(loom.Reply((loom.ToolCall("a", "Bash", command),)))
        ctx.result("a", "ok")
    loom.purge(folder, [secret], durable=False)
    files = (path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert not any(b"Zq81" in data or b"TopSecret" in data for data in files)


def test_no_field_of_looms_own_words_holds_more() -> None:
    """A field that a purge passes over holds no record of another type, wherever it stands."""
    seen = set[type]()

    def structs(kind: object) -> Iterator[inspect.StructType]:
        """The types of records within a type."""
        if isinstance(kind, inspect.StructType):
            yield kind
        for name in ("types", "item_types"):
            for part in getattr(kind, name, ()):
                yield from structs(part)
        for name in ("item_type", "key_type", "value_type"):
            if hasattr(kind, name):
                yield from structs(getattr(kind, name))

    def fields(kind: object) -> Iterator[tuple[str, inspect.Field]]:
        """Each field of the records within a type, and of those within them."""
        for one in structs(kind):
            if one.cls not in seen:
                seen.add(one.cls)
                for field in one.fields:
                    yield one.cls.__name__, field
                    yield from fields(field.type)

    held = [
        (name, field.name)
        for name, field in fields(inspect.type_info(Record))
        if field.name in FIELDS and [*structs(field.type)]
    ]
    assert len(seen) > 50 and held == []
