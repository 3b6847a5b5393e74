"""Ordinary texts through the redactor: what is replaced in them is lost to the agent for nothing.

Counted apart, as no fault: in test data, a key by its armour or drawn letters.
"""

import re
import sysconfig
from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec
from math import log2
from pathlib import Path

import pytest

from loom.redact import Redactor
from tests.kit.cases import SIMULATED
from tests.kit.secrets.decoys import changed

PER = 20_000_000  # bytes in which at most one value is replaced
ENTROPY, LETTERS = 3.5, 16  # bits per letter and letters of what looks drawn
TESTS = re.compile(r"(?:^|/)(?:tests?|testing|testdata|\w*_tests?|test_[^/]*)(?:/|$)")
MARK = re.compile(r"\[redacted:[\w.-]+\]")
PACKAGES = ("numpy", "google.auth", "google.oauth2")


def replaced(text: str, cleaned: str) -> list[str]:
    """What stood in a text at each place that the cleaned one has a mark for."""
    found = []
    first, *parts = MARK.split(cleaned)
    at = len(first)
    for after in parts:
        ends = text.find(after, at) if after else len(text)
        found.append(text[at:ends])
        at = ends + len(after)
    return found


def looks_real(text: str) -> bool:
    """True for an armoured key, and for letters that look drawn."""
    if text.startswith("-----BEGIN"):
        return True
    bits = -sum(n / len(text) * log2(n / len(text)) for n in Counter(text).values())
    return len(text) >= LETTERS and bits >= ENTROPY and any(map(str.isdigit, text))


def texts() -> Iterator[tuple[str, str]]:
    """Every text of the standard library and of the packages there are, with its place."""
    there = (one for one in PACKAGES if find_spec(one.partition(".")[0]))
    specs = filter(None, map(find_spec, there))
    places = [place for spec in specs for place in spec.submodule_search_locations or ()]
    for folder in map(Path, (sysconfig.get_paths()["stdlib"], *places)):
        for path in sorted(folder.rglob("*")):
            inner = path.relative_to(folder)
            if "site-packages" not in inner.parts and path.is_file():
                try:
                    yield f"{folder.name}/{inner}", path.read_bytes().decode()
                except UnicodeDecodeError:
                    continue


def test_what_was_replaced() -> None:
    """Marks are laid over the texts they stand for; an armoured key and drawn letters look real."""
    text = "first: AAAA, then BBBBBB and AAAA"
    cleaned = "first: [redacted:a], then [redacted:b] and [redacted:a]"
    assert replaced(text, cleaned) == ["AAAA", "BBBBBB", "AAAA"] and replaced(text, text) == []
    assert looks_real("-----BEGIN PRIVATE KEY-----") and looks_real("q8Zk2Lm9Xw4Rt6Yp7Hs3")
    assert not looks_real("password") and not looks_real("a" * 40)


def test_decoys_stay() -> None:
    """No text that only looks like a secret is changed; one that is changed would be told."""
    assert changed(Redactor()) == []
    limit = "PASSWORD_MIN_LENGTH"
    assert changed(lambda text: text.replace(limit, ""), seeds=(1, 2)) == [f"{limit} = 12"] * 2


@pytest.mark.skipif(not SIMULATED, reason="50 MB of libraries: part of make simulate")
@pytest.mark.timeout(1_800)
def test_libraries_stay() -> None:
    """In the texts of libraries at most one value in 20 MB is replaced."""
    redact, size = Redactor(), 0
    found: list[tuple[str, str]] = []
    for place, text in texts():
        size += len(text.encode())
        cleaned = redact(text)
        if redact.take():
            gone = replaced(text, cleaned)
            found += [(place, one) for one in gone if not (TESTS.search(place) and looks_real(one))]
    assert size > PER and len(found) <= size / PER, found
