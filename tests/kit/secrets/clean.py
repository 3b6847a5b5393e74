"""Ordinary sources through the redactor: what is replaced in them is lost to the agent for nothing.

Counted apart, as no fault: in test data, a key by its armour or drawn letters; in a recorded
session, an armoured key or a token whose head says how it was signed.
"""

from __future__ import annotations

import re
import sysconfig
from base64 import urlsafe_b64decode
from collections import Counter
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from math import log2
from pathlib import Path

from msgspec import DecodeError, Struct, json

from loom.inputs import Reply, Result, System, ToolCall, User
from loom.redact import Redactor
from loom.replay.importers import find, load
from loom.replay.importers.unreadable import BadSession

SESSIONS = "sessions"
CONTEXT = 20  # letters told before a hit, and of it
ENTROPY, LETTERS = 3.5, 16  # bits per letter and letters of what looks drawn
TESTS = re.compile(r"(?:^|/)(?:tests?|testing|testdata|\w*_tests?|test_[^/]*)(?:/|$)")
_MARK = re.compile(r"\[redacted:([\w.-]+)\]")
PACKAGES = {"numpy": ("numpy",), "google-auth": ("google.auth", "google.oauth2")}


class CleanText(Struct, frozen=True):
    """A text that is thought to hold no secret: the source it is of, and its place there."""

    source: str
    place: str
    text: str


class ReplacedText(Struct, frozen=True):
    """One place where the redactor replaced a part of an ordinary text."""

    source: str
    place: str
    kind: str
    text: str
    context: str

    @property
    def real_looking(self) -> bool:
        """True for what looks like a real secret where one may stand: test data, or a session."""
        if self.source == SESSIONS:
            return shows_its_form(self.text)
        return bool(TESTS.search(self.place)) and looks_real(self.text)


def shows_its_form(text: str) -> bool:
    """True for an armoured key, and for a JSON Web Token that names its algorithm."""
    if text.startswith("-----BEGIN"):
        return True
    head, *rest = text.split(".")
    try:
        named = json.decode(urlsafe_b64decode(f"{head}=="))
    except (ValueError, DecodeError):
        return False
    return len(rest) == 2 and isinstance(named, dict) and "alg" in named


def looks_real(text: str) -> bool:
    """True for an armoured key, and for letters that look drawn."""
    if text.startswith("-----BEGIN"):
        return True
    counts = Counter(text).values()
    bits = -sum(n / len(text) * log2(n / len(text)) for n in counts)
    return len(text) >= LETTERS and bits >= ENTROPY and any(map(str.isdigit, text))


def replacements(one: CleanText, cleaned: str) -> list[ReplacedText]:
    """Each place of a text that the cleaned one has a mark for."""
    found: list[ReplacedText] = []
    parts = _MARK.split(cleaned)  # text, kind, text, kind, …
    at = len(parts[0])
    for kind, after in zip(parts[1::2], parts[2::2], strict=True):
        ends = one.text.find(after, at) if after else len(one.text)
        ends = at if ends < 0 else ends
        shown = one.text[max(0, at - CONTEXT) : min(ends, at + CONTEXT)]
        found.append(
            ReplacedText(one.source, one.place, kind, one.text[at:ends], " ".join(shown.split()))
        )
        at = ends + len(after)
    return found


def folders(given: Iterable[Path] = ()) -> dict[str, list[Path]]:
    """The sources by name: the folders given, or the standard library and the packages there are.

    A package that is not installed is left out.
    """
    asked = {str(path): [path] for path in given}
    if asked:
        return asked
    found = {"standard library": [Path(sysconfig.get_paths()["stdlib"])]}
    for name, modules in PACKAGES.items():
        places = [place for module in modules for place in _places(module)]
        if places:
            found[name] = places
    return found


def _places(module: str) -> list[Path]:
    try:
        spec = find_spec(module)
    except ModuleNotFoundError:
        return []
    return [Path(place) for place in (spec.submodule_search_locations or ())] if spec else []


def texts(sources: dict[str, list[Path]]) -> Iterator[CleanText]:
    """Every file of the sources that is UTF-8 text."""
    for source, places in sources.items():
        for folder in places:
            for path in sorted(folder.rglob("*")):
                parts = path.relative_to(folder).parts
                if "site-packages" in parts or not path.is_file():
                    continue
                data = path.read_bytes()
                try:
                    text = "" if b"\0" in data else data.decode()
                except UnicodeDecodeError:
                    continue
                if text:
                    yield CleanText(source, "/".join((folder.name, *parts)), text)


def recorded(places: Iterable[Path]) -> Iterator[CleanText]:
    """Every text of recorded sessions; a file that cannot be read is left out."""
    for path in find(list(places)):
        try:
            sessions = load(path)
        except BadSession:
            continue
        for session in sessions:
            for event in session.events:
                for text in _said(event):
                    yield CleanText(SESSIONS, session.name, text)


def _said(event: System | User | Reply | Result) -> list[str]:
    if not isinstance(event, Reply):
        return [event.text]
    return [part.arguments if isinstance(part, ToolCall) else part.text for part in event.parts]


def replaced(given: Iterable[CleanText]) -> tuple[int, list[ReplacedText]]:
    """How many bytes the texts have, and every place where the redactor replaces a part of one."""
    redactor, size = Redactor(), 0
    found: list[ReplacedText] = []
    for one in given:
        size += len(one.text.encode("utf-8", "surrogatepass"))
        cleaned = redactor(one.text)
        if redactor.take():
            found += replacements(one, cleaned)
    return size, found
