"""The search for secrets: every spelling and every long piece is found, and nothing else."""

from __future__ import annotations

import base64
import quopri
from pathlib import Path
from urllib.parse import quote

import pytest
from msgspec import json

from tests.kit.cases import all_cases
from tests.kit.secrets.search import RawSearch, pieces, resting

SECRET = 'Zx9!"\\vQ7=pL2/mK4+tR8_wB6'
SEARCH = RawSearch({"one": SECRET})
TEXT = f"key: {SECRET};"

HELD = {
    "plain": TEXT.encode(),
    "a piece": SECRET[5:21].encode(),
    "JSON": json.encode(TEXT),
    "JSON in JSON": json.encode(json.encode(TEXT).decode()),
    "base64": base64.b64encode(SECRET.encode()),
    "base64 after 1": base64.b64encode(b"a" + SECRET.encode() + b"bc"),
    "base64 after 2": base64.b64encode(b"ab" + SECRET.encode() + b"c"),
    "hex": TEXT.encode().hex().encode(),
    "HEX": TEXT.encode().hex().upper().encode(),
    "UTF-16": TEXT.encode("utf-16-le"),
    "UTF-16, the other order": TEXT.encode("utf-16-be"),
    "percent": quote(TEXT, safe="").encode(),
    "quoted-printable": quopri.encodestring(TEXT.encode()),
    "escapes": "".join(f"\\u{ord(one):04x}" for one in TEXT).encode(),
    "coloured": f"{SECRET[:9]}\x1b[31m{SECRET[9:]}".encode(),
    "coloured in JSON": json.encode(f"{SECRET[:7]}\x1b[m\x1b[01;31m{SECRET[7:]}"),
}


@all_cases("spelling", HELD)
def test_it_is_found_in_each_spelling(spelling: str) -> None:
    """A secret is found wherever it stands in data, at any offset."""
    for before in range(9):
        assert set(SEARCH(b"\x00" * before + HELD[spelling] + b"\xff" * 9)) == {"one"}


@all_cases(
    "data", [b"", b"abc", b"no secret stands in this text", SECRET[:12].encode(), b"\x00" * 5_000]
)
def test_nothing_else_is_found(data: bytes) -> None:
    """Data that holds less than half of a secret holds none."""
    assert SEARCH(data) == {}


def test_half_of_a_short_one() -> None:
    """Of a secret of 18 letters any 9 are one, and 8 are not."""
    search = RawSearch({"short": "a1B2c3D4e5F6g7H8i9"})
    assert search(b"a1B2c3D4e5") and search(b"5F6g7H8i9") and not search(b"a1B2c3D4")


def test_a_long_one_by_any_31_letters() -> None:
    """Of a key of thousands of letters a run of 31 is found, wherever it begins."""
    secret = "".join(f"{at:04d}" for at in range(500))
    search = RawSearch({"long": secret})
    assert all(search(secret[at : at + 31].encode()) for at in range(40))


def test_what_every_secret_of_a_kind_has_is_none() -> None:
    """The head that another secret of the kind has too may rest."""
    head = "BEGIN-OF-EVERY-KEY-OF-THIS-KIND-"
    search = RawSearch({"one": f"{head}q8Zk2Lm9Xw4Rt6Yp"}, {"one": [f"{head}u7Hs3Vb5Nc1Gd0Jf"]})
    assert not search(head.encode())
    assert search(b"q8Zk2Lm9Xw4Rt6Yp")


@pytest.mark.parametrize(
    ("secret", "others"), [("short", []), ("always the same", ["always the same"])]
)
def test_what_could_never_be_found(secret: str, others: list[str]) -> None:
    """A secret without a piece of its own is refused: it would be clean everywhere."""
    with pytest.raises(ValueError, match="one: no piece"):
        RawSearch({"one": secret}, {"one": others})


def test_pieces_of_nothing() -> None:
    """An empty secret has no pieces."""
    assert list(pieces("")) == []


def test_files_and_their_names(tmp_path: Path) -> None:
    """Every file below a folder is searched, and every name; where it rests is told."""
    token = "q8Zk2Lm9Xw4Rt6Yp"
    search = RawSearch({"one": token})
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.bin").write_bytes(b"\xff" + token.encode())
    (tmp_path / f"b-{token}").mkdir()
    (tmp_path / "c").write_text("nothing")
    assert resting(tmp_path, search) == {
        "one": {f"name of b-{token}": "plain", "sub/a.bin": "plain"}
    }


def test_each_line_of_a_long_one() -> None:
    """A line of 16 letters or more of a secret that has several is found, wherever it stands."""
    lines = [f"{'abcdefghij'[at % 10]}{at:03}Kq8Zr2LmX0vBn7KcTy" for at in range(40)]
    search = RawSearch({"long": "\n".join(lines)})
    for line in lines:
        assert search(f"12: {line} ".encode())
    assert not search(b"a000Kq8Zr2LmX0v")
