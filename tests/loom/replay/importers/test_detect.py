"""Finding session files, refusing what is none, and importers by entry point."""

from pathlib import Path

import pytest

import loom
from loom.errors import BadSession
from loom.replay.importers import find, load
from loom.replay.importers.rows import LARGEST
from tests.kit.installed import installed, printed

GOOD = b'{"role": "user", "content": "go"}\n'


@pytest.mark.parametrize(
    ("data", "line", "why"),
    [
        (b"", 0, "empty"),
        (b"\xef\xbb\xbf \n\n", 0, "empty"),
        (GOOD + b'{"role": "us\n', 2, "malformed"),
        (b'{"role": "us', 1, "malformed"),
        (GOOD + b"\n" + b"nonsense\n" + GOOD, 3, "malformed"),
        (b'{"role": "user"\n' + GOOD, 1, "malformed"),
        (b'[\n  {"role": "user"},\n  {"role" "user"}\n]\n', 3, "malformed"),
        (b'{\n "messages": [\n', 3, "malformed"),
        (GOOD + b'{"role": "user", "content": NaN}\n', 2, "NaN"),
        (GOOD + b'{"role": "user", "content": "\xff"}\n', 2, "UTF-8"),
        (GOOD + b"[" * 200_000 + b"\n", 2, "deep"),
        (b"{}", 1, "no session"),
        (b"[]", 0, "no messages"),
        (b"7", 1, "no session"),
        (b"[1, 2]", 0, "no session"),
        (b'{"messages": []}', 1, "no messages"),
        (b'{"messages": [7]}', 1, "no message"),
        (b'[{"messages": [{"role": "user"}]}, {"role": "user"}]', 0, "no session"),
        (GOOD + b"[]\n", 2, "no message"),
        (b'{"type": "summary", "summary": "x"}\n', 1, "unknown shape"),
    ],
)
def test_refused(tmp_path: Path, data: bytes, line: int, why: str) -> None:
    """What cannot be read is refused with the place and the reason."""
    path = tmp_path / "session.jsonl"
    path.write_bytes(data)
    with pytest.raises(BadSession) as caught:
        load(path)
    assert why in caught.value.why
    assert (caught.value.path, caught.value.line) == (path, line), caught.value.why


def test_a_torn_line_in_the_middle(tmp_path: Path) -> None:
    """A recorder killed while it wrote, and begun again: one line in ten may be lost so."""
    path = tmp_path / "session.jsonl"
    torn = b'{"role": "user", "content": "a half\n'
    path.write_bytes(5 * GOOD + torn + 5 * GOOD)
    [session] = load(path)
    assert len(session.events) == 10
    assert [note.partition(":")[0] for note in session.mended] == ["line 6"]
    path.write_bytes(5 * GOOD + 2 * torn + 5 * GOOD)
    with pytest.raises(BadSession, match="malformed"):
        load(path)


def test_most_of_it_is_no_session(tmp_path: Path) -> None:
    """Objects with a role that hold no message are none, though one among them is."""
    path = tmp_path / "session.jsonl"
    path.write_bytes(GOOD + 3 * b'{"role": "user", "tokens": 9}\n')
    with pytest.raises(BadSession, match=r"most of it is no session: .*content"):
        load(path)
    path.write_bytes(3 * GOOD + 3 * b'{"role": "user", "tokens": 9}\n')
    assert len(load(path)[0].events) == 3


def test_what_cannot_be_read_by_name(tmp_path: Path) -> None:
    """A file that is not there, a folder, and a file over the limit, of which none is read; a path
    to find in that does not exist is an error, not an empty answer."""
    for path in (tmp_path / "none.jsonl", tmp_path):
        with pytest.raises(BadSession, match="cannot be read"):
            load(path)
    path = tmp_path / "a.jsonl"
    with path.open("wb") as file:
        file.truncate(LARGEST + 1)
    with pytest.raises(BadSession, match=f"more than {LARGEST:,}"):
        load(path)
    with pytest.raises(BadSession, match="no such file"):
        find([tmp_path / "none"])


def test_find(tmp_path: Path) -> None:
    """A folder stands for the sessions below it, sorted; a file for itself; each comes once."""
    names = ("b.jsonl", "a.json", "sub/c.jsonl", "a.labels.jsonl", "manifest.json", "x.txt")
    for name in (*names, ".h/d.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(GOOD)
    found = [tmp_path / name for name in ("a.json", "b.jsonl", "sub/c.jsonl")]
    labels = tmp_path / "a.labels.jsonl"
    assert find([]) == []
    assert find([tmp_path]) == found
    assert find([labels, tmp_path / "b.jsonl", tmp_path]) == [labels, found[1], found[0], found[2]]


def test_a_workspace_is_no_recorded_session(tmp_path: Path) -> None:
    """It says what the folder is, and which commands are for it; a folder called so is searched."""
    loom.open(tmp_path / "w", durable=False).close()
    with pytest.raises(BadSession, match="a workspace of Loom's") as caught:
        find([tmp_path / "w"])
    assert "loom report" in caught.value.why and "loom export" in caught.value.why
    (tmp_path / "logs" / "journal").mkdir(parents=True)
    kept = tmp_path / "logs" / "journal" / "monday.jsonl"
    kept.write_bytes(GOOD)
    assert find([tmp_path / "logs"]) == [kept]


PACKAGE = """
from loom.inputs import User
from loom.replay.importers import Importer, readable

def accepts(talk):
    return all("utterance" in item.value for item in talk.items)

def read(item):
    yield User(item.value["utterance"].strip(), item.index)

def events(talk, notes):
    return readable(talk.items, notes, read)

IMPORTER = Importer("acme", accepts, events)
"""
ENTRIES = """
[loom.importers]
acme = acme:IMPORTER
openai = acme_gone:IMPORTER
broken = acme_gone:IMPORTER
"""


def test_shapes_from_outside(tmp_path: Path) -> None:
    """A file no importer of Loom's knows is read by the one that was installed; a plug-in of a name
    Loom has changes nothing, and none is imported where none is needed; the refusal of a shape
    nobody knows says what is known, and which plug-in could not be asked and why."""
    installed(tmp_path, PACKAGE, ENTRIES)
    (tmp_path / "acme.jsonl").write_text('{"type": "said", "utterance": "hi"}\n' * 2)
    (tmp_path / "openai.jsonl").write_text('{"role": "user", "content": "hi"}\n')
    (tmp_path / "own.jsonl").write_text('{"utterance": "yes"}\n' * 2)  # no member Loom knows
    (tmp_path / "odd.jsonl").write_text('{"utterance": 5}\n')
    (tmp_path / "nobodys.jsonl").write_text('{"type": "said"}\n')
    own, outside, odd, bare, why = printed(
        tmp_path,
        """
from pathlib import Path
from loom.errors import BadSession
from loom.replay.importers import load
found = []
for name in ("openai", "acme", "odd", "own", "nobodys"):
    try:
        said = [event.text for one in load(Path(f"{name}.jsonl")) for event in one.events]
        found.append([said, "acme" in sys.modules])
    except BadSession as error:
        found.append(error.why)
print(json.dumps(found))
""",
    )
    assert own == [["hi"], False] and outside == [["hi", "hi"], True]
    assert bare == [["yes", "yes"], True]
    assert odd == "the plug-in 'acme' raised AttributeError: 'int' object has no attribute 'strip'"
    assert isinstance(why, str) and "known are" in why and "acme" in why
    assert "'broken' of loom.importers cannot be used: ModuleNotFoundError" in why
    assert "'openai'" not in why
