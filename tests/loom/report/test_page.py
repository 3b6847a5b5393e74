"""A page is one file that nothing in its data can break out of."""

from __future__ import annotations

import gzip
import json
import re
from base64 import b64decode, b64encode
from hashlib import sha256

from loom.report.data import AgentRow, ReportData
from loom.report.page import SCRIPTS, STYLES, asset, page
from tests.loom.report.conftest import HOSTILE

DATA = re.compile(rb'<script type="([^"]+)" id="data">([^<]*)</script>')


def read_again(made: bytes) -> object:
    """The data of a page."""
    found = DATA.search(made)
    assert found is not None
    if found[1] == b"application/json":
        return json.loads(found[2])
    return json.loads(gzip.decompress(b64decode(found[2], validate=True)))


def small(*texts: str) -> ReportData:
    """Data of few texts, which a page holds as they are."""
    row = AgentRow(name=texts[0], folder=".", above=-1, state="idle")
    return ReportData("0", texts[0], (row,), (), (), texts)


def test_hostile_texts_end_nothing() -> None:
    """None of their signs is in the page as it is, and all come back."""
    texts = [text.replace("\ud800", "?")[:500] for text in HOSTILE]
    made = page(small(*texts))
    assert read_again(made)["texts"] == texts  # type: ignore[index]
    assert made.count(b"</script>") == made.count(b"<script") == 2
    shown = DATA.search(made)
    assert shown is not None and not re.search(rb"[<>&\x00]|\xe2\x80[\xa8\xa9]", shown[2])
    assert b"<title>Loom report \xc2\xb7 &lt;/script&gt;" in made
    made = page(small("@SCRIPT@ @DATA@ @STYLE@"))  # what is called as its own places are
    assert "<title>Loom report · @SCRIPT@ @DATA@ @STYLE@</title>" in made.decode()


def test_only_its_own_script_and_style_act() -> None:
    """The policy names both by their sha256 as they stand in the page, and nothing else."""
    made = page(small("a")).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', made)
    assert policy is not None
    for tag, name in (("style", "style-src"), ("script", "script-src")):
        inner = re.findall(rf"<{tag}>(.*?)</{tag}>", made, re.DOTALL)
        assert len(inner) == 1
        digest = b64encode(sha256(inner[0].encode()).digest()).decode()
        assert f"{name} 'sha256-{digest}';" in policy[1]
    assert policy[1].startswith("default-src 'none';") and "connect-src 'none'" in policy[1]
    assert "unsafe" not in policy[1] and not re.search(r'(?:src|href)="(?!#)', made)


def test_assets_put_text_in_as_text() -> None:
    """No script makes elements of a text, or runs one; no style names an address."""
    scripts, styles = asset(*SCRIPTS), asset(*STYLES)
    for word in ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "fetch("):
        assert word not in scripts
    assert "url(" not in styles and "@import" not in styles and "</" not in scripts
