"""Decoys: texts that look like secrets and are none, which must rest byte for byte.

An agent reads placeholders, digests, public keys and code about passwords all day, and edits them
by their exact text. A redactor that changes one of them breaks the edit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random

from tests.kit.secrets.draws import Value, base64_lines
from tests.kit.secrets.lookalikes import handled, public
from tests.kit.secrets.shapes import SLOTS, fill

SEEDS = (1, 2, 3)
PUBLIC: dict[str, str] = {
    **{f"alnum{size}": f"<alnum:{size}>" for size in (8, 16, 24, 38)},
    **{f"hex{size}": f"<hex:{size}>" for size in (6, 8, 24, 80, 128)},
    **{f"hex{size}b": f"<hex:{size}>" for size in (6, 7, 64, 80)},
    **{f"sha{bits}_base64": f"<bytes:{bits // 8}>" for bits in (256, 384, 512)},
    "HEX16": "<HEX:16>",
    "bech32": "<lownum:38>",
    "certificate_base64": "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUQ<base64:1636>",
    "colons": ":".join(["<HEX:2>"] * 20),
    "fingerprint": "<base64:43>",
    "modulus": "<urlsafe:342>",
    "sealed": "<bytes:540>",
    "short_base64": "<bytes:15>",
    "tag": "<bytes:16>",
}
# In bytes, behind those every one of its kind begins with.
LED: dict[str, Value] = {
    "certificate": base64_lines(932, "308203a13082028902"),
    "pgp": base64_lines(840, "99010d0465"),
    "png": base64_lines(420, "89504e470d0a1a0a0000000d49484452", 999),
    "rsa_public": base64_lines(
        294, "30820122300d06092a864886f70d01010105000382010f003082010a0282010100"
    ),
    "ssh_ed25519": base64_lines(51, "0000000b7373682d6564323535313900000020", 999),
    "ssh_rsa": base64_lines(279, "000000077373682d727361000000030100010000010100", 999),
    "woff": base64_lines(600, "774f46320001000000", 999),
}
DECOYS = (*handled.SHAPES, *public.SHAPES)


def decoys(chance: Random) -> list[str]:
    """Every decoy once, in the order of DECOYS, its digests and names drawn."""
    led = {name: value(chance) for name, value in LED.items()}
    return [fill(shape, chance, led, SLOTS | PUBLIC) for shape in DECOYS]


def changed(redact: Callable[[str], str], seeds: Iterable[int] = SEEDS) -> list[str]:
    """The decoys a redactor does not give back as they were, for each seed in turn."""
    made = (decoy for seed in seeds for decoy in decoys(Random(seed)))
    return [decoy for decoy in made if redact(decoy) != decoy]
