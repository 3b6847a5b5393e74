"""What is left of a value where a text was cut goes too; common words stay, or are told of."""

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import json

import loom
from loom.cli.app import main
from loom.rewrite.secrets import Secrets
from loom.rewrite.spellings import cut_beginnings, is_word
from tests.kit.cases import all_cases

VALUE = "blue-horse-42"
MARK = "[redacted:purged]"


@all_cases("piece", ["blue-ho", "blue-horse", "blue-horse-", "blue-horse-4"])
@all_cases(
    "end",
    [
        *("", "\n", "…", " …", "...", " [output truncated]", "<truncated>"),
        "\n… 1,234 of 5,678 bytes rest in outputs/a_0001.txt",
        "\n[lines 41–120 moved zx73 → outputs/a_0001.txt]",
    ],
)
def test_a_beginning_where_a_text_was_cut(piece: str, end: str) -> None:
    """From half of the value on it goes, and what stands around it stays."""
    secrets = Secrets([VALUE])
    given = f"tail {piece}{end}"
    assert secrets.may_hold_secret(given.encode())
    assert secrets.clean_text(given).rstrip("-") == f"tail {MARK}{end}"
    assert secrets.take_counts() == {"purged": 1} and secrets.taken == {VALUE: 1}
    assert secrets.clean_text(secrets.clean_text(given)) == secrets.clean_text(given)


def test_within_json() -> None:
    """A text of JSON that ends in one loses it, and the rest is JSON still."""
    given = json.encode({"out": "tail blue-horse", "name": "blue-horse", "n": 1}).decode()
    made = json.decode(Secrets([VALUE]).clean_text(given))
    assert made == {"out": f"tail {MARK}", "name": "blue-horse", "n": 1}


@all_cases(
    "text",
    ["", "a blue", "the blue-h", "a blue-horse in the field", "seablue-horse", "blue-horseman…"],
)
def test_other_words_stay(text: str) -> None:
    """A plain word, less than half, what goes on, and what is part of another word are left."""
    assert Secrets([VALUE]).clean_text(text) == text


def test_a_word_is_no_piece() -> None:
    """A beginning that is one word of a language is not looked for; letters by chance are."""
    assert "hunter" not in cut_beginnings("hunter2!Zx") and "hunter2!" in cut_beginnings(
        "hunter2!Zx"
    )
    assert "kVqZtbW" in cut_beginnings("kVqZtbWq")
    assert is_word("Deploy.") and is_word("password") and is_word("straße")
    assert not any(map(is_word, (VALUE, "kVqZtbWq", "hunter2", "")))


def test_a_workspace_keeps_no_piece(tmp_path: Path) -> None:
    """Neither a page nor the journal, and a second purge finds nothing; the word itself stays."""
    work = tmp_path / "w"
    with loom.open(work, redact=(), durable=False) as ctx:
        ctx.user(f"the word {VALUE}, a blue one")
        ctx.reply(loom.Reply((loom.ToolCall("c", "read_file", '{"path": "a"}'),)))
        ctx.result("c", "a line of it\n" * 200 + "tail blue-horse")
        ctx.turn()
    found = loom.purge(work, [VALUE], durable=False)
    assert {one.place for one in found.places} >= {"journal", "page"}
    rest = b"".join(path.read_bytes() for path in work.rglob("*") if path.is_file())
    assert b"blue-h" not in rest and b"a blue one" in rest
    assert not loom.purge(work, [VALUE], durable=False).places


Said = Callable[..., tuple[int, str]]


@pytest.fixture
def said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Said:
    """Purge the workspace `w` of the values of stdin: the exit code, and what is printed."""

    def run(given: str, *options: str) -> tuple[int, str]:
        capsys.readouterr()
        monkeypatch.setattr("sys.stdin", io.StringIO(given))
        return main(["purge", str(tmp_path / "w"), *options]), "".join(capsys.readouterr())

    return run


def test_a_common_word_is_told(tmp_path: Path, said: Said) -> None:
    """By the line it was given in, with what would change; with --yes it is done all the same."""
    with loom.open(tmp_path / "w", goal="Deploy.", redact=(), durable=False) as ctx:
        ctx.user(f"the word {VALUE}")
    code, out = said(f"{VALUE}\n\nDeploy.\n")
    assert code == 1 and "line 3 is a common word: 1 place of ordinary text" in out
    assert "Deploy" not in out and "line 1" not in out
    assert said("Deploy.\n", "--yes")[0] == 0
    with loom.open(tmp_path / "w", durable=False) as ctx:
        assert ctx.working.goal == MARK


def test_the_command_shows_before_it_does(tmp_path: Path, said: Said) -> None:
    """It counts values, places and files (1), --json has every place; it does it
    with --yes (0), then finds none; without values, or in another encoding, it refuses (2)."""
    work, values, also = tmp_path / "w", tmp_path / "values", tmp_path / "cache"
    also.mkdir()
    (also / "kept").write_text(f"the word {VALUE}")
    with loom.open(work, redact=(), durable=False) as ctx:
        for _ in range(3):
            ctx.user(f"the word {VALUE}")
    code, out = said(f"{VALUE}\nnot here\n")
    rows = out.splitlines()
    assert code == 1 and rows[0].split() == ["what", "files", "places"]
    assert rows[1].split() == ["journal", "1", "6"]  # each as it was said, and in a line of it
    assert rows[2] == "Found: 1 value, 6 places in 1 file."
    assert "Nothing was changed" in out and "Revoke" in out
    made = json.decode(said(VALUE, "--json")[1])
    assert len(made["places"]) == 3 and made["files"] == 1
    assert made["values"] == [{"number": 1, "times": 6, "common": False}]
    values.write_text(f"{VALUE}\r\n\n")
    code, out = said("", "--from", str(values), "--also", str(also), "--yes")
    assert code == 0 and "Purged: 1 value, " in out and "Nothing" not in out and "Revoke" in out
    assert VALUE not in out and VALUE not in (also / "kept").read_text()
    assert said("", "--from", str(values))[0] == said("", "--rules")[0] == 0
    assert said("")[0] == 2
    values.write_bytes(b"\xff\xfe")
    code, out = said("", "--from", str(values))
    assert code == 2 and "UTF-8" in out


@pytest.mark.parametrize(
    ("value", "why"), [("a", "of 1 character "), ("abc", "of 3 characters "), (MARK, "part of")]
)
def test_a_refusal_says_why(tmp_path: Path, value: str, why: str) -> None:
    """Too short, or part of the mark: nothing is changed."""
    with loom.open(tmp_path / "w", durable=False):
        pass
    with pytest.raises(loom.BadInput, match=why):
        loom.purge(tmp_path / "w", [value])
