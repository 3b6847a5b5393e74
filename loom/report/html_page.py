"""Makes the report as one HTML page from the data and the files in `assets`. The page loads nothing
from elsewhere.

Its content security policy allows only its own style and script, which it names by their sha256.
The data is in an element that is not run as code. Characters that could end this element are
escaped. The page shows all texts of the data as plain text."""

from __future__ import annotations

import gzip
from base64 import b64encode
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files

from msgspec import json

from loom.lazy import lazy_re
from loom.report.data import ReportData

GENERATOR = "Loom report"
PLACE = lazy_re(r"@([A-Z]+)@")
SCRIPTS = (
    "base.js", "loaded.js", "model.js", "svg.js", "lost.js", "pressure.js", "requests.js",
    "cuts.js", "lanes.js", "cost.js", "agents.js", "search.js", "theme.js", "start.js",
)  # fmt: skip
STYLES = ("page.css", "parts.css", "lost.css")
LEVEL = 8  # of compression: another costs seconds for some hundred bytes
PLAIN_MOST = 100_000  # bytes of data above which they are compressed
ESCAPED = {
    b"<": rb"\u003c",
    b">": rb"\u003e",
    b"&": rb"\u0026",
    "\u2028".encode(): rb"\u2028",
    "\u2029".encode(): rb"\u2029",
}


def report_html(data: ReportData) -> bytes:
    """Return the HTML page of a report, encoded in UTF-8."""
    encoded, kind = _encoded_data(data)
    first = [one.title for one in data.agents if one.above < 0]
    name = first[0] if len(first) == 1 and not data.lost else ""
    style, script = asset_text(*STYLES), asset_text(*SCRIPTS)
    policy = (
        f"default-src 'none'; style-src '{_policy_hash(style)}';"
        f" script-src '{_policy_hash(script)}'; connect-src 'none';"
        " base-uri 'none'; form-action 'none'"
    )
    made = {
        "POLICY": policy,
        "GENERATOR": GENERATOR,
        "TITLE": escape(f"Loom report · {name or data.source}"),
        "STYLE": style,
        "FIND": asset_text("find.html"),
        "MAIN": asset_text("main.html"),
        "KIND": kind,
        "SCRIPT": script,
    }
    before, after = asset_text("frame.html").split("@DATA@")
    # In one pass: what is put in may say anything, the name of a place too.
    before, after = (PLACE.sub(lambda found: made[found[1]], text) for text in (before, after))
    return before.encode() + encoded + after.encode()


@cache
def asset_text(*names: str) -> str:
    """Return the contents of the named files in `assets`, joined by line breaks."""
    folder = files("loom.report") / "assets"
    return "\n".join((folder / name).read_text("utf-8") for name in names)


def is_report(head: bytes) -> bool:
    """Return True if `head` is the beginning of a report's HTML page."""
    return f'name="generator" content="{GENERATOR}"'.encode() in head


def _encoded_data(data: ReportData) -> tuple[bytes, str]:
    """Return (the data as bytes for the page, compressed if large, and their MIME type)."""
    plain = json.encode(data)
    if len(plain) > PLAIN_MOST:
        packed = gzip.compress(plain, LEVEL, mtime=0)
        return b64encode(packed), "application/gzip+base64"
    for sign, stands in ESCAPED.items():
        plain = plain.replace(sign, stands)
    return plain, "application/json"


def _policy_hash(text: str) -> str:
    """Return the hash of a style or script in the form that the content security policy needs."""
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()
