"""Raw bytes of a folder searched for secrets, whole or in part, in every spelling they may rest in.

A secret is found where any 16 letters of it in a row stand, of a shorter one half of it, but 8 at
least; of a key of more than 512 letters, any 31, or 16 of one line. Pieces that every secret of its
kind has (the head of a key's DER, of a token) give nobody access and do not count. Thousands of
pieces are looked for at once: eight bytes of the folder at each offset go through a table of bits
first, and only what passes is compared.
"""

import os
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from math import ceil
from pathlib import Path
from urllib.parse import quote

import numpy as np
from msgspec import json

WORD = 8  # bytes compared at once, and the shortest piece
PIECE = 16  # letters in a row that are as bad as the whole
LONG = 512  # letters of a secret whose pieces are looked for at every 16th only
BITS = 25  # of the table
SPREAD = np.uint64(0x9E3779B97F4A7C15)
# A colour of a terminal, as it is or as JSON escapes it, perhaps more than once.
_COLOUR = re.compile(rb"(?:\x1b|\\+u001[bB]|\\+x1b|\\+033|\\+e)\[[0-9;]{0,12}m")


def _escaped(text: str) -> str:
    return json.encode(text).decode()[1:-1]


def _quoted_printable(text: str) -> str:
    return "".join(
        one if (" " <= one <= "~" and one != "=") or one == "\n" else f"={ord(one):02X}"
        for one in text
    )


def _aligned(shift: int) -> Callable[[str], bytes]:
    """Base64 of a text that so many bytes stand before, without what the neighbours decide."""

    def spell(text: str) -> bytes:
        data = text.encode()
        whole = b64encode(bytes(shift) + data)
        first = -(-shift * 4 // 3) if shift else 0
        return whole[first : (shift + len(data)) * 8 // 6]

    return spell


# Name → a text's bytes in that spelling.
SPELLINGS: dict[str, Callable[[str], bytes]] = {
    "plain": str.encode,
    "JSON": lambda text: _escaped(text).encode(),
    "JSON in JSON": lambda text: _escaped(_escaped(text)).encode(),
    "base64": _aligned(0),
    "base64 after 1": _aligned(1),
    "base64 after 2": _aligned(2),
    "hex": lambda text: text.encode().hex().encode(),
    "HEX": lambda text: text.encode().hex().upper().encode(),
    "UTF-16": lambda text: text.encode("utf-16-le"),
    "percent": lambda text: quote(text, safe="").encode(),
    "quoted-printable": lambda text: _quoted_printable(text).encode(),
    "escapes": lambda text: "".join(f"\\u{ord(one):04x}" for one in text).encode(),
    "escapes in JSON": lambda text: "".join(f"\\\\u{ord(one):04x}" for one in text).encode(),
}


def pieces(secret: str) -> Iterator[tuple[str, bytes]]:
    """Every piece of a secret that is as bad as the whole, with the spelling it is of."""
    if not secret:
        return
    yield from _of_lines(secret)
    share = min(PIECE, max(WORD, -(-len(secret) // 2))) / len(secret)
    for name, spell in SPELLINGS.items():
        spelled = spell(secret)
        size = max(WORD, min(ceil(share * len(spelled)), len(spelled)))
        step = 1 if len(secret) <= LONG else PIECE
        for at in range(0, len(spelled) - size + 1, step):
            yield name, spelled[at : at + size]


def _of_lines(secret: str) -> Iterator[tuple[str, bytes]]:
    """Pieces of each line of a secret that has several, however long the whole is."""
    lines = secret.split("\n")
    for line in lines if len(lines) > 1 else ():
        held = line.strip().encode()
        for at in range(0, len(held) - PIECE + 1, PIECE):
            yield "a line", held[at : at + PIECE]


class RawSearch:
    """Finds secrets (kind → secret); `common` are other secrets of the same kinds.

    Raises ValueError for a secret that could never be found, so that none is clean for that.
    """

    def __init__(
        self, secrets: Mapping[str, str], common: Mapping[str, Iterable[str]] = {}
    ) -> None:
        # Piece → the kinds and the spelling it is of.
        self._pieces: dict[bytes, dict[str, str]] = {}
        for kind, secret in secrets.items():
            shared = {needle for one in common.get(kind, ()) for _, needle in pieces(one)}
            own = [(name, needle) for name, needle in pieces(secret) if needle not in shared]
            if len(secret) < WORD or not own:
                raise ValueError(f"{kind}: no piece of {WORD} letters or more is its own")
            for name, needle in own:
                self._pieces.setdefault(needle, {}).setdefault(kind, name)
        found: dict[int, set[int]] = {}
        for needle in self._pieces:
            found.setdefault(int.from_bytes(needle[:WORD], "little"), set()).add(len(needle))
        self._lengths = {head: tuple(sizes) for head, sizes in found.items()}
        self._table = np.zeros(1 << BITS, dtype=bool)
        if found:
            self._table[_slots(np.array(list(found), dtype=np.uint64))] = True

    def __call__(self, data: bytes) -> dict[str, str]:
        """The kinds that stand in the data, each with a spelling; colours are looked through."""
        found = self._found(data)
        bare = _COLOUR.sub(b"", data)
        return found if bare == data else {**self._found(bare), **found}

    def _found(self, data: bytes) -> dict[str, str]:
        found: dict[str, str] = {}
        if len(data) < WORD:
            return found
        for shift in range(WORD):
            size = (len(data) - shift) // WORD * WORD
            heads = np.frombuffer(data[shift : shift + size], dtype="<u8")
            for at in np.flatnonzero(self._table[_slots(heads)]):
                start = shift + int(at) * WORD
                for length in self._lengths.get(int(heads[at]), ()):
                    for kind, name in self._pieces.get(data[start : start + length], {}).items():
                        found.setdefault(kind, name)
        return found


def _slots(heads: np.ndarray) -> np.ndarray:
    slots: np.ndarray = (heads * SPREAD) >> np.uint64(64 - BITS)
    return slots


def resting(folder: Path, search: RawSearch) -> dict[str, dict[str, str]]:
    """Kind → where it rests (a file below the folder, or `name of` one) → in which spelling."""
    found: dict[str, dict[str, str]] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        parts = [(f"name of {name}", os.fsencode(name))]
        if path.is_file():
            parts.append((name, path.read_bytes()))
        for where, data in parts:
            for kind, spelling in search(data).items():
                found.setdefault(kind, {})[where] = spelling
    return found
