"""The search for secrets: every spelling and every long piece is found, and nothing else."""

from __future__ import annotations

import base64
import quopri
from pathlib import Path
from urllib.parse import quote

import pytest
from msgspec import json

from tests.kit.cases import all_cases
from tests.kit.secrets.search import RawSearch, resting

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


def test_how_much_of_it_is_found() -> None:
    """Of a short one any half, of a key of thousands of letters any 31, or 16 of one line; data
    with less, or with the head that all secrets of a kind have, holds none."""
    for data in (b"", b"abc", b"no secret stands in this text", SECRET[:12].encode(), bytes(5_000)):
        assert SEARCH(data) == {}
    search = RawSearch({"short": "a1B2c3D4e5F6g7H8i9"})
    assert search(b"a1B2c3D4e5") and search(b"5F6g7H8i9") and not search(b"a1B2c3D4")
    secret = "".join(f"{at:04d}" for at in range(500))
    search = RawSearch({"long": secret})
    assert all(search(secret[at : at + 31].encode()) for at in range(40))
    lines = [f"{'abcdefghij'[at % 10]}{at:03}Kq8Zr2LmX0vBn7KcTy" for at in range(40)]
    search = RawSearch({"long": "\n".join(lines)})
    assert all(search(f"12: {line} ".encode()) for line in lines)
    assert not search(b"a000Kq8Zr2LmX0v")
    head = "BEGIN-OF-EVERY-KEY-OF-THIS-KIND-"
    search = RawSearch({"one": f"{head}q8Zk2Lm9Xw4Rt6Yp"}, {"one": [f"{head}u7Hs3Vb5Nc1Gd0Jf"]})
    assert search(b"q8Zk2Lm9Xw4Rt6Yp") and not search(head.encode())


@pytest.mark.parametrize(
    ("secret", "others"), [("short", []), ("always the same", ["always the same"])]
)
def test_what_could_never_be_found(secret: str, others: list[str]) -> None:
    """A secret without a piece of its own is refused: it would be clean everywhere."""
    with pytest.raises(ValueError, match="one: no piece"):
        RawSearch({"one": secret}, {"one": others})


def test_files_and_their_names(tmp_path: Path) -> None:
    """Every file below a folder is searched, and every name; where it rests is told."""
    token = "q8Zk2Lm9Xw4Rt6Yp"
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.bin").write_bytes(b"\xff" + token.encode())
    (tmp_path / f"b-{token}").mkdir()
    (tmp_path / "c").write_text("nothing")
    where = {f"name of b-{token}": "plain", "sub/a.bin": "plain"}
    assert resting(tmp_path, RawSearch({"one": token})) == {"one": where}
