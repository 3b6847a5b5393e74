"""The search for secrets: every spelling and every long piece is found, and nothing else."""

import base64
import quopri
from urllib.parse import quote

from msgspec import json

from tests.kit.cases import all_cases
from tests.kit.secrets.search import RawSearch

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
