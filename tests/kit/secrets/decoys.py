"""Decoys: texts that look like secrets and are none, which must rest byte for byte.

An agent reads placeholders, digests, public keys and code about passwords all day, and edits them
by their exact text. A redactor that changes one of them breaks the edit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random
from textwrap import wrap

from tests.kit.secrets.lookalikes import handled, public
from tests.kit.secrets.second.draws import (
    ALNUM,
    BECH32,
    DIGITS,
    HEX,
    Value,
    base64_bytes,
    letters,
    of,
    unpadded,
)
from tests.kit.secrets.second.shapes import SLOTS, fill

SEEDS = (1, 2, 3)
RSA_SSH = b"\0\0\0\7ssh-rsa\0\0\0\3\1\0\1\0\0\1\1\0"
ED25519_SSH = b"\0\0\0\x0bssh-ed25519\0\0\0 "
RSA_PUBLIC = bytes.fromhex("30820122300d06092a864886f70d01010105000382010f003082010a0282010100")
CERTIFICATE = bytes.fromhex("308203a13082028902")


def _lines(size: int, lead: bytes) -> Value:
    """Random bytes behind a lead, in lines of base64."""
    return lambda chance: "\n".join(wrap(base64_bytes(size, lead)(chance), 64))


def _unpadded(size: int) -> Value:
    """Random bytes in URL-safe base64 without padding."""
    return lambda chance: unpadded(chance.randbytes(size))


def _colons(chance: Random) -> str:
    """Twenty bytes in hexadecimal, colons between them."""
    return ":".join(letters(chance, HEX.upper(), 2) for _ in range(20))


PUBLIC: dict[str, Value] = {
    **{f"alnum{size}": of((ALNUM, size)) for size in (8, 16, 24, 38)},
    **{f"hex{size}": of((HEX, size)) for size in (6, 8, 24, 80, 128)},
    **{f"hex{size}b": of((HEX, size)) for size in (6, 7, 64, 80)},
    **{f"sha{bits}_base64": base64_bytes(bits // 8) for bits in (256, 384, 512)},
    "HEX16": of((HEX.upper(), 16)),
    "bech32": of((BECH32.lower(), 38)),
    "certificate": _lines(932, CERTIFICATE),
    "certificate_base64": base64_bytes(1260, b"-----BEGIN CERTIFICATE-----\nMIID"),
    "colons": _colons,
    "fingerprint": lambda chance: base64_bytes(32)(chance).rstrip("="),
    "modulus": _unpadded(256),
    "n": of((DIGITS[1:], 1), (DIGITS, 4)),
    "pgp": _lines(840, bytes.fromhex("99010d0465")),
    "png": base64_bytes(420, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
    "point": _unpadded(32),
    "point2": _unpadded(32),
    "rsa_public": _lines(294, RSA_PUBLIC),
    "sealed": base64_bytes(540),
    "sha1_base64": base64_bytes(20),
    "short_base64": base64_bytes(15),
    "ssh_ed25519": base64_bytes(51, ED25519_SSH),
    "ssh_rsa": base64_bytes(279, RSA_SSH),
    "tag": base64_bytes(16),
    "woff": base64_bytes(600, b"wOF2\0\1\0\0"),
}
DECOYS = (*handled.SHAPES, *public.SHAPES)


def decoys(chance: Random) -> list[str]:
    """Every decoy once, in the order of DECOYS, its digests and names drawn."""
    return [fill(shape, chance, {}, SLOTS | PUBLIC) for shape in DECOYS]


def changed(redact: Callable[[str], str], seeds: Iterable[int] = SEEDS) -> list[str]:
    """The decoys a redactor does not give back as they were, for each seed in turn."""
    made = (decoy for seed in seeds for decoy in decoys(Random(seed)))
    return [decoy for decoy in made if redact(decoy) != decoy]
